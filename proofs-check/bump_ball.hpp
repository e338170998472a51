// The law bump, e^(-1/(1-x^2)) on (-1, 1), in ball arithmetic: its integrals.
#pragma once

#include "proofs-check/ball.hpp"

namespace tapalab {

/// int e^(-1/(1-x^2)) dx = e^(-1/2) (K_1(1/2) - K_0(1/2)).
Ball bump_norm_ball(slong bits);
/// Half of the support's width at unit variance.
Ball bump_width_ball(slong bits);
/// The characteristic function before scaling, at y >= 0 (docs/theory/product.md, 6).
Ball bump_characteristic_ball(const Ball& y);

/// Order and argument positive.
Ball bessel_k_ball(const Ball& order, const Ball& x);

}  // namespace tapalab
