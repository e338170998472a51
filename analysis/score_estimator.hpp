// The estimators that draw scores: plain, antithetic and qmc.
#pragma once

#include <optional>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "sim/monte_carlo.hpp"

namespace tapalab {

/// How the samples of such an estimator lie to each other.
Arrangement arrangement_of(Estimator estimator);

/// Fewest samples of a run: two, and one block of samples for each replica of qmc.
std::uint64_t fewest_samples(Estimator estimator);

/// Throws InputError where this estimator does not apply: pairs of a file have no mirror image and
/// no coordinates, and qmc has a least and a largest number of samples.
void check_score_estimator(const CurveTask& task, Estimator estimator);

/// For mc: plain, what was asked for, or for `automatic` the one of plain, antithetic and qmc whose
/// variance of the mean times cost is least in a pilot run of 16384 samples at up to four
/// distances (the worst of them counts), from a seed of its own. plain stays unless another is
/// clearly better.
EstimatorChoice choose_score_estimator(const CurveTask& task);

/// Up to four of the distances, the first and the last among them.
inline constexpr std::size_t kPilotDistances = 4;
std::vector<std::uint64_t> pilot_distances(const std::vector<std::uint64_t>& all);

/// What an estimator knows at one distance, from units that are independent and alike: samples,
/// averages over pairs, or means of replicas.
struct ScoreUnits {
  ScoreMoments moments;
  /// Averages of (score - center)^2 over a unit; unset for plain, whose units are scores.
  std::optional<CompanionMoments> squares{};
  double center = 0;
};

/// Of distance `index` among `distances`, from the total of a run.
ScoreUnits score_units(const CurveMoments& total, Estimator estimator, std::size_t index,
                       std::size_t distances);

/// The variance of a score and its interval.
double variance_estimate(const ScoreUnits& units);
Interval variance_interval(const ScoreUnits& units, double confidence);

}  // namespace tapalab
