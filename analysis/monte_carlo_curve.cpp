// The plain Monte Carlo engine as distance curves: sampled moments with their intervals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/experiment.hpp"
#include "analysis/gaussian_form.hpp"
#include "analysis/intervals.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/monte_carlo.hpp"

namespace tapalab {
namespace {

// The first look of a run that may stop early is not before this many samples: intervals need the
// central limit theorem.
constexpr std::uint64_t kFirstLook = 8192;

// Sample counts at which a run may stop: the whole run, and with a tolerance its halvings, rounded
// up to whole blocks, so that a stopped run is the beginning of a longer one.
std::vector<std::uint64_t> looks(const SamplingOptions& sampling) {
  std::vector<std::uint64_t> counts{sampling.samples};
  if (!sampling.rel_tol && !sampling.abs_tol) return counts;
  for (std::uint64_t half = sampling.samples / 2; half >= kFirstLook; half /= 2) {
    counts.push_back((half + kBlockSamples - 1) / kBlockSamples * kBlockSamples);
  }
  std::reverse(counts.begin(), counts.end());
  return counts;
}

Quantity sampled(double estimate, const Interval& interval, double level) {
  Quantity quantity;
  quantity.estimate = LogNumber(estimate);
  quantity.error.kind = ErrorKind::confidence;
  quantity.error.level = level;
  quantity.error.lower = LogNumber(interval.lower);
  quantity.error.upper = LogNumber(interval.upper);
  quantity.error.absolute =
      LogNumber(std::max({0.0, interval.upper - estimate, estimate - interval.lower}));
  quantity.sign_resolved =
      interval.lower > 0 || interval.upper < 0 || (interval.lower == 0 && interval.upper == 0);
  return quantity;
}

bool meets_tolerances(const Quantity& mean, const SamplingOptions& sampling) {
  const double error = mean.error.absolute.value();
  return (!sampling.rel_tol || error <= *sampling.rel_tol * std::abs(mean.estimate.value())) &&
         (!sampling.abs_tol || error <= *sampling.abs_tol);
}

// `confidence` is the level of one look; `level` the one reported, which all looks share.
CurvePoint make_point(std::uint64_t distance, const ScoreMoments& moments, double confidence,
                      const SamplingOptions& sampling) {
  CurvePoint point;
  point.distance = distance;
  point.engine = Engine::mc;
  if (moments.score.count < 2) return point;  // no pair of tokens at this distance
  const double level = sampling.confidence;
  const Interval mean = mean_interval(moments.score, confidence);
  point.mean = sampled(moments.score.mean, mean, level);
  point.variance =
      sampled(sample_variance(moments.score), variance_interval(moments.score, confidence), level);
  if (moments.sine.count >= 2) {
    // Each of these rests on two means: both intervals hold together with half the error each.
    const double both = 1.0 - 0.5 * (1.0 - confidence);
    const Interval re = mean_interval(moments.score, both);
    point.envelope = sampled(std::hypot(moments.score.mean, moments.sine.mean),
                             modulus_interval(re, mean_interval(moments.sine, both)), level);
    // Var - E a^2/2 = E[a^2 cos(4 pi s phi)]/2 - mean^2, the square estimated without bias.
    const double n = static_cast<double>(moments.score.count);
    const double square =
        moments.score.mean * moments.score.mean - sample_variance(moments.score) / n;
    point.variance_excess =
        sampled(moments.excess.mean - square,
                minus_square_interval(mean_interval(moments.excess, both), re), level);
    if (point.envelope->error.lower.sign() > 0) {
      const Wide envelope = point.envelope->estimate.wide();
      for (auto* quantity :
           {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
        relate_to_envelope(**quantity, envelope);
      }
    }
  }
  point.status = !meets_tolerances(*point.mean, sampling) ? Status::target_not_met
                 : !point.mean->sign_resolved             ? Status::unresolved
                                                          : Status::converged;
  return point;
}

/// A sampled phi is a double: its spacing, about 2^-52 of its size, times s must stay far below a
/// turn, or all phases fall on a grid and the mean is that of another score. `moments` has the
/// means and covariances of the density.
void check_phase_spacing(const ScoreModel& score, const GaussianModel& moments,
                         const std::vector<std::uint64_t>& distances) {
  const auto* phase = std::get_if<PhaseScore>(&score);
  if (phase == nullptr) return;
  const FormMoments phi = GaussianMoments(moments).of({phase->phase_bilinear, phase->phase_linear});
  const Wide size = sqrt(phi.mean * phi.mean + phi.variance);
  for (const std::uint64_t distance : distances) {
    if (phase->phase_scale(distance) * size < ldexp(Wide(1), 42)) continue;
    throw InputError(fmt::format(
        "--engine: mc samples phases in double, which at distance {} are not known to a "
        "thousandth of a turn; accepted: phases below 2^42 turns, or another engine",
        distance));
  }
}

ScoreSampler make_sampler(const CurveTask& task) {
  const ScoreModel score = lower(task.encoding, task.head_dim);
  const auto& distances = task.distances.distances;
  const std::uint64_t seed = task.sampling.seed;
  if (const auto* tokens = std::get_if<EmpiricalDensity>(&task.density.law)) {
    return {score, *tokens, distances, seed};
  }
  if (const auto* product = std::get_if<ProductDensity>(&task.density.law)) {
    check_phase_spacing(score, moment_model(*product, task.encoding, task.head_dim), distances);
    return {score, lower(*product, task.encoding, task.head_dim), distances, seed};
  }
  if (const auto* full = std::get_if<FullGaussianDensity>(&task.density.law)) {
    const GaussianModel model = lower(*full, task.head_dim);
    check_phase_spacing(score, model, distances);
    return {score, model, distances, seed};
  }
  if (const auto* gaussian = std::get_if<GaussianDensity>(&task.density.law)) {
    const GaussianModel model = lower(*gaussian, task.encoding, task.head_dim);
    check_phase_spacing(score, model, distances);
    return {score, model, distances, seed};
  }
  throw InputError(
      fmt::format("--engine: mc cannot sample density {}; accepted: gaussian, empirical",
                  density_name(task.density.law)));
}

void check(const SamplingOptions& sampling) {
  if (!(sampling.confidence > 0 && sampling.confidence < 1)) {
    throw InputError(
        fmt::format("--confidence is {}; accepted: strictly between 0 and 1", sampling.confidence));
  }
  if (sampling.samples < 2) {
    throw InputError(
        fmt::format("--samples is {}; accepted: an integer of at least 2", sampling.samples));
  }
}

}  // namespace

DistanceCurve monte_carlo_curve(const CurveTask& task) {
  check(task.sampling);
  const ScoreSampler sampler = make_sampler(task);
  const std::vector<std::uint64_t> counts = looks(task.sampling);
  // Bonferroni: whichever look ends the run, its intervals hold with the confidence asked for.
  const double confidence =
      1.0 - (1.0 - task.sampling.confidence) / static_cast<double>(counts.size());

  DistanceCurve curve{task.encoding, task.density, task.head_dim, task.sampling.seed, {}, {}};
  SamplingState state;
  std::uint64_t done = 0;
  for (const std::uint64_t count : counts) {
    const auto progress = [&](std::uint64_t samples) {
      if (!task.progress) return;
      task.progress(static_cast<double>(done + samples) /
                    static_cast<double>(task.sampling.samples));
    };
    sampler.add(done, count, task.sampling.threads, progress, state);
    done = count;
    curve.points.clear();
    const CurveMoments total = state.total();
    for (std::size_t i = 0; i < total.points.size(); ++i) {
      curve.points.push_back(
          make_point(task.distances.distances[i], total.points[i], confidence, task.sampling));
    }
    const bool finished = std::none_of(
        curve.points.begin(), curve.points.end(),
        [](const CurvePoint& point) { return point.status == Status::target_not_met; });
    if (finished) break;
  }
  curve.samples = done;
  return curve;
}

}  // namespace tapalab
