// Names that a specification may start with and the keys that may follow: one table serves the
// parser, its error messages and `tapalab list`.
#pragma once

#include <string>
#include <vector>

namespace tapalab {

struct KeyEntry {
  std::string name;
  std::string default_value;  ///< empty: no default
  std::string accepted;       ///< the range, or the words joined by '|'
  std::string meaning;
  bool required = false;
  /// May also be written a.NAME and p.NAME: amplitude or phase coordinates only.
  bool prefixable = false;
};

/// A key that others of its kind have and this one refuses, with the reason.
struct AbsentKey {
  std::string name;
  std::string reason;
};

struct NamedEntry {
  std::string name;
  std::string meaning;  ///< one line
  std::vector<KeyEntry> keys;
  std::vector<AbsentKey> absent{};  ///< also refused with a prefix
  bool repeated = false;            ///< may have several parts, separated by ';'
};

}  // namespace tapalab
