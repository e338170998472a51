// Theorem 2.3, the gap vanishes as the base grows, and its exact rate (base-scaling):
// docs/theory/theorem-2.3.md.
#pragma once

#include <cstdint>
#include <string>

#include "proofs-check/claim.hpp"
#include "proofs-check/rope_sums.hpp"

namespace tapalab {

/// 2 ln b times the limit, as D -> infinity, of C_D(near) - C_D(far) and of S_D(near) - S_D(far),
/// for every b in e^log_base. By the mean-value form in ln b, whose derivative is
/// cos(w near/b) - cos(w far/b) (sin for S): tight also for wide balls.
RopeSums gap_numerators(AngleUnit angle, std::uint64_t near, std::uint64_t far,
                        const Ball& log_base);

/// The same limits lie within these, for 1 <= near < far (docs/theory/theorem-2.3.md):
///   cosine in ln(far/near) + [-c, c'],  |sine| <= s.
struct GapRate {
  Ball leading;       ///< ln(far/near)
  Ball cosine_below;  ///< c
  Ball cosine_above;  ///< c'
  Ball sine;          ///< s
};
/// `ratio` encloses w far/b.
GapRate gap_rate(AngleUnit angle, std::uint64_t near, std::uint64_t far, const Ball& ratio);

/// How far C_D(l) and S_D(l) may be from their limits: V/D with V a bound on the total variation,
/// 4 l in turns and l in radians.
Ball riemann_bound(AngleUnit angle, std::uint32_t head_dim, std::uint64_t distance, slong bits);

struct BaseScalingOptions {
  std::string logarithms = "2";  ///< the 2 of |mu_0| ln(far/near)/(2 ln b)
  std::string riemann = "1";     ///< factor on riemann_bound
};

ClaimResult check_theorem_2_3(const ClaimContext& context, const BaseScalingOptions& options = {});
ClaimResult check_base_scaling(const ClaimContext& context, const BaseScalingOptions& options = {});

}  // namespace tapalab
