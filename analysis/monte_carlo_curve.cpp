// The engines that draw scores, mc and qmc, as distance curves: sampled moments with their
// intervals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "analysis/sampling_run.hpp"
#include "analysis/score_estimator.hpp"
#include "analysis/score_offset.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/moment_order.hpp"
#include "sim/monte_carlo.hpp"

namespace tapalab {
namespace {

// The first look of a run that may stop early is not before this many samples: intervals need the
// central limit theorem.
constexpr std::uint64_t kFirstLook = 8192;

// Nothing where the interval is wider than a double holds: too few samples for the confidence.
std::optional<Quantity> sampled(double estimate, const Interval& interval, double level) {
  if (!std::isfinite(interval.lower) || !std::isfinite(interval.upper)) return std::nullopt;
  return with_confidence(estimate, interval, level);
}

bool meets_tolerances(const Quantity& mean, const SamplingOptions& sampling) {
  const double error = mean.error.absolute.value();
  return (!sampling.rel_tol || error <= *sampling.rel_tol * std::abs(mean.estimate.value())) &&
         (!sampling.abs_tol || error <= *sampling.abs_tol);
}

struct PointRules {
  Engine engine = Engine::mc;
  double confidence = 0;  // of one look; the level that is reported is the one all looks share
  bool phase = false;     // the score has an amplitude and a phase
  bool spread = true;     // intervals of variances are to be had
  Wide offset{0};         // of the score at this distance, which the samples leave out
};

CurvePoint make_point(std::uint64_t distance, const ScoreUnits& units, const PointRules& rules,
                      const SamplingOptions& sampling) {
  const double confidence = rules.confidence;
  const ScoreMoments& moments = units.moments;
  CurvePoint point;
  point.distance = distance;
  point.engine = rules.engine;
  const Moments& score = moments.score;
  if (score.count < 2) return point;  // no pair of tokens at this distance
  const double level = sampling.confidence;
  point.mean = sampled(score.mean, mean_interval(score, confidence), level);
  if (!point.mean)
    throw InputError(
        fmt::format("--confidence: {} samples say nothing at this level; accepted: a lower one, or "
                    "more samples",
                    score.count));
  if (rules.spread) {
    point.variance = sampled(variance_estimate(units), variance_interval(units, confidence), level);
  }
  if (rules.phase) {
    point.envelope = sampled(std::hypot(score.mean, moments.sine.mean),
                             modulus_interval(score, moments.sine, confidence), level);
    if (rules.spread) {
      point.variance_excess = sampled(excess_estimate(score, moments.excess),
                                      excess_interval(score, moments.excess, confidence), level);
    }
    if (point.envelope && point.envelope->error.lower.sign() > 0) {
      const Wide envelope = point.envelope->estimate.wide();
      for (auto* quantity :
           {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
        if (*quantity) relate_to_envelope(**quantity, envelope);
      }
    }
  }
  add_offset(point, rules.offset);
  point.status = !meets_tolerances(*point.mean, sampling) ? Status::target_not_met
                 : !point.mean->sign_resolved             ? Status::unresolved
                                                          : Status::converged;
  return point;
}

void check(const SamplingOptions& sampling) {
  if (!(sampling.confidence > 0 && sampling.confidence < 1)) {
    throw InputError(
        fmt::format("--confidence is {}; accepted: strictly between 0 and 1", sampling.confidence));
  }
  const std::uint64_t fewest = fewest_samples(sampling.estimator);
  if (sampling.samples < fewest) {
    throw InputError(fmt::format("--samples is {}; accepted: an integer of at least {}",
                                 sampling.samples, fewest));
  }
}

}  // namespace

ScoreSampler make_sampler(const CurveTask& task) {
  return {lower(task.encoding, task.head_dim),
          task.density.law,
          task.encoding,
          task.distances.distances,
          task.sampling.seed,
          arrangement_of(task.sampling.estimator)};
}

std::vector<std::uint64_t> sampling_looks(const SamplingOptions& sampling) {
  check(sampling);
  std::vector<std::uint64_t> counts{sampling.samples};
  if (!sampling.rel_tol && !sampling.abs_tol) return counts;
  const std::uint64_t first = std::max(kFirstLook, fewest_samples(sampling.estimator));
  for (std::uint64_t half = sampling.samples / 2; half >= first; half /= 2) {
    counts.push_back((half + kBlockSamples - 1) / kBlockSamples * kBlockSamples);
  }
  std::reverse(counts.begin(), counts.end());
  return counts;
}

DistanceCurve sampled_curve(const CurveTask& task, const SamplingState& state,
                            std::uint64_t samples) {
  // Bonferroni: whichever look ends the run, its intervals hold with the confidence asked for.
  const double looks = static_cast<double>(sampling_looks(task.sampling).size());
  PointRules rules;
  rules.confidence = 1.0 - (1.0 - task.sampling.confidence) / looks;
  const ScoreModel score = lower(task.encoding, task.head_dim);
  rules.engine = task.engine == Engine::gpu ? Engine::gpu : Engine::mc;
  rules.phase = std::holds_alternative<PhaseScore>(score);
  DistanceCurve curve{task.encoding, task.density, task.head_dim, task.sampling.seed, samples, {}};
  curve.unavailable = spread_unavailable(task.density.law);
  rules.spread = curve.unavailable.empty();
  const CurveMoments total = state.total();
  const auto& distances = task.distances.distances;
  const Estimator estimator = task.sampling.estimator;
  if (arrangement_of(estimator) != Arrangement::independent) {
    curve.estimator = to_string(estimator);
  }
  if (estimator == Estimator::qmc) rules.engine = Engine::qmc;
  for (std::size_t i = 0; i < distances.size() && !total.points.empty(); ++i) {
    rules.offset = score_offset(score, distances[i]);
    curve.points.push_back(make_point(
        distances[i], score_units(total, estimator, i, distances.size()), rules, task.sampling));
  }
  return curve;
}

DistanceCurve monte_carlo_curve(const CurveTask& task) {
  const SampleRange samples = task.draw ? task.draw(task) : sample_range(task, {}, {}, nullptr);
  return sampled_curve(task, samples.state, samples.done);
}

}  // namespace tapalab
