// The exact condition behind the printed bound of theorem 3.3, on real activations.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proofs-check/claim.hpp"
#include "sim/density.hpp"

namespace tapalab {

/// Over all pairs of the table's tokens: a = q_A.k_A/sqrt(dA) with the first dA coordinates.
struct AmplitudeMoments {
  double square = 0;        ///< E a^2
  double sigma_square = 0;  ///< average of E (q_i k_i)^2 over the dA coordinates
  /// (1/dA) sum over i != j of E q_i k_i q_j k_j: liminf Var >= sigma^2/2 exactly where >= 0.
  double cross_terms() const { return square - sigma_square; }
};
/// From the second moments of queries and of keys: E q_i k_i q_j k_j = E q_i q_j E k_i k_j over all
/// pairs of tokens. Relative rounding error below 1e-12 of the terms' magnitudes.
AmplitudeMoments amplitude_moments(const TokenTable& table, std::size_t amplitude_dim);

/// Adds rows for the examined head and returns sentences on all heads of the file.
std::string check_variance_on_activations(const ClaimContext& context, std::vector<Evidence>& rows);

}  // namespace tapalab
