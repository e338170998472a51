// The decay of |Phi_1| under joint Gaussians: one pair of coordinates, and any quadratic score.
#pragma once

#include <cstdint>

#include "analysis/asymptote.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// E e^(i tau x y) for x, y with means u, v, unit variance and correlation r (theory/fits.md, 2):
/// Delta^(-1/2) exp{[i tau u v + tau^2 r u v - tau^2 (u^2 + v^2)/2]/Delta},
/// Delta = (1 - i tau r)^2 + tau^2.
struct GaussianPair {
  double u = 0, v = 0, r = 0;
  /// ln of its modulus, and the derivative of that by ln tau.
  Rounded log_modulus(double tau) const;
  Rounded exponent(double tau) const;
};

/// Fills log_envelope, exponent_in_scale and the asymptote in s of a score a cos(2 pi s phi) with
/// quadratic a and phi under a joint Gaussian, by diagonalising the phase (theory/fits.md, 4).
/// Double precision; the rank of the phase is numerical, and where an eigenvalue or a leading
/// coefficient is neither clearly zero nor clearly not, the asymptote is not predicted.
void fill_quadratic_decay(DecayLaw& law, const PhaseScore& score, const GaussianModel& density);

}  // namespace tapalab
