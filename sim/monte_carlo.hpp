// Plain Monte Carlo: one draw of x = (q, k) serves all distances.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/density.hpp"
#include "sim/moments.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

struct MonteCarloRequest {
  std::uint64_t samples = 1'000'000;  ///< at least 2
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: one per hardware thread; never changes a bit of the result
  /// Called now and then from one thread with the samples done so far; may be empty.
  std::function<void(std::uint64_t done)> progress;
};

/// Moments of the score at each distance, in the order of `distances`. Sample i of seed s is the
/// same pair (q, k) at every distance and for every number of threads; blocks of samples are
/// merged in one fixed order, so equal requests give equal bits. Memory is O(distances).
std::vector<Moments> sample_scores(const ScoreModel& score, const GaussianModel& density,
                                   const std::vector<std::uint64_t>& distances,
                                   const MonteCarloRequest& request);

/// The same over token pairs of a file, drawn with replacement under the density's pair rule.
/// For `at_distance` each distance has its own draws, and distances of at least the number of
/// tokens have no pair: their moments have count 0.
std::vector<Moments> sample_scores(const ScoreModel& score, const EmpiricalDensity& density,
                                   const std::vector<std::uint64_t>& distances,
                                   const MonteCarloRequest& request);

}  // namespace tapalab
