// g(t) = E e^(i t x y) of one pair of independent coordinates in ball arithmetic: closed forms, and
// acb_calc_integrate along the real line with what is cut off bounded. Bounds: docs/theory/ball.md.
#pragma once

#include "proofs-check/ball.hpp"
#include "sim/density.hpp"
#include "sim/marginal.hpp"

namespace tapalab {

/// x = mean_q + scale_q X, y = mean_k + scale_k Y, X and Y independent with the laws q and k; t >=
/// 0, in the bits of t. An enclosure always; a wide one (|g| <= 1) where the integral does not
/// resolve: far out in an oscillation that only falls like a power (both means off 0, beside
/// laplace, singular, student-t, bump), or where g is far below 2^-bits.
ComplexBall product_pair_ball(const Marginal& q, const Marginal& k, const PairLaw& law,
                              const Ball& t);

}  // namespace tapalab
