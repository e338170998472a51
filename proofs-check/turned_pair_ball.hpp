// int f(x - u) e^(iTvx) F(Tx) dx in balls where F falls like a power and oscillation does not end:
// along rays on which e^(iTvx) falls. Proof: docs/theory/product.md, 4, and docs/theory/ball.md, 2.
#pragma once

#include "proofs-check/ball.hpp"
#include "sim/marginal.hpp"

namespace tapalab {

/// Whether turned_pair_ball applies: F laplace or singular, f laplace, singular or uniform, T v
/// > 4.
bool is_turned_pair(const Marginal& f, const Marginal& F, const Ball& v, const Ball& T);

/// u >= 0, T > 0. Not finite where a break of f cannot be told from 0.
ComplexBall turned_pair_ball(const Marginal& f, const Marginal& F, const Ball& u, const Ball& v,
                             const Ball& T);

}  // namespace tapalab
