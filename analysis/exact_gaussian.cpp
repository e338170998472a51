// Closed forms of mean and variance for joint Gaussians.
#include "analysis/experiment.hpp"
#include "analysis/gaussian_form.hpp"
#include "analysis/phase_point.hpp"
#include "analysis/rotary_moments.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/mutants.hpp"

namespace tapalab {
namespace {

GaussianModel gaussian_model(const CurveTask& task) {
  if (const auto* pairwise = std::get_if<GaussianDensity>(&task.density.law)) {
    return lower(*pairwise, task.encoding, task.head_dim);
  }
  if (const auto* full = std::get_if<FullGaussianDensity>(&task.density.law)) {
    return lower(*full, task.head_dim);
  }
  // Mean and variance of rotary scores are those of the Gaussian with the same second moments.
  const auto* product = std::get_if<ProductDensity>(&task.density.law);
  const bool phase = std::holds_alternative<PhaseScore>(lower(task.encoding, task.head_dim));
  if (product != nullptr && !phase) {
    return moment_model(*product, task.encoding, task.head_dim);
  }
  throw InputError("--engine exact: density '" + task.density.spec +
                   "' is not Gaussian; accepted here: gaussian");
}

/// Phase scores: mean = Re Phi_1(2 pi s), E score^2 = (E a^2 + Re Phi_2(4 pi s))/2.
class PhaseCurve {
 public:
  PhaseCurve(const PhaseScore& score, const GaussianModel& model)
      : score_(score),
        transform_(model, {score.amplitude, {}}, {score.phase_bilinear, score.phase_linear}),
        amplitude_(GaussianMoments(model).of({score.amplitude, {}})),
        constant_phase_(transform_.phase_vanishes()),
        deterministic_(transform_.deterministic()) {}

  CurvePoint at(std::uint64_t distance) const {
    const Wide t = wide_two_pi() * score_.phase_scale(distance);
    PhaseParts parts;
    // E a^2
    parts.second_moment.value = amplitude_.variance + amplitude_.mean * amplitude_.mean;
    parts.second_moment.error =
        amplitude_.variance_error +
        (2 * abs(amplitude_.mean) + amplitude_.mean_error) * amplitude_.mean_error;
    parts.first_bound = sqrt(Wide(parts.second_moment.value + parts.second_moment.error));
    const Wide half = parts.second_moment.value / 2, half_error = parts.second_moment.error / 2;
    if (t == 0 || constant_phase_) {  // the score is a
      parts.first = {amplitude_.mean, Wide(0)};
      parts.first_error = amplitude_.mean_error;
      parts.variance = {amplitude_.variance, amplitude_.variance_error};
      parts.excess = {amplitude_.variance - half, amplitude_.variance_error + half_error};
      return phase_point(distance, Engine::exact, parts);
    }
    const Transform first = transform_.at(t);
    parts.first = first.phi1;
    parts.first_error = first.error1;
    parts.underflow = first.underflow;
    if (deterministic_) {
      parts.excess = {-half, half_error};
      return phase_point(distance, Engine::exact, parts);
    }
    const Transform second = transform_.at(mutated("exact-doubled-angle", 2, 1) * t);
    const Wide mean = first.phi1.re, mean_square = mean * mean;
    parts.excess.value = second.phi2.re / mutated("exact-excess-half", 2, 1) -
                         mutated("exact-excess-sign", 1, -1) * mean_square;
    parts.excess.error = second.error2 / 2 + (2 * abs(mean) + first.error1) * first.error1 +
                         4 * wide_epsilon() * (abs(second.phi2.re) + mean_square);
    parts.variance = {mutated("exact-variance-half", 1, 2) * half + parts.excess.value,
                      half_error + parts.excess.error + 4 * wide_epsilon() * half};
    return phase_point(distance, Engine::exact, parts);
  }

 private:
  PhaseScore score_;
  GaussianTransform transform_;
  FormMoments amplitude_;
  bool constant_phase_, deterministic_;
};

/// Rotary scores: at one distance a bilinear form of q and k (eq. 2, 3).
class RotaryCurve {
 public:
  RotaryCurve(const RotaryScore& score, const GaussianModel& model)
      : score_(score), moments_(score, model) {}

  CurvePoint at(std::uint64_t distance) const {
    auto [mean, variance] = moments_.at(distance);
    Estimate envelope = moments_.envelope(distance);
    if (score_.slope != 0) {
      const Wide offset = score_.offset(distance);
      const Wide rounding = 8 * wide_epsilon() * abs(offset);
      mean = {mean.value + offset, mean.error + rounding};
      envelope = {envelope.value + abs(offset), envelope.error + rounding};
    }
    const Wide bound = envelope.value + envelope.error;
    CurvePoint point;
    point.distance = distance;
    point.engine = Engine::exact;
    point.mean = bounded_quantity(mean, -bound, bound, ErrorKind::rounding);
    point.envelope = bounded_quantity(envelope, Wide(0), bound, ErrorKind::rounding);
    point.variance =
        bounded_quantity(variance, Wide(0), moments_.variance_bound(), ErrorKind::rounding);
    for (auto* quantity : {&point.mean, &point.envelope, &point.variance}) {
      relate_to_envelope(**quantity, envelope.value);
    }
    const bool met = meets_promise(*point.mean, envelope.value) &&
                     meets_promise(*point.variance, point.variance->estimate.wide());
    point.status = met ? Status::converged : Status::target_not_met;
    return point;
  }

 private:
  RotaryScore score_;
  RotaryMoments moments_;
};

}  // namespace

DistanceCurve exact_gaussian_curve(const CurveTask& task) {
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  const ScoreModel score = lower(task.encoding, task.head_dim);
  const GaussianModel model = gaussian_model(task);
  const auto fill = [&](const auto& engine) {
    const auto& distances = task.distances.distances;
    curve.points.reserve(distances.size());
    for (const std::uint64_t distance : distances) {
      throw_if_interrupted();
      curve.points.push_back(engine.at(distance));
      if (task.progress) {
        task.progress(static_cast<double>(curve.points.size()) /
                      static_cast<double>(distances.size()));
      }
    }
  };
  if (const auto* phase = std::get_if<PhaseScore>(&score)) {
    fill(PhaseCurve(*phase, model));
  } else {
    fill(RotaryCurve(std::get<RotaryScore>(score), model));
  }
  return curve;
}

}  // namespace tapalab
