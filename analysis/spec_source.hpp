// An encoding or density from named values of a file, matrices included.
#pragma once

#include <string>
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
};

/// Through parse_encoding, so that keys, ranges and messages are those of the command line; its
/// `spec` is the text that the command line would have had, less matrices given as numbers.
/// Throws InputError that begins with the place.
Encoding encoding_from(const SpecSource& source);
Density density_from(const SpecSource& source);

}  // namespace tapalab
