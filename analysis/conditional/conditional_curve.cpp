// The engine conditional: means of split scores with the key's part integrated in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/conditional/conditional_sums.hpp"
#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "analysis/sampling_run.hpp"
#include "analysis/score_estimator.hpp"
#include "sim/block_kernels.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kPilotSamples = 2 * kBlockSamples;
// Between looks at signals and the progress.
constexpr std::uint64_t kSamplesTogether = 64 * kBlockSamples;

CurvePoint make_point(std::uint64_t distance, const WideMoments& sums,
                      const ConditionalSampler& sampler, double confidence, double level) {
  CurvePoint point;
  point.distance = distance;
  point.engine = Engine::conditional;
  Quantity mean;
  mean.estimate = LogNumber(sums.mean);
  mean.error.kind = ErrorKind::confidence;
  mean.error.level = level;
  Wide half = 0;
  if (sums.mean != 0) {
    Moments relative;  // of samples over their mean
    relative.count = sums.count;
    relative.mean = 1;
    relative.m2 = static_cast<double>(Wide(sums.m2 / (sums.mean * sums.mean)));
    half =
        abs(sums.mean) * Wide(mean_interval(relative, confidence).upper - 1 + sampler.rounding());
  } else {
    half = sums.largest;
  }
  if (sums.count > 0) half += sums.root_mean_square() * Wide(sums.rounding);
  // The samples say little: what remains is |mean| <= |E a|.
  if (!sums.spread_out()) half = abs(sums.mean) + Wide(sampler.largest_mean() * (1 + 1e-10));
  mean.error.lower = LogNumber(Wide(sums.mean - half));
  mean.error.upper = LogNumber(Wide(sums.mean + half));
  mean.error.absolute = LogNumber(half);
  mean.sign_resolved = half < abs(sums.mean) || half == 0;
  point.mean = mean;
  point.status = !sums.spread_out()    ? Status::target_not_met
                 : !mean.sign_resolved ? Status::unresolved
                                       : Status::converged;
  return point;
}

bool meets(const CurvePoint& point, const SamplingOptions& sampling) {
  const Wide error = point.mean->error.absolute.wide();
  return point.status == Status::converged &&
         (!sampling.rel_tol ||
          error <= Wide(*sampling.rel_tol) * abs(point.mean->estimate.wide())) &&
         (!sampling.abs_tol || error <= Wide(*sampling.abs_tol));
}

// Variance of one sample over the squared mean, at the worst of the distances.
double pilot_variance(const SplitProblem& problem, Estimator estimator, const CurveTask& task,
                      std::uint32_t& coordinates) {
  const auto distances = pilot_distances(task.distances.distances);
  const ConditionalSampler sampler(problem, estimator, distances, task.sampling.seed, true);
  coordinates = sampler.coordinates();
  std::vector<WideMoments> sums;
  sampler.add(0, kPilotSamples, task.sampling.threads, sums);
  double worst = 0;
  for (const WideMoments& sum : sums) {
    const double error = sum.relative_error();
    worst = std::max(worst, sum.spread_out() ? error * error * kPilotSamples
                                             : std::numeric_limits<double>::infinity());
  }
  return worst;
}

}  // namespace

EstimatorChoice choose_conditional_estimator(const CurveTask& task) {
  const SplitProblem problem = split_problem(task);
  if (is_conditional(task.sampling.estimator)) {
    return {task.sampling.estimator, "asked for"};
  }
  EstimatorChoice choice{Estimator::zero_variance, {}};
  double best = std::numeric_limits<double>::infinity();
  std::string seen;
  for (const Estimator candidate :
       {Estimator::zero_variance, Estimator::importance, Estimator::conditional}) {
    std::uint32_t coordinates = 0;
    const double variance = pilot_variance(problem, candidate, task, coordinates);
    const double cost = (variance + 1e-9) * static_cast<double>(coordinates);
    if (cost < best) {
      best = cost;
      choice.estimator = candidate;
    }
    seen += fmt::format("{}{} {}", seen.empty() ? "" : ", ", to_string(candidate),
                        std::isfinite(variance) ? fmt::format("{:.2g}", variance) : "not settled");
  }
  choice.reason = fmt::format(
      "the least variance times draws in a pilot run of {} samples; variance of a sample over the "
      "squared mean, at the worst of up to {} distances: {}",
      kPilotSamples, kPilotDistances, seen);
  return choice;
}

DistanceCurve conditional_curve(const CurveTask& task) {
  const SplitProblem problem = split_problem(task);
  const Estimator estimator = choose_conditional_estimator(task).estimator;
  const std::vector<std::uint64_t> looks = sampling_looks(task.sampling);
  const double confidence =
      1.0 - (1.0 - task.sampling.confidence) / static_cast<double>(looks.size());
  const ConditionalSampler sampler(problem, estimator, task.distances.distances, task.sampling.seed,
                                   false);
  DistanceCurve curve{task.encoding, task.density, task.head_dim, task.sampling.seed, 0, {}};
  curve.estimator = to_string(estimator);
  std::vector<WideMoments> sums;
  std::uint64_t done = 0;
  for (const std::uint64_t look : looks) {
    while (done < look) {
      const std::uint64_t next = std::min(look, done + kSamplesTogether);
      sampler.add(done, next, task.sampling.threads, sums);
      done = next;
      if (task.progress) {
        task.progress(static_cast<double>(done) / static_cast<double>(looks.back()));
      }
    }
    curve.points.clear();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      curve.points.push_back(make_point(task.distances.distances[i], sums[i], sampler, confidence,
                                        task.sampling.confidence));
    }
    if (std::all_of(curve.points.begin(), curve.points.end(),
                    [&](const CurvePoint& point) { return meets(point, task.sampling); })) {
      break;
    }
  }
  curve.samples = done;
  curve.unavailable =
      "engine conditional estimates the mean alone: the phase part of the key is integrated, so "
      "scores themselves are not drawn";
  const auto untrusted =
      std::count_if(sums.begin(), sums.end(), [](const WideMoments& s) { return !s.spread_out(); });
  if (untrusted != 0) {
    curve.unavailable += fmt::format(
        "; at {} of {} distances one sample carries more than a tenth of the second moment, or "
        "samples are too small to compute, so that the interval is that of |E a| alone "
        "(target-not-met)",
        untrusted, sums.size());
  }
  return curve;
}

}  // namespace tapalab
