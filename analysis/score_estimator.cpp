#include "analysis/score_estimator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/sampling_run.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kPilotScores = kSobolReplicas * kBlockSamples;
// Below this a gain is within what 16 replicas show by chance.
constexpr double kClearGain = 1.5;

// Mirror images and Sobol points are those of Gaussians and of independent coordinates.
bool arranges(const DensityLaw& law) {
  return !std::holds_alternative<EmpiricalDensity>(law) &&
         !std::holds_alternative<MixtureDensity>(law) &&
         !std::holds_alternative<RadialDensity>(law);
}

// Time of one sample beside that of plain: a pair has two scores, and scrambling a number takes
// longer than drawing it (tests/benchmarks/sampling_benchmark.cpp, D = 128).
double relative_cost(Estimator estimator) {
  return estimator == Estimator::plain ? 1 : estimator == Estimator::antithetic ? 2 : 16;
}

// Variance of the mean, times samples and cost, at each of the distances.
std::vector<double> pilot_costs(CurveTask task, Estimator estimator) {
  task.engine = estimator == Estimator::qmc ? Engine::qmc : Engine::mc;
  task.sampling.estimator = estimator;
  task.sampling.seed = ~task.sampling.seed;
  const std::uint64_t samples =
      estimator == Estimator::antithetic ? kPilotScores / 2 : kPilotScores;
  SamplingState state;
  make_sampler(task).add(0, samples, task.sampling.threads, {}, state);
  const CurveMoments total = state.total();
  std::vector<double> costs;
  for (std::size_t i = 0; i < task.distances.distances.size(); ++i) {
    const Moments score =
        score_units(total, estimator, i, task.distances.distances.size()).moments.score;
    const double variance = score.count < 2 ? 0 : sample_variance(score) / double(score.count);
    costs.push_back(variance * double(samples) * relative_cost(estimator));
  }
  return costs;
}

}  // namespace

Arrangement arrangement_of(Estimator estimator) {
  return estimator == Estimator::antithetic ? Arrangement::mirrored
         : estimator == Estimator::qmc      ? Arrangement::sobol
                                            : Arrangement::independent;
}

std::uint64_t fewest_samples(Estimator estimator) {
  return estimator == Estimator::qmc ? kSobolReplicas * kBlockSamples : 2;
}

void check_score_estimator(const CurveTask& task, Estimator estimator) {
  if (arrangement_of(estimator) == Arrangement::independent) return;
  if (!arranges(task.density.law)) {
    throw InputError(fmt::format(
        "--estimator: {} arranges independent coordinates, and density {} has none to arrange; "
        "accepted with it: auto, plain",
        to_string(estimator), density_name(task.density.law)));
  }
  if (estimator != Estimator::qmc) return;
  const std::uint64_t samples = task.sampling.samples;
  if (samples < fewest_samples(estimator) || samples > kMostSobolSamples) {
    throw InputError(fmt::format("--samples is {}; accepted with qmc: {} to 2^36, best 2^k",
                                 samples, fewest_samples(estimator)));
  }
}

std::vector<std::uint64_t> pilot_distances(const std::vector<std::uint64_t>& all) {
  std::vector<std::uint64_t> chosen;
  const std::size_t most = std::min(kPilotDistances, all.size());
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(all[most == 1 ? 0 : i * (all.size() - 1) / (most - 1)]);
  }
  return chosen;
}

EstimatorChoice choose_score_estimator(const CurveTask& task) {
  const Estimator asked = task.sampling.estimator;
  if (task.engine == Engine::qmc || asked == Estimator::qmc) {
    return {Estimator::qmc, "asked for"};
  }
  if (asked == Estimator::standard) {
    return {Estimator::plain, "that of engine mc; --estimator auto compares it with others"};
  }
  if (asked != Estimator::automatic) return {asked, "asked for"};
  if (!arranges(task.density.law)) {
    return {Estimator::plain, "the one that this density has"};
  }
  CurveTask pilot = task;
  pilot.distances.distances = pilot_distances(task.distances.distances);
  const std::vector<double> plain = pilot_costs(pilot, Estimator::plain);
  EstimatorChoice choice{Estimator::plain, {}};
  double best = kClearGain;
  std::string seen;
  for (const Estimator candidate : {Estimator::antithetic, Estimator::qmc}) {
    if (candidate == Estimator::qmc && (task.sampling.samples < fewest_samples(candidate) ||
                                        task.sampling.samples > kMostSobolSamples)) {
      continue;
    }
    const std::vector<double> costs = pilot_costs(pilot, candidate);
    double gain = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i] > 0) gain = std::min(gain, plain[i] / costs[i]);
    }
    if (gain > best) {
      best = gain;
      choice.estimator = candidate;
    }
    seen += fmt::format("{}{} {:.2g}", seen.empty() ? "" : ", ", to_string(candidate), gain);
  }
  choice.reason = fmt::format(
      "gain over plain in a pilot run of {} scores, variance of the mean times cost, at the worst "
      "of up to {} distances: {}; plain stays below {}",
      kPilotScores, kPilotDistances, seen, kClearGain);
  return choice;
}

ScoreUnits score_units(const CurveMoments& total, Estimator estimator, std::size_t index,
                       std::size_t distances) {
  if (estimator == Estimator::antithetic) {
    return {total.points.at(index), total.points.at(distances + index).excess};
  }
  if (estimator != Estimator::qmc) return {total.points.at(index)};
  // Replicas are independent, and each has about as many samples.
  ScoreUnits units;
  Moments means;
  for (std::size_t r = 0; r < kSobolReplicas; ++r) {
    const Moments& score = total.points.at(r * distances + index).score;
    if (score.count > 0) means.add(score.mean);
  }
  units.center = means.mean;
  CompanionMoments squares;
  ScoreMoments& all = units.moments;
  for (std::size_t r = 0; r < kSobolReplicas; ++r) {
    const ScoreMoments& replica = total.points.at(r * distances + index);
    if (replica.score.count == 0) continue;
    const Moments one{1, replica.score.mean, 0, 0, 0};
    const double off = replica.score.mean - units.center;
    const double square = replica.score.m2 / static_cast<double>(replica.score.count) + off * off;
    squares = merged(squares, {square, 0, 0}, all.score, one);
    all.sine = merged(all.sine, {replica.sine.mean, 0, 0}, all.score, one);
    all.excess = merged(all.excess, {replica.excess.mean, 0, 0}, all.score, one);
    all.score.merge(one);
  }
  units.squares = squares;
  return units;
}

namespace {

Moments centered(const ScoreUnits& units) {
  Moments score = units.moments.score;
  score.mean -= units.center;
  return score;
}

}  // namespace

double variance_estimate(const ScoreUnits& units) {
  if (!units.squares) return sample_variance(units.moments.score);
  return std::max(0.0, excess_estimate(centered(units), *units.squares));
}

Interval variance_interval(const ScoreUnits& units, double confidence) {
  if (!units.squares) return variance_interval(units.moments.score, confidence);
  const double estimate = variance_estimate(units);
  const Interval plain = excess_interval(centered(units), *units.squares, confidence);
  // What a mean beside which scores hardly vary takes from the estimate's last digits.
  const double rounding = 0x1p-46 * units.squares->mean;
  const double half = 0.5 * (plain.upper - plain.lower) + rounding;
  if (!(estimate > half)) return {0, estimate + half};
  return {estimate * std::exp(-half / estimate), estimate * std::exp(half / estimate)};
}

}  // namespace tapalab
