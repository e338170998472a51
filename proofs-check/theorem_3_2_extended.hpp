// Theorem 3.2 beyond single distances and Gaussians: its bound over whole ranges of scale, control
// densities, shifted phases, and general matrices. Proofs: docs/theory/theorem-3.2.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proofs-check/ball.hpp"
#include "proofs-check/claim.hpp"
#include "sim/density.hpp"
#include "sim/marginal.hpp"

namespace tapalab {

/// envelope < l^-dP ||w^||_1 at every real scale s in [low, high], for centred Gaussian phase pairs
/// of unit variance and correlation rho. Per pair that is |g(t)| t sqrt(1 - rho^2) < 1, t = 2 pi
/// s/sqrt(dP), which is enclosed over intervals of t that are halved until each is decided.
struct RangeCertificate {
  bool holds = false;
  std::size_t intervals = 0;  ///< decided
  Ball worst;                 ///< upper end of the largest enclosure of |g(t)| t sqrt(1 - rho^2)
};
RangeCertificate certify_bound_over_scales(const PairLaw& phase, std::uint32_t phase_dim,
                                           const Ball& low, const Ball& high);

/// (1/2 pi) integral |F(w)| dw of a law at unit variance: ||w^||_1 = |E a| (I_q I_k)^dP for
/// independent coordinates. f(0) where F >= 0; 4 sqrt(3) e^(-1/2)/(2 pi) for hermite2. Throws
/// InputError for a law whose F is not integrable, or has no formula here (bump).
double transform_norm(const Marginal& law);

/// Phi_1 of q^T M k cos(2 pi s q^T N k) with diagonal M and N under standard Gaussian pairs of
/// correlation rho: prod_j g(n_j t) sum_i M_i (rho + i n_i t (1 - rho^2))/Delta(n_i t),
/// g = Delta^(-1/2), Delta(t) = (1 - i t rho)^2 + t^2.
ComplexBall diagonal_transform_ball(const std::vector<std::string>& M,
                                    const std::vector<std::string>& N, const std::string& rho,
                                    const Ball& t);

/// Means and scales of the phase: the same constant, and what the shift leaves of the value.
void check_shifted_phases(const ClaimContext& context, std::vector<Evidence>& rows);
void check_bound_over_ranges(std::vector<Evidence>& rows);
void check_control_densities(std::vector<Evidence>& rows);
void check_general_matrices(std::vector<Evidence>& rows);

}  // namespace tapalab
