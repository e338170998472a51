// What the spread of distances alone does to RoPE's histogram of Figure 1:
// docs/theory/figure-1-consistency.md.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/histogram.hpp"
#include "proofs-check/claim.hpp"
#include "proofs-check/rope_sums.hpp"

namespace tapalab {

/// Mean and covariance of (C_D(near) - C_D(far), S_D(near) - S_D(far)) over a near and a far
/// distance, drawn independently and uniformly over the integers of their ranges.
struct GapMoments {
  Ball mean_cosine, mean_sine;
  Ball var_cosine, var_sine, covariance;
};
GapMoments gap_moments_ball(const RopeSetting& setting, const DistanceRange& near,
                            const DistanceRange& far);

/// The least sd/mean that the spread of distances leaves, under Assumption 2.1: with nu_0 = 0, and
/// over every nu_0/mu_0.
struct SpreadBound {
  Ball without_sine;
  Ball over_all;
};
SpreadBound spread_bound(const GapMoments& moments);

struct Figure1Options {
  std::string mean = "4.1", deviation = "0.85";  ///< as printed
};

ClaimResult check_figure_1_consistency(const ClaimContext& context,
                                       const Figure1Options& options = {});

}  // namespace tapalab
