// Closed forms of mean and variance for joint Gaussians and their mixtures.
#include <algorithm>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/gaussian_form.hpp"
#include "analysis/mixture_mean.hpp"
#include "analysis/phase_point.hpp"
#include "analysis/rotary_moments.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/mutants.hpp"

namespace tapalab {
namespace {

// The density as a mixture of joint Gaussians: one, but for the density mixture.
std::vector<WeightedGaussian> gaussian_components(const CurveTask& task) {
  if (const auto* pairwise = std::get_if<GaussianDensity>(&task.density.law)) {
    return {{Wide(1), lower(*pairwise, task.encoding, task.head_dim)}};
  }
  if (const auto* full = std::get_if<FullGaussianDensity>(&task.density.law)) {
    return {{Wide(1), lower(*full, task.head_dim)}};
  }
  if (const auto* mixture = std::get_if<MixtureDensity>(&task.density.law)) {
    return lower(*mixture, task.encoding, task.head_dim);
  }
  // Mean and variance of rotary scores are those of the Gaussian with the same second moments.
  const auto* product = std::get_if<ProductDensity>(&task.density.law);
  const bool phase = std::holds_alternative<PhaseScore>(lower(task.encoding, task.head_dim));
  if (product != nullptr && !phase) {
    return {{Wide(1), moment_model(*product, task.encoding, task.head_dim)}};
  }
  throw InputError("--engine exact: density '" + task.density.spec +
                   "' is not Gaussian; accepted here: gaussian, mixture");
}

// Rounding of a weighted sum, relative to the sum of the moduli of its terms. A single weight is 1
// and adds none.
Wide sum_rounding(std::size_t terms) {
  return terms == 1 ? Wide(0) : Wide(static_cast<unsigned>(terms + 4) * wide_epsilon());
}

/// Phi_1 and Phi_2 of a mixture: the weighted sums of those of its components.
class MixtureTransform {
 public:
  MixtureTransform(const PhaseScore& score, const std::vector<WeightedGaussian>& components) {
    for (const WeightedGaussian& component : components) {
      parts_.push_back({component.weight,
                        GaussianTransform(component.model, {score.amplitude, {}},
                                          {score.phase_bilinear, score.phase_linear}),
                        GaussianMoments(component.model).of({score.amplitude, {}})});
    }
  }

  Transform at(const Wide& t) const {
    if (parts_.size() == 1) return parts_.front().transform.at(t);
    Transform sum;
    sum.underflow = true;
    Wide size1 = 0, size2 = 0;
    for (const Part& part : parts_) {
      const Transform one = part.transform.at(t);
      const Wide first = abs(one.phi1), second = abs(one.phi2);
      // E a^2 of the component bounds both, where its own error bound is beyond.
      const Wide square = part.amplitude.variance + part.amplitude.variance_error +
                          pow(Wide(abs(part.amplitude.mean) + part.amplitude.mean_error), 2);
      sum.phi1 = sum.phi1 + part.weight * one.phi1;
      sum.phi2 = sum.phi2 + part.weight * one.phi2;
      sum.error1 += part.weight * std::min(one.error1, Wide(sqrt(square) + first));
      sum.error2 += part.weight * std::min(one.error2, Wide(square + second));
      size1 += part.weight * first;
      size2 += part.weight * second;
      sum.underflow = sum.underflow && one.underflow;
    }
    sum.error1 += sum_rounding(parts_.size()) * size1;
    sum.error2 += sum_rounding(parts_.size()) * size2;
    return sum;
  }

  /// Of the amplitude: between components as well as within.
  FormMoments amplitude() const {
    if (parts_.size() == 1) return parts_.front().amplitude;
    FormMoments sum;
    Wide size = 0;
    for (const Part& part : parts_) {
      sum.mean += part.weight * part.amplitude.mean;
      sum.mean_error += part.weight * part.amplitude.mean_error;
      size += part.weight * abs(part.amplitude.mean);
    }
    sum.mean_error += sum_rounding(parts_.size()) * size;
    for (const Part& part : parts_) {
      const Wide shift = part.amplitude.mean - sum.mean;
      const Wide shift_error = part.amplitude.mean_error + sum.mean_error;
      sum.variance += part.weight * (part.amplitude.variance + shift * shift);
      sum.variance_error += part.weight * (part.amplitude.variance_error +
                                           (2 * abs(shift) + shift_error) * shift_error);
    }
    sum.variance_error += sum_rounding(parts_.size()) * sum.variance;
    return sum;
  }

  bool phase_vanishes() const {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const Part& part) { return part.transform.phase_vanishes(); });
  }
  bool deterministic() const {
    return parts_.size() == 1 && parts_.front().transform.deterministic();
  }

 private:
  struct Part {
    Wide weight;
    GaussianTransform transform;
    FormMoments amplitude;
  };
  std::vector<Part> parts_;
};

/// Phase scores: mean = Re Phi_1(2 pi s), E score^2 = (E a^2 + Re Phi_2(4 pi s))/2.
class PhaseCurve {
 public:
  /// `vanishes`: the mean is known to be 0 at every distance.
  PhaseCurve(const PhaseScore& score, const std::vector<WeightedGaussian>& components,
             bool vanishes)
      : score_(score),
        transform_(score, components),
        amplitude_(transform_.amplitude()),
        constant_phase_(transform_.phase_vanishes()),
        deterministic_(transform_.deterministic()),
        vanishes_(vanishes) {
    if (vanishes) amplitude_.mean = amplitude_.mean_error = 0;
  }

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
    const Transform first = vanishes_ ? Transform{} : transform_.at(t);
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
  MixtureTransform transform_;
  FormMoments amplitude_;
  bool constant_phase_, deterministic_, vanishes_;
};

/// Rotary scores: at one distance a bilinear form of q and k (eq. 2, 3).
class RotaryCurve {
 public:
  RotaryCurve(const RotaryScore& score, const std::vector<WeightedGaussian>& components,
              bool vanishes)
      : score_(score),
        parts_(rotary_parts(score, components)),
        envelope_(parts_),
        vanishes_(vanishes) {}

  CurvePoint at(std::uint64_t distance) const {
    auto [mean, variance] = values_at(distance);
    Estimate envelope = envelope_.at(distance);
    if (vanishes_) mean = envelope = {};
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
    point.variance = bounded_quantity(variance, Wide(0), variance_bound(), ErrorKind::rounding);
    for (auto* quantity : {&point.mean, &point.envelope, &point.variance}) {
      relate_to_envelope(**quantity, envelope.value);
    }
    const bool met = meets_promise(*point.mean, envelope.value) &&
                     meets_promise(*point.variance, point.variance->estimate.wide());
    point.status = met ? Status::converged : Status::target_not_met;
    return point;
  }

 private:
  static std::vector<RotaryMoments::Weighted> rotary_parts(
      const RotaryScore& score, const std::vector<WeightedGaussian>& components) {
    std::vector<RotaryMoments::Weighted> parts;
    for (const WeightedGaussian& component : components) {
      parts.push_back({component.weight, RotaryMoments(score, component.model)});
    }
    return parts;
  }

  /// Means of the components weighted, and the variance within and between them.
  RotaryMoments::Values values_at(std::uint64_t distance) const {
    if (parts_.size() == 1) return parts_.front().moments.at(distance);
    std::vector<RotaryMoments::Values> all;
    RotaryMoments::Values sum;
    Wide size = 0;
    for (const auto& [weight, moments] : parts_) {
      const RotaryMoments::Values& one = all.emplace_back(moments.at(distance));
      sum.mean.value += weight * one.mean.value;
      sum.mean.error += weight * one.mean.error;
      size += weight * abs(one.mean.value);
    }
    sum.mean.error += sum_rounding(parts_.size()) * size;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Wide& weight = parts_[i].weight;
      const Wide shift = all[i].mean.value - sum.mean.value;
      const Wide shift_error = all[i].mean.error + sum.mean.error;
      sum.variance.value += weight * (all[i].variance.value + shift * shift);
      sum.variance.error +=
          weight * (all[i].variance.error + (2 * abs(shift) + shift_error) * shift_error);
    }
    sum.variance.error += sum_rounding(parts_.size()) * sum.variance.value;
    return sum;
  }

  /// Var <= sum of weights times E score^2, each mean at most its envelope at distance 0.
  Wide variance_bound() const {
    if (parts_.size() == 1) return parts_.front().moments.variance_bound();
    Wide bound = 0;
    for (const auto& [weight, moments] : parts_) {
      const Estimate envelope = moments.envelope(0);
      const Wide mean = envelope.value + envelope.error;
      bound += weight * (moments.variance_bound() + mean * mean);
    }
    return bound;
  }

  RotaryScore score_;
  std::vector<RotaryMoments::Weighted> parts_;
  RotaryMoments::Envelope envelope_;
  bool vanishes_;
};

}  // namespace

DistanceCurve exact_gaussian_curve(const CurveTask& task) {
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  const ScoreModel score = lower(task.encoding, task.head_dim);
  const std::vector<WeightedGaussian> components = gaussian_components(task);
  const auto* mixture = std::get_if<MixtureDensity>(&task.density.law);
  const bool vanishes = mixture != nullptr && mixture_mean_vanishes(*mixture, task.encoding);
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
    fill(PhaseCurve(*phase, components, vanishes));
  } else {
    fill(RotaryCurve(std::get<RotaryScore>(score), components, vanishes));
  }
  return curve;
}

}  // namespace tapalab
