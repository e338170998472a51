// The exact range of RoPE's mean over all distances, also for dependent frequencies:
// docs/theory/theorem-2.1.md.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs-check/ball.hpp"
#include "proofs-check/rope_gap.hpp"
#include "proofs-check/rope_independence.hpp"

namespace tapalab {

/// The least value of Q(u) = sum_k cos(2 pi c_k u - psi), psi in turns.
/// Over all u in [0, 1): enclosed to `tolerance`, with a place where it is reached.
struct LeastSum {
  Ball value;
  double at = 0;  ///< turns
};
LeastSum least_cosine_sum(const std::vector<std::uint64_t>& coefficients, const Ball& psi_turns,
                          double tolerance);
/// Over u = k/grid only, k = 0 .. grid - 1; `at` is the k reached.
LeastSum least_cosine_sum_on_grid(const std::vector<std::uint64_t>& coefficients,
                                  std::uint64_t grid, const Ball& psi_turns);

/// Infimum and supremum over all integer distances of 2/(sqrt(D) r) E RoPE = 2/D sum_d cos(angle_d
/// - psi), mu_0 = r cos psi, nu_0 = r sin psi.
struct MeanRange {
  Ball infimum, supremum;
};
MeanRange rope_mean_range(const RopeSetting& setting, const RadicalBase& base,
                          const Ball& psi_turns, double tolerance = 1e-9);

}  // namespace tapalab
