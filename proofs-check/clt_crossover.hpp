// Where the mean of TAPA looks like that of a normal phase.
#pragma once

#include "proofs-check/ball.hpp"
#include "proofs-check/claim.hpp"

namespace tapalab {

/// ln [(1 + t^2)^(-dP/2)/e^(-dP t^2/2)], t = 2 pi s/sqrt(dP): by how much the mean of independent
/// standard Gaussian phases exceeds that of a normal phase of the same variance.
Ball normal_phase_excess(const Ball& s, std::uint32_t phase_dim);

/// s at which that is about 1: dP kappa t^4/24 = 1 with the fourth cumulant kappa = 6 of a product
/// of two standard Gaussians, s = dP^(1/4)/(sqrt(2) pi).
Ball value_crossover(std::uint32_t phase_dim, slong bits);

/// Statement: the mean is about E a exp(-2 pi^2 s^2) only while s << sqrt(dP)/(2 pi). That holds
/// for the exponent; for the value it takes s << dP^(1/4). Proof: docs/theory/clt-crossover.md.
ClaimResult check_clt_crossover(const ClaimContext& context);

}  // namespace tapalab
