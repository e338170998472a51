// What Theorems 2.1 and 2.2 say of the RoPE of a model's configuration.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "analysis/inspect_config.hpp"

namespace tapalab {

/// Theorem 2.1's hypothesis: are the frequencies of the rotated pairs independent over the
/// rationals? Rational multiples change nothing, so that linear, YaRN with whole ends of its ramp
/// and LongRoPE are as independent as the frequencies that they began with.
struct IndependenceReport {
  std::uint64_t frequencies = 0;
  /// How many of them are independent; unset where that is not decided.
  std::optional<std::uint64_t> rank;
  std::string undecided;  ///< why not, one clause

  bool independent() const { return rank == frequencies; }
};
IndependenceReport rope_independence(const RopeReport& report);

/// Theorem 2.2 at this base and rotary dimension with unscaled frequencies in radians, mu_0 = 1 and
/// nu_0 = 0: the gap C_D(near) - C_D(far), which it says is above 1/8. near is the weakest of its
/// near distances, far the first integer above the base; all are unset where no integer lies in
/// (1, base^(1/4)/8), and `undecided` says so.
struct GapReport {
  std::optional<std::uint64_t> near, far;
  std::optional<double> gap;    ///< by ball arithmetic, to 1e-15
  std::optional<double> limit;  ///< as the dimension grows
  std::string undecided;
};
GapReport rope_gap_report(const RopeReport& report);

/// {"rational_independence": {"frequencies", "rank", "independent", "undecided"}, "near_far_gap":
/// {"near", "far", "gap", "limit", "bound": 0.125, "undecided"}}; what is unset is null.
nlohmann::ordered_json theory_json(const RopeReport& report);

/// The same as one or two lines of text.
std::string theory_text(const RopeReport& report);

}  // namespace tapalab
