// ln|Phi_1| and its slope at finite distance under independent coordinates. docs/theory/fits.md, 5.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "analysis/asymptote_product.hpp"
#include "analysis/product_transform.hpp"
#include "analysis/stationary_phase.hpp"
#include "sim/marginal_law.hpp"

namespace tapalab {
namespace {

constexpr double kDecayUnit = 1e-15;
constexpr double kTimeUnit = 4e-16;  // t and w are products of doubles
const Rounded& unknown_decay() {
  static const Rounded unknown{0, std::numeric_limits<double>::infinity()};
  return unknown;
}

Rounded times_count(const Rounded& one, double count) {
  return {count * one.value, count * one.error};
}

/// ln|z| with what a relative error of z makes of it.
Rounded log_of(const WideComplex& z, const Wide& error) {
  const Wide size = abs(z);
  if (!(size > 0) || !(error < size / 2)) return unknown_decay();
  const double relative = static_cast<double>(Wide(error / size));
  const double value = static_cast<double>(Wide(log(size)));
  return {value, 2 * relative + kDecayUnit * std::abs(value)};
}

// ---- split TAPA: one pair ---------------------------------------------------------------------

/// Beyond this many scales from its centre a law has less than kBeyond of its mass, half of it on
/// either side.
double reach_of(MarginalFamily family) {
  switch (family) {
    case MarginalFamily::uniform:
      return 1.7320508075688773;
    case MarginalFamily::rademacher:
      return 1;
    case MarginalFamily::sech:  // 2 e^(-pi x/2)
      return 24;
    case MarginalFamily::logistic:  // e^(-pi x/sqrt(3))
      return 21;
    case MarginalFamily::laplace:  // e^(-sqrt(2) x)
      return 27;
    case MarginalFamily::singular:  // e^(-sqrt(3) x/2)
      return 43;
    default:  // gaussian, hermite2
      return 9;
  }
}
constexpr double kBeyond = 1e-16;

/// ln|g(t)| of one pair: by the stationary expansion where that is right to 1e-11, and by the
/// engine's integral elsewhere.
class PairDecay {
 public:
  explicit PairDecay(const ProductDensity& density)
      : integral_(density.query, density.key, density.phase) {
    const auto farthest = [](const ExactDecimal& mean, const ExactDecimal& scale,
                             const Marginal& law) {
      return std::abs(mean.value()) + reach_of(law.family) * scale.value();
    };
    farthest_ = farthest(density.phase.mean_q, density.phase.scale_q, density.query) *
                farthest(density.phase.mean_k, density.phase.scale_k, density.key);
    if (StationaryPair::applies(density.query) && StationaryPair::applies(density.key)) {
      series_ = std::make_unique<StationaryPair>(density.query, density.key, density.phase);
    }
  }

  Rounded log_modulus(double t) const {
    if (series_) {
      const PairTransform g = series_->at(Wide(t));
      if (g.error < Wide(1e-11) * abs(g.value)) return log_of(g.value, g.error);
    }
    const PairTransform g = integral_.at(Wide(t), 1e-14);
    return log_of(g.value, g.error);
  }

  /// d ln|g| / d ln t: the expansion's terms, or central differences of g of order 6, of which
  /// those of order 4 are the error. Unknown where that is not small.
  Rounded slope(double t) const {
    if (series_) {
      const PairTransform g = series_->at(Wide(t)), moved = series_->slope(Wide(t));
      const Wide size = abs(g.value);
      if (g.error < Wide(1e-11) * size && moved.error < Wide(1e-9) * size) {
        // Re (t g'/g)
        const Wide product = moved.value.re * g.value.re + moved.value.im * g.value.im;
        const Wide value = product / (size * size);
        const Wide error = (moved.error + abs(moved.value) * g.error / size) / size;
        return {static_cast<double>(value), 2 * static_cast<double>(error) + kDecayUnit};
      }
    }
    // Differences of g itself, which is smooth where its logarithm is not. It is a mean of
    // e^(itxy), up to kBeyond with |txy| <= t farthest_, so that no part of it turns by more than
    // that in a unit of ln t: the step resolves the fastest.
    const double step = std::min(0.005, 0.03 / (t * farthest_));
    if (!(step > 1e-14)) return unknown_decay();
    const double target = std::min(1e-13, 1e-8 * step);
    const PairTransform center = integral_.at(Wide(t), target);
    const Wide size = abs(center.value);
    if (!(center.error < size / 2)) return unknown_decay();
    std::array<WideComplex, 3> odd;
    WideComplex even;
    Wide rounding = 4 * kBeyond;
    for (int i = 1; i <= 3; ++i) {
      const Wide ratio = exp(Wide(i * Wide(step)));
      const PairTransform up = integral_.at(Wide(t * ratio), target);
      const PairTransform down = integral_.at(Wide(t / ratio), target);
      odd[static_cast<std::size_t>(i - 1)] = up.value - down.value;
      if (i == 1) even = up.value + down.value - Wide(2) * center.value;
      rounding = std::max(rounding, Wide(up.error + down.error + 4 * kBeyond));
    }
    const WideComplex fourth = (1 / (12 * Wide(step))) * (Wide(8) * odd[0] - odd[1]);
    const WideComplex sixth =
        (1 / (60 * Wide(step))) * (Wide(45) * odd[0] - Wide(9) * odd[1] + odd[2]);
    const Wide product = sixth.re * center.value.re + sixth.im * center.value.im;
    // t is rounded: kTimeUnit of the slope's own derivative, |g''/g| + |g'/g|^2 in ln t
    const Wide first = abs(sixth) / size, second = abs(even) / (size * Wide(step) * Wide(step));
    const Wide error = (abs(sixth - fourth) + rounding / Wide(step)) / size +
                       first * center.error / size + kTimeUnit * (second + first * first);
    const Rounded result{static_cast<double>(Wide(product / (size * size))),
                         static_cast<double>(error) + kDecayUnit};
    return result.error <= 0.1 * (1 + std::abs(result.value)) ? result : unknown_decay();
  }

 private:
  ProductPair integral_;
  double farthest_ = 0;  ///< (|mean| + reach scale) of the query times that of the key
  std::unique_ptr<StationaryPair> series_;
};

// ---- linear phase: characteristic functions ---------------------------------------------------

/// d ln|F| / d ln w of a law with a closed characteristic function.
Wide transform_log_slope(MarginalFamily family, const Wide& w) {
  const Wide root3 = sqrt(Wide(3));
  switch (family) {
    case MarginalFamily::gaussian:
      return -w * w;
    case MarginalFamily::sech: {  // -w tanh w
      const Wide e = exp(Wide(-2 * w));
      return -w * (1 - e) / (1 + e);
    }
    case MarginalFamily::logistic: {  // 1 - z coth z
      const Wide z = root3 * w;
      if (z < Wide(1e-20)) return -z * z / 3;
      const Wide e = exp(Wide(-2 * z));
      return 1 - z * (1 + e) / (1 - e);
    }
    case MarginalFamily::hermite2:
      return -w * w / 3 - 2 * w * w / (3 - w * w);
    case MarginalFamily::laplace:
      return -w * w / (1 + w * w / 2);
    case MarginalFamily::uniform: {  // z cot z - 1
      const Wide z = root3 * w;
      return z * detail::cosine(z) / detail::sine(z) - 1;
    }
    case MarginalFamily::rademacher:
      return -w * detail::sine(w) / detail::cosine(w);
    case MarginalFamily::singular: {  // F = sqrt((r + 1)/2)/r, r^2 = 1 + z^2
      const Wide z = 2 * w / root3, r = sqrt(Wide(1 + z * z));
      return z * z / r * (1 / (2 * (r + 1)) - 1 / r);
    }
    default:
      return Wide(0);
  }
}

bool oscillates(MarginalFamily family) {
  return family == MarginalFamily::uniform || family == MarginalFamily::rademacher;
}

}  // namespace

void fill_split_product(DecayLaw& law, const ProductDensity& density, std::uint32_t phase_dim) {
  const auto closed = [](const Marginal& side) { return facts(side).closed_characteristic; };
  if (!closed(density.query) || !closed(density.key)) return;
  const auto pair = std::make_shared<const PairDecay>(density);
  const double per_scale = law.t_per_scale, dP = phase_dim;
  law.log_envelope = [=](double s) { return times_count(pair->log_modulus(per_scale * s), dP); };
  law.exponent_in_scale = [=](double s) { return times_count(pair->slope(per_scale * s), dP); };
  law.predicted_kind = ErrorKind::quadrature;
}

void fill_linear_product(DecayLaw& law, const ProductDensity& density, std::uint32_t phase_dim) {
  const auto closed = [](const Marginal& side) { return facts(side).closed_characteristic; };
  if (!closed(density.query) || !closed(density.key)) return;
  struct Side {
    MarginalLaw<Wide> law;
    Wide scale;
  };
  const std::array<Side, 2> sides{
      Side{MarginalLaw<Wide>(density.query), density.phase.scale_q.wide()},
      Side{MarginalLaw<Wide>(density.key), density.phase.scale_k.wide()}};
  const double per_scale = law.t_per_scale, dP = phase_dim;
  // Where F passes through 0 its relative error is the swing's, and the logarithm says nothing.
  const auto unit = [](const Side& side, const Wide& w) {
    const Wide F = abs(side.law.characteristic(w));
    return F > 0 ? static_cast<double>(Wide(side.law.size(w) / F))
                 : std::numeric_limits<double>::infinity();
  };
  law.log_envelope = [=](double s) {
    Rounded sum;
    for (const Side& side : sides) {
      const Wide w = side.scale * per_scale * s;
      const Wide F = abs(side.law.characteristic(w));
      if (!(F > 0)) return unknown_decay();
      const double value = static_cast<double>(Wide(log(F)));
      sum.value += value;
      // w is rounded to double
      sum.error +=
          kDecayUnit * (std::abs(value) + unit(side, w)) +
          kTimeUnit * std::abs(static_cast<double>(transform_log_slope(side.law.family(), w)));
    }
    return times_count(sum, dP);
  };
  law.exponent_in_scale = [=](double s) {
    Rounded sum;
    for (const Side& side : sides) {
      const Wide w = side.scale * per_scale * s;
      const double slope = static_cast<double>(transform_log_slope(side.law.family(), w));
      if (!std::isfinite(slope)) return unknown_decay();
      sum.value += slope;
      // the slope's own derivative in ln w: of z cot z and z tan z it has z^2 beside the square
      sum.error += kDecayUnit * (1 + std::abs(slope)) * (1 + std::abs(slope));
      if (oscillates(side.law.family()))
        sum.error += 3 * kTimeUnit * static_cast<double>(Wide(w * w));
    }
    return times_count(sum, dP);
  };
}

}  // namespace tapalab
