// Phase scores under independent coordinates: split TAPA (eq. 12) by powers of one pair's
// transform, TAPA with a linear phase (eq. 16) by characteristic functions. docs/theory/product.md.
#include "analysis/product_curve.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/phase_point.hpp"
#include "analysis/product_transform.hpp"
#include "analysis/stationary_phase.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/mutants.hpp"
#include "sim/score_model.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

// 1e-12 of the envelope is promised; a tenth of it is left to everything but the quadrature.
constexpr double kTarget = 9e-13;

/// Moments of the amplitude q_A.k_A/sqrt(dA): E a = sqrt(dA) E q k, and the variance of a product
/// of two coordinates, without cancellation where they are independent.
struct Amplitude {
  Wide mean, variance, second_moment;

  Amplitude(const PairLaw& law, std::uint32_t dim) {
    const Wide mq = law.mean_q.wide(), mk = law.mean_k.wide();
    const Wide sq = law.scale_q.wide(), sk = law.scale_k.wide();
    const Wide covariance = law.rho.wide() * sq * sk;  // 0 but for Gaussian pairs
    mean = sqrt(Wide(dim)) * (mq * mk + covariance);
    variance = sq * sq * sk * sk + sq * sq * mk * mk + sk * sk * mq * mq +
               covariance * (covariance + 2 * mq * mk);
    second_moment = mean * mean + variance;
  }
};

/// A product of equal or different factors, with its relative error.
struct Power {
  WideComplex value{Wide(1), Wide(0)};
  Wide error{0};
  bool quadrature = false;
  bool underflow = false;
};

// |z|, without the root where there is nothing to add.
Wide modulus(const WideComplex& z) { return z.im == 0 ? Wide(abs(z.re)) : abs(z); }

// (g + error)^n: |(1 + d)^n - 1| <= (1 + |d|)^n - 1 with d the relative error of g. A
// characteristic function, g is in the unit disc.
Power raise(const PairTransform& g, std::uint32_t n) {
  Power power;
  power.quadrature = g.method != PairMethod::closed;
  if (g.error == 0 && g.value.re == 1 && g.value.im == 0) return power;
  const Wide size = modulus(g.value);
  static const Wide log2_least = -ldexp(Wide(1), 58);
  const Wide top = size + g.error;
  long long exponent = 0;
  frexp(top, &exponent);
  if (top == 0 || n * Wide(exponent) < log2_least) {
    // Below 2^-(2^58): as large as that bound allows, the error reaching to it beyond 0.
    power.value = {ldexp(Wide(1), -(1LL << 58)), Wide(0)};
    power.error = 2 * power.value.re;
    power.underflow = true;
    return power;
  }
  const Wide relative = size > 0 ? Wide(g.error / size) : Wide(1);
  const Wide growth = n * relative;
  if (size == 0 || growth > Wide(0.5)) {
    // (|g| + error)^n bounds the modulus of the true power.
    const Wide largest = top < 1 ? pow(WideComplex{top, Wide(0)}, n).re : Wide(1);
    power.value = {};
    power.error = largest;
  } else {
    // (1 + d)^n - 1 <= n d (1 + n d) for n d <= 1/2; n multiplications round
    power.value = pow(g.value, n);
    power.error = modulus(power.value) * (growth * (1 + growth) + 8 * n * wide_epsilon());
  }
  return power;
}

Power times(const Power& a, const Power& b) {
  Power product;
  product.value = a.value * b.value;
  product.error = modulus(a.value) * b.error + modulus(b.value) * a.error + a.error * b.error;
  product.quadrature = a.quadrature || b.quadrature;
  product.underflow = a.underflow || b.underflow;
  return product;
}

/// Phi_0(t) = E e^(i t phi) over the phase coordinates.
class PhaseTransform {
 public:
  PhaseTransform(const ProductDensity& density, const PhaseScore& score)
      : density_(&density),
        linear_(!score.phase_linear.empty()),
        dim_(score.head_dim - score.amplitude_dim),
        root_(sqrt(Wide(dim_))),
        pair_(ProductPair(density.query, density.key, density.phase)) {}

  /// Split TAPA by the expansion for large t.
  PhaseTransform(StationaryPair pair, const PhaseScore& score)
      : dim_(score.head_dim - score.amplitude_dim),
        root_(sqrt(Wide(dim_))),
        stationary_(std::move(pair)) {}

  /// `t` multiplies the sum over coordinates divided by sqrt(dP).
  Power at(const Wide& t, double relative_target) const {
    const Wide each = t / root_;
    if (stationary_) return raise(t == 0 ? PairTransform{} : stationary_->at(each), dim_);
    if (!linear_)
      return raise(pair_->at(each, relative_target / dim_),
                   mutated("product-power", dim_, 2 * dim_));
    const PairLaw& law = density_->phase;
    // The means turn all factors alike: one angle for all of them keeps its digits.
    const PairTransform q = marginal_transform(density_->query, Wide(0), law.scale_q.wide(), each);
    const PairTransform k = marginal_transform(density_->key, Wide(0), law.scale_k.wide(), each);
    Power result = times(raise(q, dim_), raise(k, dim_));
    const Wide turns = t * root_ * (law.mean_q.wide() + law.mean_k.wide()) / wide_two_pi();
    if (turns == 0) return result;
    if (abs(turns) > ldexp(Wide(1), 180)) {  // no digit of the angle is left
      result.error += modulus(result.value);
      result.value = {};
      return result;
    }
    result.value = result.value * WideComplex{cos_turns(turns), sin_turns(turns)};
    result.error += modulus(result.value) * ldexp(wide_epsilon(), 4) * (1 + abs(turns));
    return result;
  }

 private:
  const ProductDensity* density_ = nullptr;
  bool linear_ = false;
  std::uint32_t dim_;
  Wide root_;  ///< sqrt(dP)
  std::optional<ProductPair> pair_;
  std::optional<StationaryPair> stationary_;
};

CurvePoint point_at(std::uint64_t distance, const PhaseScore& score, const Amplitude& amplitude,
                    const PhaseTransform& transform, Engine engine) {
  const Wide t = wide_two_pi() * score.phase_scale(distance);
  Power first = transform.at(t, kTarget);  // E e^(i 2 pi s phi)
  Power second = transform.at(Wide(2 * t), kTarget);
  // Where the phase hardly turns, a large mean amplifies errors of Var cos by (E a)^2.
  const Wide amplified = 4 * amplitude.mean * amplitude.mean * first.value.re * first.value.re;
  if (amplified > amplitude.variance) {
    const Wide part = Wide(0.1) * amplitude.variance / amplified;
    const double tighter = kTarget * std::max(1e-30, static_cast<double>(part));
    first = transform.at(t, tighter);
    second = transform.at(Wide(2 * t), tighter);
  }
  const Wide unit = 16 * wide_epsilon();
  const auto kind = [](bool quadrature) {
    return quadrature ? ErrorKind::quadrature : ErrorKind::rounding;
  };

  PhaseParts parts;
  const Wide size = abs(amplitude.mean);
  parts.first = amplitude.mean * first.value;
  parts.first_error = size * (first.error + unit * modulus(first.value));
  parts.first_bound = size * (1 + unit);
  parts.underflow = first.underflow;
  parts.first_kind = kind(first.quadrature);
  parts.variance_kind = kind(first.quadrature || second.quadrature);
  parts.second_moment = {amplitude.second_moment, unit * amplitude.second_moment};

  const Wide half_second = amplitude.second_moment / 2;
  const Wide mean = parts.first.re;
  parts.excess.value = half_second * second.value.re - mean * mean;
  parts.excess.error = half_second * second.error +
                       (2 * abs(mean) + parts.first_error) * parts.first_error +
                       unit * (half_second * modulus(second.value) + mean * mean);
  // a and c = cos(2 pi s phi) are independent: Var(a c) = Var a E c^2 + (E a)^2 Var c, where
  // nothing is subtracted but in Var c = E c^2 - (E c)^2.
  const Wide c = first.value.re;
  const Wide square = (1 + second.value.re) / 2, square_error = second.error / 2;
  const Wide spread_error = square_error + (2 * abs(c) + first.error) * first.error;
  const bool constant = t == 0;
  const Wide spread = constant ? Wide(0) : Wide(square - c * c);
  parts.variance.value = amplitude.variance * square + size * size * spread;
  parts.variance.error = amplitude.variance * square_error +
                         unit * (amplitude.variance + size * size * spread) +
                         (constant ? Wide(0) : Wide(size * size * (spread_error + unit)));
  return phase_point(distance, engine, parts);
}

}  // namespace

ProductMethod product_method(const CurveTask& task) {
  const auto& density = std::get<ProductDensity>(task.density.law);
  if (std::holds_alternative<TapaGeneralEncoding>(task.encoding.law)) return ProductMethod::none;
  if (!std::holds_alternative<TapaEncoding>(task.encoding.law)) return ProductMethod::closed;
  return ProductPair::is_closed(density.query, density.key) ? ProductMethod::closed
                                                            : ProductMethod::quadrature;
}

namespace {

DistanceCurve curve_over(const CurveTask& task, const PhaseScore& score, const Amplitude& amplitude,
                         const PhaseTransform& transform) {
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  const auto& distances = task.distances.distances;
  for (const std::uint64_t distance : distances) {
    throw_if_interrupted();
    curve.points.push_back(point_at(distance, score, amplitude, transform, task.engine));
    if (task.progress) {
      task.progress(static_cast<double>(curve.points.size()) /
                    static_cast<double>(distances.size()));
    }
  }
  return curve;
}

}  // namespace

bool is_stationary(const CurveTask& task) {
  if (!std::holds_alternative<TapaEncoding>(task.encoding.law)) return false;
  if (const auto* gaussian = std::get_if<GaussianDensity>(&task.density.law)) {
    return gaussian->phase.rho.compare(1) < 0 && gaussian->phase.rho.compare(-1) > 0;
  }
  const auto* product = std::get_if<ProductDensity>(&task.density.law);
  return product != nullptr && StationaryPair::applies(product->query) &&
         StationaryPair::applies(product->key);
}

DistanceCurve asymptotic_curve(const CurveTask& task) {
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const auto& score = std::get<PhaseScore>(model);
  if (const auto* gaussian = std::get_if<GaussianDensity>(&task.density.law)) {
    check_prefixes(GaussianDensity::name, gaussian->split, task.encoding);
    return curve_over(task, score, Amplitude(gaussian->amplitude, score.amplitude_dim),
                      PhaseTransform(StationaryPair(gaussian->phase), score));
  }
  const auto& product = std::get<ProductDensity>(task.density.law);
  return curve_over(
      task, score, Amplitude(product.amplitude, score.amplitude_dim),
      PhaseTransform(StationaryPair(product.query, product.key, product.phase), score));
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
  return curve_over(task, *score, Amplitude(density->amplitude, score->amplitude_dim),
                    PhaseTransform(*density, *score));
}

}  // namespace tapalab
