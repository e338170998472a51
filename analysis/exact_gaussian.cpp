// Closed forms of mean and variance for joint Gaussians.
#include <algorithm>
#include <map>

#include "analysis/experiment.hpp"
#include "analysis/gaussian_form.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

/// Results print 17 digits, each end of an interval too: both roundings are part of the error.
Wide printed(const Wide& estimate, const Wide& bound) {
  return bound + abs(estimate) * Wide("1e-16");
}

Quantity rounded(const Wide& estimate, const Wide& bound) {
  return with_symmetric_error(LogNumber(estimate), ErrorKind::rounding, false,
                              printed(estimate, bound));
}

/// What every exact and quadrature result promises.
Status status_of(const Quantity& mean, const Wide& envelope) {
  const bool met = mean.error.absolute.wide() <= Wide("1e-12") * envelope;
  return met || mean.error.absolute.sign() == 0 ? Status::converged : Status::target_not_met;
}

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
        amplitude_(GaussianMoments(model).of({score.amplitude, {}})) {}

  CurvePoint at(std::uint64_t distance) const {
    CurvePoint point;
    point.distance = distance;
    point.engine = Engine::exact;
    const Wide t = wide_two_pi() * score_.phase_scale(distance);
    const Transform first = transform_.at(t);
    const Transform second = transform_.at(2 * t);

    const Wide envelope = abs(first.phi1);
    point.mean = rounded(first.phi1.re, first.error1);
    point.mean->sign_resolved = abs(first.phi1.re) > first.error1 || first.error1 == 0;
    point.envelope = rounded(envelope, first.error1);
    const Wide mean_square = first.phi1.re * first.phi1.re;
    const Wide mean_square_error = (2 * abs(first.phi1.re) + first.error1) * first.error1;
    const Wide excess = second.phi2.re / 2 - mean_square;
    const Wide excess_error = second.error2 / 2 + mean_square_error +
                              4 * wide_epsilon() * (abs(second.phi2.re) + mean_square);
    point.variance_excess = rounded(excess, excess_error);
    const Wide second_moment = amplitude_.variance + amplitude_.mean * amplitude_.mean;  // E a^2
    const Wide second_moment_error =
        amplitude_.variance_error +
        (2 * abs(amplitude_.mean) + amplitude_.mean_error) * amplitude_.mean_error;
    point.variance = rounded(second_moment / 2 + excess, second_moment_error / 2 + excess_error);
    point.status = first.underflow ? Status::target_not_met : status_of(*point.mean, envelope);
    for (auto* quantity : {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
      relate_to_envelope(**quantity, envelope);
    }
    return point;
  }

 private:
  PhaseScore score_;
  GaussianTransform transform_;
  FormMoments amplitude_;
};

/// Rotary scores: at one distance a bilinear form of q and k (eq. 2, 3).
class RotaryCurve {
 public:
  RotaryCurve(const RotaryScore& score, const GaussianModel& model)
      : score_(score), moments_(model) {
    Wide sum = 0;
    for (const RotaryPair& pair : score.pairs) {
      const Wide mu = moments_.of(cosine_part(pair, Wide(1))).mean;
      const Wide nu = moments_.of(sine_part(pair, Wide(1))).mean;
      sum += sqrt(mu * mu + nu * nu);
    }
    SparseForm plain;
    append_plain(plain);
    const FormMoments rest = moments_.of(plain);
    envelope_ = score.scale * sum + abs(rest.mean);
    envelope_error_ = ldexp(wide_epsilon(), 40) * envelope_ + rest.mean_error;
  }

  CurvePoint at(std::uint64_t distance) const {
    SparseForm form;
    for (const RotaryPair& pair : score_.pairs) {
      const Wide turns = Wide(distance) * pair.frequency_turns;
      for (const SparseForm& part : {cosine_part(pair, score_.scale * cos_turns(turns)),
                                     sine_part(pair, score_.scale * sin_turns(turns))}) {
        form.bilinear.insert(form.bilinear.end(), part.bilinear.begin(), part.bilinear.end());
      }
    }
    append_plain(form);
    const FormMoments moments = moments_.of(form);
    CurvePoint point;
    point.distance = distance;
    point.engine = Engine::exact;
    // Angles below 2^63 turns keep 192 - 63 - 10 digits after the point.
    const Wide angle_error = envelope_ * ldexp(Wide(1), -110);
    point.mean = rounded(moments.mean, moments.mean_error + angle_error);
    point.envelope = rounded(envelope_, envelope_error_);
    point.variance =
        rounded(moments.variance, moments.variance_error + moments.variance * ldexp(Wide(1), -100));
    for (auto* quantity : {&point.mean, &point.envelope, &point.variance}) {
      relate_to_envelope(**quantity, envelope_);
    }
    point.status = status_of(*point.mean, envelope_);
    return point;
  }

 private:
  static SparseForm cosine_part(const RotaryPair& pair, const Wide& weight) {  // A_d
    return {{{pair.first, pair.first, weight}, {pair.second, pair.second, weight}}, {}};
  }
  static SparseForm sine_part(const RotaryPair& pair, const Wide& weight) {  // B_d
    return {{{pair.first, pair.second, weight}, {pair.second, pair.first, -weight}}, {}};
  }
  void append_plain(SparseForm& form) const {
    for (const std::uint32_t i : score_.plain) form.bilinear.push_back({i, i, score_.scale});
  }

  RotaryScore score_;
  GaussianMoments moments_;
  Wide envelope_, envelope_error_;
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
