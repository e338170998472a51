// Samples as rows of evidence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/quantity.hpp"
#include "proofs-check/claim.hpp"
#include "sim/moments.hpp"

namespace tapalab {

/// Each sampled row misses with this probability: all rows of all claims together with less than
/// 1e-3, whatever the seed.
inline constexpr double kMiss = 1e-6;

/// Mean of independent values with Student's interval at 1 - kMiss.
Quantity sampled_mean(const Moments& moments);
Quantity sampled_mean(const std::vector<double>& values);
/// Their variance with its fourth-moment interval at 1 - kMiss.
Quantity sampled_variance(const Moments& moments);

/// quick, normal or full, by the effort of the run.
std::uint64_t sample_count(const ClaimContext& context, std::uint64_t quick, std::uint64_t normal,
                           std::uint64_t full);

/// Massart's bound (Ann. Probab. 18 (1990)): the empirical distribution function of n independent
/// values is farther than this from the true one with probability at most kMiss. Any n.
double massart_bound(std::uint64_t n);

/// The task with the context's seed and threads, drawn by mc or, where the context has a device, by
/// gpu.
CurveTask sampled_task(CurveTask task, const ClaimContext& context);
/// "mc" or "gpu", likewise.
std::string sampling_engine(const ClaimContext& context);

/// "400000 samples".
std::string samples_text(std::uint64_t count);

}  // namespace tapalab
