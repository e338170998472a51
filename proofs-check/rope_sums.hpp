// The sums of Appendix C over boxes of (b, l): C_D(l) = 1/D sum_{d < D/2} cos(w l f_d) and S_D(l)
// likewise with sin (eq. 24), f_d = b^(-2d/D), w = 2 pi for turns (the paper's eq. 3) and 1 for
// radians; and their limits as D -> infinity.
#pragma once

#include <cstdint>
#include <string>

#include "proofs-check/ball.hpp"
#include "proofs-check/rope_gap.hpp"
#include "sim/encoding.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// w: 2 pi for turns, 1 for radians.
Ball angular_unit(AngleUnit angle, slong bits);

/// A box of real bases and real distances: both in logarithms, where the sums vary evenly.
struct RopeBox {
  double log_base_low = 0, log_base_high = 0;          ///< ln b > 0
  double log_distance_low = 0, log_distance_high = 0;  ///< ln l
};

/// Enclosures that hold for every (b, l) that the arguments contain.
struct RopeSums {
  Ball cosine;
  Ball sine;
};

/// Numbers between two doubles, as a ball of `bits` bits.
Ball between(double low, double high, slong bits);

/// C_D and S_D for every base in e^log_base and distance in e^log_distance, from the definition.
/// The enclosure is about as wide as the range of the slow terms plus the number of terms that
/// turn more than once within the box, over D.
RopeSums rope_sums(AngleUnit angle, std::uint32_t head_dim, const Ball& log_base,
                   const Ball& log_distance);

/// 2 ln b times the limits of C_D and S_D as D -> infinity with (b, l) fixed:
/// Ci(w l) - Ci(w l/b) and Si(w l) - Si(w l/b).
RopeSums rope_limit_numerators(AngleUnit angle, const Ball& log_base, const Ball& log_distance);

/// Ci and Si on a wide ball of positive numbers by the mean-value form: |Ci'|, |Si'| <= 1/x and
/// |Si'| <= 1.
Ball cosine_integral_range(const Ball& x);
Ball sine_integral_range(const Ball& x);

/// S_D at one distance, as `rope_cosine_mean_ball` gives C_D; base and distance are decimals of any
/// length.
RopeSums rope_sums_at(const RopeSetting& setting, const std::string& distance, slong bits = 128);

/// The same sums term by term in 192-bit arithmetic that shares nothing with Arb. Rounding error
/// below 1e-30 for distances below 2^63.
struct WideSums {
  Wide cosine;
  Wide sine;
};
WideSums rope_sums_wide(AngleUnit angle, std::uint32_t head_dim, const Wide& base,
                        const Wide& distance);

}  // namespace tapalab
