// Densities with one scale for all coordinates (student-t-joint, quartic) in balls: the integral
// over the scale by the trapezoidal rule, whose discretization and ends are bounded in advance.
// Proofs: docs/theory/ball.md, 3.
#pragma once

#include <optional>

#include "proofs-check/ball_curve.hpp"

namespace tapalab {

/// E R^4 - 1 where R^2 is the scale: 2/(nu - 4), empty for nu <= 4; b^4/(8 (D + 1)) - 1 for
/// quartic.
std::optional<Ball> scale_spread_ball(const RadialDensity& density, std::uint32_t head_dim,
                                      slong bits);

/// Every phase encoding. Where nu <= 4 there is no variance: `has_variance` is false.
/// Throws InputError where more than 2^20 nodes would be needed (nu beside 2, or beside 4).
PointBalls radial_balls(const CurveTask& task, std::uint64_t distance, slong bits);

}  // namespace tapalab
