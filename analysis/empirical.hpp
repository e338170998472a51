// The empirical engine: exact sums over the token pairs of a file. `empirical_curve` is declared in
// analysis/experiment.hpp; here stand what it computes, what it costs and the parts of it.
//
// Pair rules are those of analysis/empirical_pairs.hpp. The estimate is the average over the
// file's pairs; its error is a block-bootstrap interval at sampling.confidence, seeded by
// sampling.seed (analysis/empirical_bootstrap.hpp), about the process that the tokens are a sample
// of. Rounding is bounded and added to the interval.
//
// Rotary scores (eq. 2, 3): mean = scale sum_d (mu_d cos + nu_d sin), mu_d = E A_d, nu_d = E B_d,
// and E score^2 from the second moments of queries and keys, block by block. Cost per distance:
// O(blocks D^2 + blocks^2 D^2), whatever the number of tokens; for causal pairs also
// tokens^2 D / 64, for listed pairs O(tokens D).
// Phase scores (eq. 9, 10, 12, 16): a cos(2 pi s phi) for every pair at every distance. Cost:
// pairs x distances cosines, about 10 ns each on one core, and pairs x D products.
#pragma once

#include <cstdint>

#include "analysis/experiment.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// Cosines, or products for rotary scores, that the empirical engine would compute; infinite where
/// it would keep more than 4 GB. 0 where the density is not empirical.
double empirical_cost(const CurveTask& task);

/// The largest cost that `empirical_curve` accepts: some ten minutes on two cores. Beyond it, it
/// throws InputError; plain Monte Carlo over the pairs serves there.
inline constexpr double kMostEmpiricalCost = 2e11;

namespace empirical {

/// Points in the order of task.distances. At a distance with fewer than two pairs no quantity is
/// set.
std::vector<CurvePoint> rotary_points(const CurveTask& task, const RotaryScore& score,
                                      const TokenTable& table, PairRule rule);
std::vector<CurvePoint> phase_points(const CurveTask& task, const PhaseScore& score,
                                     const TokenTable& table, PairRule rule);

/// Distances computed together: bounds the memory of a curve.
inline constexpr std::size_t kDistancesTogether = 128;

/// Number of threads for OpenMP: task.sampling.threads, or all.
int worker_count(const CurveTask& task);

/// Sets sign_resolved (the interval does not contain 0), relates the errors to the envelope where
/// that is beyond its own noise, and sets the status: target_not_met where the mean's interval is
/// wider than sampling.rel_tol or abs_tol ask, else unresolved where it contains 0. Throws
/// InputError where a number is not finite, because the file's numbers are too large.
void finish_point(const CurveTask& task, CurvePoint& point);

}  // namespace empirical
}  // namespace tapalab
