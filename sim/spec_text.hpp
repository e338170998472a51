// The text form of specifications: `name` or `name:key=value,key=value`; where a name stands for a
// list of parts, as `mixture` does, their keys are separated by `;`: `name:key=value;key=value`.
//
// Values may always be, and with any of `,:=;"` or spaces at an end must be, in double quotes;
// inside quotes \" \\ \n \t are escapes. Text is UTF-8 without NUL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/catalogue.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

using SpecEntries = std::vector<std::pair<std::string, std::string>>;

struct SpecText {
  std::string name;
  SpecEntries entries;                 ///< key, value without quotes; of the first part
  std::vector<SpecEntries> further{};  ///< of the parts after each `;`
};

/// Reads a specification of at most 65536 bytes. `what` is how messages call it ("encoding").
/// Throws InputError, naming the byte offset, for anything else and for keys repeated in a part.
SpecText parse_spec_text(std::string_view text, std::string_view what);

/// The canonical form: quotes only where they are needed; parse_spec_text reads it back.
std::string write_spec_text(const SpecText& spec);
std::string quote_spec_value(std::string_view value);

/// `text` as it may stand on a terminal and on one line: control characters (C0, DEL, C1), line
/// separators, marks that reverse the order of letters, and bytes that are not UTF-8 as \\xNN.
std::string escaped(std::string_view text);

/// `escaped` in double quotes for a one-line message, long text cut.
std::string printable(std::string_view text);

/// The accepted name nearest to `given` in edits (insert, delete, replace, swap of neighbours), or
/// where none is within a third of its length the only one that begins with `given` (three
/// characters or more), or "".
std::string closest_name(std::string_view given, const std::vector<std::string>& accepted);

/// "WHAT: unknown NOUN "given"; did you mean x? accepted: x, y, z"
std::string unknown_name(std::string_view what, std::string_view noun, std::string_view given,
                         const std::vector<std::string>& accepted);

/// A specification checked against its catalogue entry: every key known, every required key there.
/// Messages of its errors begin "WHAT NAME: key".
class SpecReader {
 public:
  /// Throws InputError for unknown or missing keys. `entry` must outlive the reader.
  SpecReader(std::string_view what, SpecText spec, const NamedEntry& entry);

  /// The name of the catalogue entry, which outlives the reader.
  std::string_view name() const { return entry_->name; }
  /// Each part of a specification of several, checked in the same way; messages of the errors of
  /// the second begin "WHAT NAME part 2: key".
  std::vector<SpecReader> parts(std::string_view part) const;
  bool has(std::string_view key) const { return given(key) != nullptr; }
  /// Every key of the catalogue that has a value, given or by default, in the catalogue's order.
  std::vector<std::pair<std::string, std::string>> values() const;
  /// The value given, else the default of the catalogue.
  std::string text(std::string_view key) const;
  ExactDecimal decimal(std::string_view key) const;
  /// Which of the catalogue's words joined by '|' was given.
  std::size_t word(std::string_view key) const;
  /// An integer in decimal digits, from 0 to `largest`.
  std::uint64_t count(std::string_view key, std::uint64_t largest) const;
  /// Throws the InputError of a value out of the accepted range.
  [[noreturn]] void refuse(std::string_view key) const;
  /// "WHAT NAME: key", the name of a value in messages.
  std::string label(std::string_view key) const;

 private:
  const std::string* given(std::string_view key) const;
  const KeyEntry& described(std::string_view key) const;

  SpecReader(std::string context, SpecEntries entries, const NamedEntry& entry);

  std::string context_;
  SpecText spec_;
  const NamedEntry* entry_;
};

/// The names of a catalogue, in its order.
std::vector<std::string> names_of(const std::vector<NamedEntry>& catalogue);

}  // namespace tapalab
