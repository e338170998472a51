// The values that options and experiment files share. `name` is what an error message calls the
// value: "--samples", or "experiment.toml:7: samples".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/distance_curve.hpp"

namespace tapalab {

/// A whole number from `least` to `most`, written 1000000, 1e9, 1.5e3, 2^30 or 2^30-1.
/// Throws InputError.
std::uint64_t parse_count(std::string_view text, std::string_view name, std::uint64_t least,
                          std::uint64_t most);

/// 1 to 65536. Throws InputError.
std::uint32_t parse_head_dim(std::string_view text, std::string_view name);
/// 1 to 2^63. Throws InputError.
std::uint64_t parse_seq_len(std::string_view text, std::string_view name);
/// 2 (a variance needs two) to 2^62. Throws InputError.
std::uint64_t parse_samples(std::string_view text, std::string_view name);
/// 0 to 2^64-1. Throws InputError.
std::uint64_t parse_seed(std::string_view text, std::string_view name);

/// Strictly between 0 and 1. Throws InputError.
double parse_confidence(std::string_view text, std::string_view name);

/// A positive number. Throws InputError.
double parse_tolerance(std::string_view text, std::string_view name);

/// "auto", "exact", "mc", ... Throws InputError.
Engine parse_engine(std::string_view text, std::string_view name);

/// One curve for each value of a key.
struct Sweep {
  std::string spec;  ///< as given
  std::string key;
  std::vector<std::string> values;  ///< decimal text, at least one
};

/// Reads KEY=lin:LO:HI:N or KEY=log:LO:HI:N. The ends are taken as written; values between them
/// are rounded to 17 significant digits, so that lin:0.1:0.5:5 gives 0.2, not its neighbour.
/// N from 1 to 10000; LO and HI positive for log. Throws InputError.
Sweep parse_sweep(std::string_view spec, std::string_view name);

}  // namespace tapalab
