// How sensitive a quadratic and a linear phase are to small changes of the representation.
#pragma once

#include "proofs-check/ball.hpp"
#include "proofs-check/claim.hpp"

namespace tapalab {

/// Independent centred Gaussian coordinates of standard deviation `spread`; phases q.k/sqrt(dP)
/// (quadratic, eq. 12) and sum (q + k)/sqrt(dP) (linear, eq. 16); amplitude q.k/sqrt(dA).
enum class PhaseForm { quadratic, linear };

/// E |grad score|^2 at scale s, exactly:
///   spread^2 (1 + F) + 4 pi^2 s^2 spread^4 (G - H)/2,
/// F = E cos(4 pi s phi), G = E |grad phi|^2, H = E |grad phi|^2 cos(4 pi s phi).
Ball gradient_square_ball(PhaseForm form, const Ball& s, const Ball& spread,
                          std::uint32_t phase_dim);
/// Its limit: spread^2 + 2 pi^2 s^2 spread^4 G; G = 2 spread^2 (quadratic), 2 (linear).
Ball gradient_square_limit(PhaseForm form, const Ball& s, const Ball& spread);

/// lim E score(x) score(x + noise)/E score(x)^2 for independent noise of standard deviation `noise`
/// on every coordinate: E e^(2 pi i s (phi(x + noise) - phi(x))), c = 4 pi^2 s^2 noise^2,
///   quadratic: ((1 + c spread^2/dP)^2 + noise^2 c/dP)^(-dP/2),   linear: e^-c.
Ball noise_correlation_ball(PhaseForm form, const Ball& s, const Ball& spread, const Ball& noise,
                            std::uint32_t phase_dim);

/// P(|grad phi|^2 <= share 2 spread^2) of the quadratic phase: how many tokens are near its
/// critical point x_P = 0. |x_P|^2/spread^2 is chi-square with 2 dP degrees of freedom.
Ball near_critical_share(const Ball& share, std::uint32_t phase_dim);

/// Statement: a quadratic phase has one non-degenerate critical point and is less sensitive to
/// small changes of the representation than a linear phase. The first half holds; the second for
/// representations of scale below 1. Proof: docs/theory/stationary-phase.md.
ClaimResult check_stationary_phase(const ClaimContext& context);

}  // namespace tapalab
