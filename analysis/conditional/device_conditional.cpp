// Conditional means of Gaussians on a device: the key is integrated in closed form given the query,
// and the query drawn from a Gaussian narrowed towards the critical point.
#include "analysis/conditional/device_conditional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/conditional/phase_pair.hpp"
#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "analysis/sampling_run.hpp"
#include "sim/backend.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/two_pi.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {
namespace {

// Between looks at signals and the progress: a second or so of a large device.
constexpr std::uint64_t kDeviceSamplesTogether = std::uint64_t{1} << 32;
// The proposal of `importance` has this much more variance than that of `zero_variance`: weights
// stay below those at its centre.
constexpr double kWiderVariance = 1.1;
// Errors of sums of normals and of their squares, relative to what they sum, by the device's
// normals (docs/results/gpu-moments.md), on average over samples.
constexpr double kNormalsError = 1e-6;

/// A sample is e^(log_factor) times what its form gives.
struct DeviceForm {
  ConditionalForm form;
  double log_factor;
  double rounding;  ///< bound of the rounding of log_factor and of the form's constant angle
};

// With q = m + s z, k = m' + l z + p z' and z = mu + sigma n, n a standard normal:
//   ln f(z) - ln g(z) - t^2 p^2 q^2/2 = ln sigma + n^2/2 - ((1 + A s^2) z^2 + 2 A s m z + A m^2)/2,
// A = t^2 p^2, which is least spread for sigma^2 = 1/(1 + A s^2), mu = -A s m sigma^2; and
//   t q E[k | z] = t (Q + s sigma n)(K + l sigma n), Q = m + s mu, K = m' + l mu.
DeviceForm device_form(const ConditionalPair& pair, std::uint32_t dim, double t, double wider) {
  const double s = pair.scale_q, l = pair.slope * pair.scale_q;
  const double A = (t * pair.spread) * (t * pair.spread);
  const double precision = 1 + A * s * s;
  const double mu = -A * s * pair.mean_q / precision;
  const double sigma = std::sqrt(wider / precision);
  const double Q = pair.mean_q / precision, K = pair.mean_k + l * mu;
  const double d = static_cast<double>(dim);
  DeviceForm result;
  result.form.log2 = 0.5 * (1 - wider);
  const double turns0 = d * (t * Q) * K / kTwoPi;
  result.form.turns0 = turns0 - std::round(turns0);
  result.form.turns1 = ((t * Q) * l + (t * s) * K) * sigma / kTwoPi;
  result.form.turns2 = (t * s * sigma) * (l * sigma) / kTwoPi;
  const double spread = 0.5 * std::log(wider / precision);
  const double shift = 0.5 * A * pair.mean_q * pair.mean_q / precision;
  result.log_factor = d * (spread - shift);
  // a dozen operations, each within 2^-53 of sizes that only grow
  result.rounding = 16 * std::numeric_limits<double>::epsilon() *
                    (d * (std::abs(spread) + shift) + kTwoPi * std::abs(turns0));
  return result;
}

CurvePoint device_point(std::uint64_t distance, const Moments& moments, const DeviceForm& form,
                        const Wide& amplitude, std::uint32_t dim, double confidence, double level) {
  CurvePoint point;
  point.distance = distance;
  point.engine = Engine::gpu;
  const Interval interval = mean_interval(moments, confidence);
  const double n = static_cast<double>(moments.count);
  const double size = std::sqrt(moments.m2 / n + moments.mean * moments.mean);
  const double slack =
      size * (1e-13 + std::expm1(std::min(form.rounding, 700.0)) +
              kNormalsError * static_cast<double>(dim) *
                  (std::abs(form.form.log2) +
                   kTwoPi * (std::abs(form.form.turns1) + std::abs(form.form.turns2))));
  const Wide scale = amplitude * exp(Wide(form.log_factor));
  const double half =
      std::max(interval.upper - moments.mean, moments.mean - interval.lower) + slack;
  const Wide mean = scale * Wide(moments.mean), error = abs(scale) * Wide(half);
  Quantity quantity;
  quantity.estimate = LogNumber(mean);
  quantity.error.kind = ErrorKind::confidence;
  quantity.error.level = level;
  quantity.error.lower = LogNumber(Wide(mean - error));
  quantity.error.upper = LogNumber(Wide(mean + error));
  quantity.error.absolute = LogNumber(error);
  quantity.sign_resolved = error < abs(mean) || error == 0;
  point.mean = quantity;
  point.status = quantity.sign_resolved ? Status::converged : Status::unresolved;
  return point;
}

bool device_meets(const CurvePoint& point, const SamplingOptions& sampling) {
  const Wide error = point.mean->error.absolute.wide();
  return (!sampling.rel_tol ||
          error <= Wide(*sampling.rel_tol) * abs(point.mean->estimate.wide())) &&
         (!sampling.abs_tol || error <= Wide(*sampling.abs_tol));
}

}  // namespace

std::string device_conditional_refusal(const CurveTask& task) {
  const std::string refusal = conditional_refusal(task);
  if (!refusal.empty()) return refusal;
  if (task.sampling.estimator != Estimator::zero_variance &&
      task.sampling.estimator != Estimator::importance) {
    return "on a device the estimators are zero-variance and importance";
  }
  if (!std::holds_alternative<GaussianDensity>(task.density.law)) {
    return "on a device it draws from Gaussians alone";
  }
  const SplitProblem problem = split_problem(task);
  if (problem.phase_dim % 4 != 0) return "on a device the phase part is a multiple of 4 wide";
  return {};
}

DistanceCurve device_conditional_curve(const CurveTask& task) {
  const SplitProblem problem = split_problem(task);
  if (task.device == nullptr) throw UnavailableError("--engine gpu: no device was given");
  const double wider = task.sampling.estimator == Estimator::importance ? kWiderVariance : 1.0;
  FusedPlan plan;
  plan.kind = FusedKind::conditional;
  plan.head_dim = problem.phase_dim;
  plan.key = stream_key(task.sampling.seed);
  std::vector<DeviceForm> forms;
  for (const std::uint64_t distance : task.distances.distances) {
    forms.push_back(
        device_form(problem.phase, problem.phase_dim, problem.frequency(distance), wider));
    plan.forms.push_back(forms.back().form);
  }
  const auto sampler = task.device->conditional_sampler(plan);
  if (sampler == nullptr) throw UnavailableError("--engine gpu: this device does not draw");
  const Wide amplitude = Wide(problem.amplitude_weight) * Wide(problem.amplitude_dim) *
                         Wide(problem.amplitude.product_mean());

  const std::vector<std::uint64_t> looks = sampling_looks(task.sampling);
  const double confidence =
      1.0 - (1.0 - task.sampling.confidence) / static_cast<double>(looks.size());
  DistanceCurve curve{task.encoding, task.density, task.head_dim, task.sampling.seed, 0, {}};
  curve.estimator = to_string(task.sampling.estimator);
  SamplingState state;
  std::uint64_t done = 0;
  for (const std::uint64_t look : looks) {
    while (done < look) {
      const std::uint64_t next = std::min(look, done + kDeviceSamplesTogether);
      sampler->add(done, next, state);
      done = next;
      if (task.progress) {
        task.progress(static_cast<double>(done) / static_cast<double>(looks.back()));
      }
    }
    curve.points.clear();
    const CurveMoments total = state.total();
    for (std::size_t i = 0; i < forms.size(); ++i) {
      curve.points.push_back(device_point(task.distances.distances[i], total.points[i].score,
                                          forms[i], amplitude, problem.phase_dim, confidence,
                                          task.sampling.confidence));
    }
    if (std::all_of(curve.points.begin(), curve.points.end(),
                    [&](const CurvePoint& point) { return device_meets(point, task.sampling); })) {
      break;
    }
  }
  curve.samples = done;
  curve.unavailable =
      "conditional estimates are of the mean alone: the phase part of the key is integrated, so "
      "scores themselves are not drawn";
  return curve;
}

}  // namespace tapalab
