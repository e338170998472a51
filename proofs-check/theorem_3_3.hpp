// Theorem 3.3: the variance of TAPA stays above sigma_0^2/2 at large distances.
#pragma once

#include <string>
#include <vector>

#include "proofs-check/claim.hpp"
#include "sim/density.hpp"

namespace tapalab {

/// Covariance of (q_A, k_A), `amplitude_dim` coordinates each (even), in blocks of two:
/// q = (x, r x + sqrt(1-r^2) e), k = (u, -r u + sqrt(1-r^2) e'), all standard Gaussian. Unit
/// variances; Cov(q_0, q_1) = r and Cov(k_0, k_1) = -r in each block, query and key independent.
/// A block takes coordinates i and i + stride, i mod 2 stride < stride: neighbours (1), or
/// coordinates of two adjacent pairs (2). `amplitude_dim` is a multiple of 2 stride.
std::vector<std::vector<std::string>> opposed_blocks(std::size_t amplitude_dim,
                                                     const std::string& r, std::size_t stride = 1);

/// x = (q, k) with q = (q_A, q_P), phase coordinates independent standard Gaussians.
FullGaussianDensity with_independent_phases(
    const std::vector<std::vector<std::string>>& amplitude_covariance);

struct Theorem33Options {
  std::string r = "0.96";
  /// The limit of the variance is E a^2 times this. The right value is 1/2.
  std::string limit_factor = "0.5";
};

/// Statement: liminf Var TAPA >= sigma_0^2/2 under Assumption 2.1. Refuted by the opposed blocks:
/// sigma_0 = 1 and the variance tends to (1 - r^2)/2. The correction, Var -> E a^2/2, is proved in
/// docs/theory/theorem-3.3.md.
ClaimResult check_theorem_3_3(const ClaimContext& context, const Theorem33Options& options = {});

}  // namespace tapalab
