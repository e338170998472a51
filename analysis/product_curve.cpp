// Phase scores under independent coordinates: split TAPA (eq. 12) by powers of one pair's
// transform, TAPA with a linear phase (eq. 16) by characteristic functions. docs/theory/product.md.
#include "analysis/product_curve.hpp"

#include <cmath>

#include "analysis/product_transform.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/score_model.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

// 1e-12 of the envelope is promised; a tenth of it is left to everything but the quadrature.
constexpr double kTarget = 9e-13;
// Phi_2 enters the variance alone, which carries its own error.
constexpr double kSecondTarget = 1e-9;

/// Mean and second moment of the amplitude q_A.k_A/sqrt(dA): E a = sqrt(dA) mean_q mean_k, and the
/// variance of a product of independent coordinates, without cancellation.
struct Amplitude {
  Wide mean, second_moment;

  Amplitude(const PairLaw& law, std::uint32_t dim) {
    const Wide mq = law.mean_q.wide(), mk = law.mean_k.wide();
    const Wide sq = law.scale_q.wide(), sk = law.scale_k.wide();
    mean = sqrt(Wide(dim)) * mq * mk;
    second_moment = mean * mean + sq * sq * sk * sk + sq * sq * mk * mk + sk * sk * mq * mq;
  }
};

/// A product of equal or different factors, with its relative error.
struct Power {
  WideComplex value{Wide(1), Wide(0)};
  Wide error{0};
  bool quadrature = false;
  bool underflow = false;
};

// (g + error)^n: |(1 + d)^n - 1| <= (1 + |d|)^n - 1 with d the relative error of g.
Power raise(const PairTransform& g, std::uint32_t n) {
  Power power;
  power.quadrature = g.method != PairMethod::closed;
  const Wide size = abs(g.value);
  static const Wide log_least = -ldexp(Wide(1), 58);  // in natural logarithms: above Wide's end
  const Wide top = size + g.error;
  if (top == 0 || n * log(top) < log_least) {
    power.value = {};
    power.error = exp(log_least);
    power.underflow = true;
    return power;
  }
  power.value = pow(g.value, n);
  const Wide relative = size > 0 ? Wide(g.error / size) : Wide(1);
  const Wide growth = n * relative;
  if (size == 0 || growth > Wide(0.5)) {
    power.error = pow(WideComplex{top, Wide(0)}, n).re + abs(power.value);
  } else {
    // (1 + d)^n - 1 <= n d (1 + n d) for n d <= 1/2; n multiplications round
    power.error = abs(power.value) * (growth * (1 + growth) + 8 * n * wide_epsilon());
  }
  return power;
}

Power times(const Power& a, const Power& b) {
  Power product;
  product.value = a.value * b.value;
  product.error = abs(a.value) * b.error + abs(b.value) * a.error + a.error * b.error;
  product.quadrature = a.quadrature || b.quadrature;
  product.underflow = a.underflow || b.underflow;
  return product;
}

/// Phi_0(t) = E e^(i t phi) over the phase coordinates.
class PhaseTransform {
 public:
  PhaseTransform(const ProductDensity& density, const PhaseScore& score)
      : density_(density),
        linear_(!score.phase_linear.empty()),
        dim_(score.head_dim - score.amplitude_dim),
        pair_(density.query, density.key, density.phase) {}

  /// `t` multiplies the sum over coordinates divided by sqrt(dP).
  Power at(const Wide& t, double relative_target) const {
    const Wide each = t / sqrt(Wide(dim_));
    if (!linear_) return raise(pair_.at(each, relative_target / dim_), dim_);
    const PairLaw& law = density_.phase;
    // The means turn all factors alike: one angle for all of them keeps its digits.
    const PairTransform q = marginal_transform(density_.query, Wide(0), law.scale_q.wide(), each);
    const PairTransform k = marginal_transform(density_.key, Wide(0), law.scale_k.wide(), each);
    Power result = times(raise(q, dim_), raise(k, dim_));
    const Wide turns =
        t * sqrt(Wide(dim_)) * (law.mean_q.wide() + law.mean_k.wide()) / wide_two_pi();
    result.value = result.value * WideComplex{cos_turns(turns), sin_turns(turns)};
    result.error += abs(result.value) * ldexp(wide_epsilon(), 4) * (1 + abs(turns));
    return result;
  }

 private:
  const ProductDensity& density_;
  bool linear_;
  std::uint32_t dim_;
  ProductPair pair_;
};

Quantity quantity(const Wide& estimate, const Wide& bound, bool quadrature) {
  // Results print 17 digits, each end of an interval too: both roundings are part of the error.
  return with_symmetric_error(LogNumber(estimate),
                              quadrature ? ErrorKind::quadrature : ErrorKind::rounding, false,
                              bound + abs(estimate) * Wide("1e-16"));
}

CurvePoint point_at(std::uint64_t distance, const PhaseScore& score, const Amplitude& amplitude,
                    const PhaseTransform& transform, Engine engine) {
  CurvePoint point;
  point.distance = distance;
  point.engine = engine;
  const Wide t = wide_two_pi() * score.phase_scale(distance);
  const Power first = transform.at(t, kTarget);
  const Power second = transform.at(Wide(2 * t), kSecondTarget);

  const Wide mean = amplitude.mean * first.value.re;
  const Wide mean_error = abs(amplitude.mean) * first.error + abs(mean) * 8 * wide_epsilon();
  const Wide envelope = abs(amplitude.mean) * abs(first.value);
  point.mean = quantity(mean, mean_error, first.quadrature);
  point.mean->sign_resolved = abs(mean) > mean_error || mean_error == 0;
  point.envelope = quantity(envelope, mean_error, first.quadrature);

  const Wide half_second = amplitude.second_moment / 2;
  const Wide square_error = (2 * abs(mean) + mean_error) * mean_error;
  const Wide excess = half_second * second.value.re - mean * mean;
  const Wide excess_error = half_second * second.error + square_error +
                            16 * wide_epsilon() * (half_second * abs(second.value) + mean * mean);
  const bool quadrature = first.quadrature || second.quadrature;
  point.variance_excess = quantity(excess, excess_error, quadrature);
  point.variance =
      quantity(half_second + excess, excess_error + 16 * wide_epsilon() * half_second, quadrature);
  const bool met = point.mean->error.absolute.wide() <= Wide("1e-12") * envelope ||
                   point.mean->error.absolute.sign() == 0;
  point.status = met && !first.underflow ? Status::converged : Status::target_not_met;
  for (auto* each : {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
    relate_to_envelope(**each, envelope);
  }
  return point;
}

}  // namespace

ProductMethod product_method(const CurveTask& task) {
  const auto& density = std::get<ProductDensity>(task.density.law);
  if (std::holds_alternative<TapaGeneralEncoding>(task.encoding.law)) return ProductMethod::none;
  if (!std::holds_alternative<TapaEncoding>(task.encoding.law)) return ProductMethod::closed;
  return ProductPair::is_closed(density.query, density.key) ? ProductMethod::closed
                                                            : ProductMethod::quadrature;
}

DistanceCurve product_curve(const CurveTask& task) {
  const auto* density = std::get_if<ProductDensity>(&task.density.law);
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const auto* score = std::get_if<PhaseScore>(&model);
  if (density == nullptr || score == nullptr || score->amplitude_dim == 0) {
    throw InputError("--engine quadrature: " + printable(task.encoding.spec) + " under " +
                     printable(task.density.spec) +
                     " is not a product over coordinates; accepted: tapa or tapa-linear with "
                     "independent coordinates");
  }
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  const Amplitude amplitude(density->amplitude, score->amplitude_dim);
  const PhaseTransform transform(*density, *score);
  const auto& distances = task.distances.distances;
  for (const std::uint64_t distance : distances) {
    throw_if_interrupted();
    curve.points.push_back(point_at(distance, *score, amplitude, transform, task.engine));
    if (task.progress) {
      task.progress(static_cast<double>(curve.points.size()) /
                    static_cast<double>(distances.size()));
    }
  }
  return curve;
}

}  // namespace tapalab
