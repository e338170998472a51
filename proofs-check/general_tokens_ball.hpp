// tapa-general over the pairs of a file's tokens, with or without a bandwidth, in balls. The
// formulas are proved in docs/theory/ball.md, 4; no other engine computes them.
#pragma once

#include "proofs-check/ball_curve.hpp"

namespace tapalab {

/// phi = q^T N k, a = q^T M k (eq. 9, 10) around every pair that the density's rule makes.
/// O(tokens D^2 + pairs D) multiplications of balls and, for a bandwidth, O(D^3) a distance. `t` is
/// 2 pi s. Throws InputError as token_balls does.
PointBalls general_token_balls(const CurveTask& task, std::uint64_t distance, const Ball& t);

}  // namespace tapalab
