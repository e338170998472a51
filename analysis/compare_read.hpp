// What stands in a result of this program, as a flat list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/log_number.hpp"

namespace tapalab {

/// A number with its error, or a verdict, and where it stands.
struct ReadQuantity {
  std::string series;    ///< encoding, density and head dimension, as they were given
  std::string identity;  ///< the same by parameters: equal for equal experiments
  std::string quantity;  ///< its name in the file: "mean", "overall.exponent"
  std::string at;        ///< "distance 1000"; empty where there is one of a kind
  std::string text;      ///< the number as it is written, or the verdict
  std::string status;    ///< of its point: "converged", "unresolved"; empty where none is given
  std::string kind;      ///< of the error: "rounding", "confidence", ...
  LogNumber estimate, lower, upper;
  std::optional<double> level;  ///< set for an interval of confidence
  bool verdict = false;         ///< `text` alone counts
};

struct ReadResult {
  std::string schema;
  /// The sequence length of a curve's experiment where an encoding may depend on it; else empty.
  std::string seq_len;
  std::string command;  ///< the arguments of the run, quoted for a shell; empty where unknown
  std::string origin;   ///< version, commit and date of the run; empty where unknown
  std::vector<ReadQuantity> quantities;
};

/// The schema that a result in JSON names, such as "tapalab/verify/1". Throws InputError for what
/// is not JSON with a schema.
std::string result_schema(const std::string& text, const std::string& name);

/// Reads any result in JSON: every object with an estimate (`decimal`, else `value`) and an `error`
/// with its ends is a quantity; undefined ones (null) are left out. `name` begins messages. Throws
/// InputError for what is not JSON of this program or holds an interval without its estimate
/// inside.
ReadResult read_result(const std::string& text, const std::string& name);

}  // namespace tapalab
