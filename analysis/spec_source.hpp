// An encoding or density from named values of a file, matrices included.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace tapalab {

/// Text as on the command line, or numbers: a vector is a matrix of one row.
using SpecValue = std::variant<std::string, DecimalMatrix>;

struct SpecItem {
  std::string key;
  SpecValue value;
  std::string where;  ///< how messages call its place: "experiment.toml:7"
};

struct SpecSource {
  std::string name;
  std::vector<SpecItem> items;  ///< without `name`
  std::string where;
  std::vector<SpecSource> components{};  ///< of a mixture, which has no items of its own
};

/// A specification as on the command line, as named values.
SpecSource source_of(std::string_view text, std::string_view what, std::string where);

/// Relative paths among the values (of matrices, tensors and token files) are taken from
/// `directory`; where it is empty, from the working directory.
SpecSource located(SpecSource source, const std::string& directory);

/// Through parse_encoding, so that keys, ranges and messages are those of the command line; its
/// `spec` is the text that the command line would have had, less matrices given as numbers.
/// Throws InputError that begins with the place.
Encoding encoding_from(const SpecSource& source);
Density density_from(const SpecSource& source);

}  // namespace tapalab
