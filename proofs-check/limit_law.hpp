// Limit law of a TAPA score at large distances.
#pragma once

#include "proofs-check/ball.hpp"
#include "proofs-check/claim.hpp"

namespace tapalab {

/// Density of a cos(2 pi U), a ~ N(0, v), U uniform: e^-w K_0(w)/(sqrt(2 v) pi^(3/2)), w = y^2/4v.
/// y not 0 (there it has a logarithmic pole), v > 0.
double limit_density(double y, double v);
/// Its distribution function, absolute error below 1e-9; any y.
double limit_distribution(double y, double v);
Ball limit_density_ball(const Ball& y, const Ball& v);
/// The same density from its definition, the integral of the normal density of y/cos over the
/// angle, with cos = 1/cosh x: (2/pi) int_0^inf e^(-y^2 cosh^2 x/2v)/sqrt(2 pi v) dx.
Ball limit_density_integral(const Ball& y, const Ball& v);

/// E I_0(a) of a = q_A.k_A/sqrt(dA), independent standard Gaussians, dA >= 2:
/// 2F1(dA/2, 1/2; 1; 1/dA), the average of E e^(a cos) = (1 - cos^2/dA)^(-dA/2) over the angle.
Ball limit_exponential_ball(std::uint32_t amplitude_dim, slong bits);

/// Statement: the score tends in law to a cos(2 pi U) where E e^(it phi) -> 0, with the density
/// above for Gaussian a, and E e^score -> E I_0(a) where E e^|a| is finite. Proof:
/// docs/theory/limit-law.md.
ClaimResult check_limit_law(const ClaimContext& context);

}  // namespace tapalab
