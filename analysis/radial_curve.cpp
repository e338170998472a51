#include "analysis/radial_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/phase_point.hpp"
#include "analysis/radial_transform.hpp"
#include "analysis/rotary_moments.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

GaussianModel centred(GaussianModel model) {
  std::fill(model.mean.begin(), model.mean.end(), Wide(0));
  return model;
}

/// Mean and variance of a form or of a score that is one: with kappa = E R^4, Var = V + (kappa - 1)
/// (V_0 + M_0^2), V those of the Gaussian with the same mean and covariance, V_0 and M_0 those of
/// the centred one.
Estimate radial_variance(const Estimate& variance, const Estimate& centred_variance,
                         const Estimate& centred_mean, const ScaleSpread& spread) {
  const Wide second = centred_variance.value + centred_mean.value * centred_mean.value;
  const Wide second_error = centred_variance.error +
                            (2 * abs(centred_mean.value) + centred_mean.error) * centred_mean.error;
  return {variance.value + spread.value * second,
          variance.error + abs(spread.value) * second_error + spread.error * second +
              16 * wide_epsilon() * (variance.value + abs(spread.value) * second)};
}

class RadialPhaseCurve {
 public:
  RadialPhaseCurve(const RadialDensity& density, const PhaseScore& score,
                   const GaussianModel& moments)
      : score_(score),
        transform_(density, moments, {score.amplitude, {}},
                   {score.phase_bilinear, score.phase_linear}),
        full_(GaussianMoments(moments).of({score.amplitude, {}})),
        centred_(GaussianMoments(centred(moments)).of({score.amplitude, {}})),
        has_variance_(has_second_moment(density)) {
    if (!has_variance_) return;
    variance_ = radial_variance(
        {full_.variance, full_.variance_error}, {centred_.variance, centred_.variance_error},
        {centred_.mean, centred_.mean_error}, scale_spread(density, score.head_dim));
  }

  CurvePoint at(std::uint64_t distance, Engine engine) const {
    const Wide t = wide_two_pi() * score_.phase_scale(distance);
    PhaseParts parts;
    parts.has_variance = has_variance_;
    if (has_variance_) {
      parts.second_moment = {
          variance_.value + full_.mean * full_.mean,
          variance_.error + (2 * abs(full_.mean) + full_.mean_error) * full_.mean_error};
      parts.first_bound = sqrt(Wide(parts.second_moment.value + parts.second_moment.error));
    } else {
      // a = a_0 + R a_1 + R^2 a_2 with E R <= E R^2 = 1: E|a| <= |a_0| + sqrt(E a_1^2) +
      // sqrt(E a_2^2), and E a_1^2 + E a_2^2 <= Var + M_0^2.
      const Wide within = full_.variance + full_.variance_error +
                          pow(Wide(abs(centred_.mean) + centred_.mean_error), 2);
      parts.first_bound = abs(full_.mean - centred_.mean) + full_.mean_error + centred_.mean_error +
                          2 * sqrt(within);
    }
    const Wide half = parts.second_moment.value / 2, half_error = parts.second_moment.error / 2;
    if (t == 0 || transform_.gaussian().phase_vanishes()) {
      parts.first = {full_.mean, Wide(0)};
      parts.first_error = full_.mean_error;
      parts.variance = variance_;
      parts.excess = {variance_.value - half, variance_.error + half_error};
      return phase_point(distance, engine, parts);
    }
    parts.first_kind = parts.variance_kind = ErrorKind::quadrature;
    const RadialIntegral first = transform_.at(t, 1);
    parts.first = first.value;
    parts.first_error = first.error;
    parts.underflow = first.underflow;
    if (!has_variance_) return phase_point(distance, engine, parts);
    const RadialIntegral second = transform_.at(Wide(2 * t), 2);
    const Wide mean = first.value.re;
    parts.excess.value = second.value.re / 2 - mean * mean;
    parts.excess.error = second.error / 2 + (2 * abs(mean) + first.error) * first.error +
                         4 * wide_epsilon() * (abs(second.value.re) + mean * mean);
    parts.variance = {half + parts.excess.value,
                      half_error + parts.excess.error + 4 * wide_epsilon() * half};
    return phase_point(distance, engine, parts);
  }

 private:
  PhaseScore score_;
  RadialTransform transform_;
  FormMoments full_, centred_;
  bool has_variance_;
  Estimate variance_;
};

class RadialRotaryCurve {
 public:
  RadialRotaryCurve(const RadialDensity& density, const RotaryScore& score,
                    const GaussianModel& moments)
      : score_(score), full_(score, moments), centred_(score, centred(moments)) {
    if (has_second_moment(density)) spread_ = scale_spread(density, score.head_dim);
  }

  CurvePoint at(std::uint64_t distance, Engine engine) const {
    const auto values = full_.at(distance);
    Estimate mean = values.mean, envelope = full_.envelope(distance);
    if (score_.slope != 0) {
      const Wide offset = score_.offset(distance), rounding = 8 * wide_epsilon() * abs(offset);
      mean = {mean.value + offset, mean.error + rounding};
      envelope = {envelope.value + abs(offset), envelope.error + rounding};
    }
    const Wide bound = envelope.value + envelope.error;
    CurvePoint point;
    point.distance = distance;
    point.engine = engine;
    point.mean = bounded_quantity(mean, -bound, bound, ErrorKind::rounding);
    point.envelope = bounded_quantity(envelope, Wide(0), bound, ErrorKind::rounding);
    bool met = meets_promise(*point.mean, envelope.value);
    if (spread_) {
      const auto zero = centred_.at(distance);
      const Estimate variance =
          radial_variance(values.variance, zero.variance, zero.mean, *spread_);
      const Wide most = variance.value + 2 * variance.error;
      point.variance = bounded_quantity(variance, Wide(0), most, ErrorKind::rounding);
      met = met && meets_promise(*point.variance, point.variance->estimate.wide());
    }
    for (auto* quantity : {&point.mean, &point.envelope, &point.variance}) {
      if (*quantity) relate_to_envelope(**quantity, envelope.value);
    }
    point.status = met ? Status::converged : Status::target_not_met;
    return point;
  }

 private:
  RotaryScore score_;
  RotaryMoments full_, centred_;
  std::optional<ScaleSpread> spread_;
};

}  // namespace

std::string without_variance(const RadialDensity& density) {
  if (has_second_moment(density)) return {};
  return fmt::format(
      "variance and variance_excess: scores have no variance, since under student-t-joint with nu "
      "= {} moments of order {:g} and above of q k are infinite",
      density.nu.text(), density.nu.value() / 2);
}

DistanceCurve radial_curve(const CurveTask& task) {
  const auto* density = std::get_if<RadialDensity>(&task.density.law);
  if (density == nullptr) {
    throw InputError("--engine quadrature: density '" + task.density.spec +
                     "' has no scale to integrate; accepted here: student-t-joint, quartic");
  }
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  curve.unavailable = without_variance(*density);
  const ScoreModel score = lower(task.encoding, task.head_dim);
  const GaussianModel moments = moment_model(*density, task.encoding, task.head_dim);
  const auto fill = [&](const auto& engine) {
    const auto& distances = task.distances.distances;
    for (const std::uint64_t distance : distances) {
      throw_if_interrupted();
      curve.points.push_back(engine.at(distance, task.engine));
      if (task.progress) {
        task.progress(static_cast<double>(curve.points.size()) /
                      static_cast<double>(distances.size()));
      }
    }
  };
  if (const auto* phase = std::get_if<PhaseScore>(&score)) {
    fill(RadialPhaseCurve(*density, *phase, moments));
  } else {
    fill(RadialRotaryCurve(*density, std::get<RotaryScore>(score), moments));
  }
  return curve;
}

}  // namespace tapalab
