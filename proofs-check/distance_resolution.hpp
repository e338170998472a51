// How far the scores of one token at two distances hang together.
#pragma once

#include <string>

#include "proofs-check/ball.hpp"
#include "proofs-check/claim.hpp"

namespace tapalab {

/// Independent standard Gaussian coordinates, scales s1 and s2: exact at any distance,
///   corr = [F(s1 - s2) + F(s1 + s2)]/sqrt((1 + F(2 s1))(1 + F(2 s2))),
/// F(s) = (1 + 4 pi^2 s^2/dP)^(-dP/2) = E cos(2 pi s phi).
Ball score_correlation_ball(const Ball& s1, const Ball& s2, std::uint32_t phase_dim);
/// E score1 score2, for E a^2 = 1: [F(s1 - s2) + F(s1 + s2)]/2.
Ball score_product_ball(const Ball& s1, const Ball& s2, std::uint32_t phase_dim);
/// The limit F(s1 - s2), for s1 and s2 -> infinity with a fixed difference.
Ball score_correlation_limit(const Ball& difference, std::uint32_t phase_dim);

/// Statement: corr -> (1 + 4 pi^2 (s1 - s2)^2/dP)^(-dP/2). Proof:
/// docs/theory/distance-resolution.md.
ClaimResult check_distance_resolution(const ClaimContext& context);

}  // namespace tapalab
