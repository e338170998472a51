// The gap of Theorem 2.2 on one pair of distances, in two independent ways, and a scan for the
// distances that break it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proofs-check/ball.hpp"
#include "sim/encoding.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

struct RopeSetting {
  std::string base;  ///< decimal, > 1
  std::uint32_t head_dim = 128;
  AngleUnit angle = AngleUnit::turns;
};
/// "turns" or "radians".
std::string to_string(AngleUnit angle);
/// "b = 500000, D = 64, turns".
std::string describe(const RopeSetting& setting);

/// C_D(distance) = 1/D sum_{d < D/2} cos(angle_d), in [-1/2, 1/2] (Appendix C). The gap of
/// Theorem 2.2 with mu_0 = 1, nu_0 = 0 is C_D(near) - C_D(far).
/// Ball: the frequencies base^(-2d/D) and the sum, from the definition; `bits` beyond those that
/// the distance itself needs.
Ball rope_cosine_mean_ball(const RopeSetting& setting, std::uint64_t distance, slong bits = 128);

/// The same through the exact engine: E RoPE/sqrt(D) for a Gaussian with correlation 1/2 on every
/// coordinate, for which mu_d = 1 and nu_d = 0 (eq. 2, 3). `error` bounds its rounding.
struct EngineValue {
  Wide value;
  Wide error;
};
EngineValue rope_cosine_mean_exact(const RopeSetting& setting, std::uint64_t distance);

/// The limit of C_D(distance) as D -> infinity with the distance fixed:
/// [Ci(w l) - Ci(w l/b)]/(2 ln b), w = 2 pi for turns and 1 for radians.
Ball rope_cosine_limit(const RopeSetting& setting, std::uint64_t distance, slong bits = 128);
/// The same for S_D, with Si.
Ball rope_sine_limit(const RopeSetting& setting, std::uint64_t distance, slong bits = 128);

struct GapScan {
  RopeSetting setting;
  std::uint64_t near_distance = 2;
  std::string bound = "0.125";  ///< what the gap must exceed
  std::uint64_t first = 0;      ///< scanned: first <= distance <= last
  std::uint64_t last = 0;
  unsigned threads = 0;  ///< 0: one per hardware thread; the result does not depend on it
};

/// The smallest distance in [first, last] whose gap to `near_distance` is certainly below the bound
/// (decided by ball), or none. Exhaustive: a distance is passed over only where an upper bound of
/// C_D, with all rounding of the float32 filter accounted for, rules it out.
/// last < 2^40. Throws InputError for an empty or larger range.
std::optional<std::uint64_t> smallest_gap_violation(const GapScan& scan);

}  // namespace tapalab
