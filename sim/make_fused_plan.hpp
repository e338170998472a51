// From the exact numbers of a score and a Gaussian to the plan of the fused kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/density.hpp"
#include "sim/fused_plan.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// Nothing where the fused kernels do not know the score or the density: they take split scores
/// (tapa, tapa-linear) whose parts are multiples of four coordinates wide, and rotary scores that
/// rotate every one of D coordinates, 8 | D, under Gaussians whose coordinates depend on each other
/// within pairs (q_i, k_i) alone, with one law for each part. head_dim is at most 1024.
std::optional<FusedPlan> make_fused_plan(const ScoreModel& score, const GaussianModel& density,
                                         const std::vector<std::uint64_t>& distances,
                                         std::uint64_t seed);

}  // namespace tapalab
