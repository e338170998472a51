#include "analysis/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/fit_slope.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

struct Candidate {
  FitPoint point;
  LogPoint log;  ///< relative to the first point used
  const Quantity* envelope = nullptr;
};

void check(const FitWindow& window) {
  if (!(window.t_min >= 0) || !(window.t_max > window.t_min)) {
    throw InputError(fmt::format("fit: window from t = {} to {}; accepted: 0 <= lowest < highest",
                                 window.t_min, window.t_max));
  }
}

bool usable(const CurvePoint& point) {
  const Quantity& envelope = *point.envelope;
  return point.status != Status::unresolved && envelope.sign_resolved &&
         envelope.error.lower.sign() > 0;
}

[[noreturn]] void refuse(const FitResult& fit) {
  throw InputError(fmt::format(
      "fit: {} usable points in the window t >= {}{} (left out: {} outside it, {} unresolved, {} "
      "without an envelope); accepted: at least 2, from an engine that gives the envelope",
      fit.points.size(), fit.window.t_min,
      std::isfinite(fit.window.t_max) ? fmt::format(", t <= {}", fit.window.t_max) : "",
      fit.outside_window, fit.unresolved, fit.no_envelope));
}

FitNumber number(double value, double error, ErrorKind kind) {
  return {value, value - error, value + error, kind, false, std::nullopt};
}
bool known_log(const LogPoint& log) { return std::isfinite(log.y) && std::isfinite(log.bound_low); }

FitNumber divided(const FitNumber& x, double divisor) {
  FitNumber result = x;
  result.value /= divisor;
  result.lower /= divisor;
  result.upper /= divisor;
  return result;
}

/// The predicted ln|Phi_1| at the points, ready for the same linear functionals; where nothing is
/// known the bounds are infinite.
std::vector<LogPoint> predicted_logs(const DecayLaw& law, const std::vector<Candidate>& points) {
  std::vector<LogPoint> logs;
  std::vector<Rounded> values;
  for (const Candidate& candidate : points) {
    values.push_back(law.log_envelope(candidate.point.scale));
  }
  const auto reference = std::find_if(values.begin(), values.end(), [](const Rounded& value) {
    return std::isfinite(value.error);
  });
  const double first = reference == values.end() ? 0 : reference->value;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Candidate& candidate = points[i];
    const Rounded& value = values[i];
    LogPoint log;
    log.kind = law.predicted_kind;
    log.x = candidate.log.x;
    log.y = value.value - first;
    // s is rounded too: a relative error of 1e-15 ln(distance) in s moves ln|Phi_1| by the
    // exponent.
    const double moved = std::abs(law.exponent_in_scale(candidate.point.scale).value) * 4e-15 *
                         (1 + std::log(static_cast<double>(candidate.point.distance)));
    log.bound_low = log.bound_high = value.error + moved + 4e-16 * std::abs(first);
    logs.push_back(log);
  }
  return logs;
}

std::vector<Candidate> select(const DistanceCurve& curve, const DecayLaw& law, FitResult& fit) {
  std::vector<const CurvePoint*> ordered;
  for (const CurvePoint& point : curve.points) ordered.push_back(&point);
  std::stable_sort(ordered.begin(), ordered.end(), [](const CurvePoint* a, const CurvePoint* b) {
    return a->distance < b->distance;
  });
  std::vector<Candidate> chosen;
  const CurvePoint* reference = nullptr;
  for (const CurvePoint* point : ordered) {
    if (!chosen.empty() && chosen.back().point.distance == point->distance) continue;
    const double scale = law.scale(point->distance);
    const double t = law.t_per_scale * scale;
    if (point->distance == 0 || t < fit.window.t_min || t > fit.window.t_max) {
      ++fit.outside_window;
    } else if (!point->envelope) {
      ++fit.no_envelope;
    } else if (!usable(*point)) {
      ++fit.unresolved;
    } else {
      if (reference == nullptr) reference = point;
      Candidate candidate;
      candidate.point.distance = point->distance;
      candidate.envelope = &*point->envelope;
      candidate.point.scale = scale;
      candidate.point.t = t;
      candidate.log =
          log_point(*point->envelope, point->distance, *reference->envelope, reference->distance);
      chosen.push_back(candidate);
      if (std::find(fit.engines.begin(), fit.engines.end(), point->engine) == fit.engines.end()) {
        fit.engines.push_back(point->engine);
      }
    }
  }
  return chosen;
}

}  // namespace

FitResult fit_decay(const DistanceCurve& curve, const FitWindow& window) {
  check(window);
  const DecayLaw law = decay_law(curve.encoding, curve.density, curve.head_dim);
  FitResult fit;
  fit.encoding = curve.encoding;
  fit.density = curve.density;
  fit.head_dim = curve.head_dim;
  fit.seed = curve.seed;
  fit.samples = curve.samples;
  fit.window = window;
  fit.asymptote = law.asymptote;

  std::vector<Candidate> chosen = select(curve, law, fit);
  std::vector<LogPoint> measured;
  for (Candidate& candidate : chosen) {
    if (law.exponent_in_scale) {
      const Rounded slope = law.exponent_in_scale(candidate.point.scale);
      const double error = slope.error * law.scale_exponent + 1e-15 * std::abs(slope.value);
      if (std::isfinite(slope.value) && std::isfinite(error)) {
        candidate.point.predicted =
            number(slope.value * law.scale_exponent, error, law.predicted_kind);
      }
    }
    fit.points.push_back(candidate.point);
    measured.push_back(candidate.log);
  }
  if (fit.points.size() < 2) refuse(fit);

  std::vector<LogPoint> predicted;
  if (law.log_envelope) predicted = predicted_logs(law, chosen);
  for (std::size_t i = 0; i + 1 < measured.size(); ++i) {
    LocalExponent local;
    local.distance_low = fit.points[i].distance;
    local.distance_high = fit.points[i + 1].distance;
    local.t_low = fit.points[i].t;
    local.t_high = fit.points[i + 1].t;
    const double step = log_ratio(local.distance_high, local.distance_low);
    // Each step is relative to its own lower point, so that neighbours far out keep their digits.
    const Quantity& low = *chosen[i].envelope;
    const Quantity& high = *chosen[i + 1].envelope;
    local.in_distance = secant(log_point(low, local.distance_low, low, local.distance_low),
                               log_point(high, local.distance_high, low, local.distance_low), step,
                               window.dependence);
    local.in_scale = divided(local.in_distance, law.scale_exponent);
    if (!predicted.empty() && known_log(predicted[i]) && known_log(predicted[i + 1])) {
      local.predicted = secant(predicted[i], predicted[i + 1], step, window.dependence);
    }
    fit.local.push_back(local);
  }
  const std::vector<double> coefficients = slope_coefficients(measured);
  fit.overall = combine(measured, coefficients, window.dependence);
  if (!predicted.empty() && std::all_of(predicted.begin(), predicted.end(), known_log)) {
    fit.overall_predicted = combine(predicted, coefficients, window.dependence);
  }
  return fit;
}

}  // namespace tapalab
