#include "analysis/conditional/phase_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/errors.hpp"
#include "sim/product_sampler.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

double number(const ExactDecimal& decimal) { return decimal.value(); }

ConditionalPair make_pair(const Marginal& query, const Marginal& key, const PairLaw& law) {
  const double rho = number(law.rho), scale_q = number(law.scale_q), scale_k = number(law.scale_k);
  return {MarginalLaw<double>(query),
          MarginalLaw<double>(key),
          number(law.mean_q),
          scale_q,
          number(law.mean_k),
          rho * scale_k / scale_q,
          scale_k * std::sqrt((1 - rho) * (1 + rho))};
}

// Squares of angles, of scales and of means remain numbers.
constexpr double kLargestAngle = 1e140;
constexpr double kLn2 = 0.693147180559945309;

/// ln of the density, of any size but under bump, where it is -infinity below 1e-308.
double log_density_of(const MarginalLaw<double>& law, double z) {
  const double y = std::abs(z);
  switch (law.family()) {
    case MarginalFamily::gaussian:
      return -0.5 * z * z - 0.918938533204672742;  // ln sqrt(2 pi)
    case MarginalFamily::sech: {
      const double x = 1.57079632679489662 * y;  // pi/2
      return -x - std::log1p(std::exp(-2 * x));
    }
    case MarginalFamily::logistic: {
      const double rate = 1.81379936423421785;  // pi/sqrt(3)
      return std::log(rate) - rate * y - 2 * std::log1p(std::exp(-rate * y));
    }
    case MarginalFamily::hermite2:
      // 3 sqrt(3)/sqrt(2 pi) y^2 e^(-3 y^2/2)
      return 1.64791843300216454 - 0.918938533204672742 + 2 * std::log(y) - 1.5 * y * y;
    case MarginalFamily::laplace:
      return -std::sqrt(2.0) * y - 0.5 * kLn2;
    default:
      return std::log(law.density(z));
  }
}

double log_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

bool drawable(const Marginal& law) {
  return law.family != MarginalFamily::rademacher && law.family != MarginalFamily::singular;
}

}  // namespace

double ConditionalPair::log_density(double q) const {
  return log_density_of(query, (q - mean_q) / scale_q) - std::log(scale_q);
}

double ConditionalPair::log_size(double w) const {
  const double y = std::abs(w);
  switch (key.family()) {
    case MarginalFamily::hermite2:
      return std::log1p(y * y / 3) - y * y / 6;
    case MarginalFamily::bump:
      return std::min(0.0, std::log(16.0) - std::sqrt(y * key.half_width()));
    case MarginalFamily::uniform:
      return std::log(key.size(y));
    default: {
      int sign = 1;
      return log_factor(w, sign);
    }
  }
}

double ConditionalPair::log_factor(double w, int& sign) const {
  sign = 1;
  const double y = std::abs(w);
  switch (key.family()) {
    case MarginalFamily::gaussian:
      return -0.5 * y * y;
    case MarginalFamily::sech:
      return kLn2 - y - std::log1p(std::exp(-2 * y));
    case MarginalFamily::logistic: {  // z/sinh z
      const double z = std::sqrt(3.0) * y;
      if (z < 1) return std::log(key.characteristic(y));
      return kLn2 + std::log(z) - z - std::log1p(-std::exp(-2 * z));
    }
    case MarginalFamily::hermite2: {
      const double swing = 1 - y * y / 3;
      if (swing < 0) sign = -1;
      return std::log(std::abs(swing)) - y * y / 6;
    }
    default:
      break;
  }
  const double value = key.characteristic(y);
  if (value < 0) sign = -1;
  return std::log(std::abs(value));
}

double SplitProblem::frequency(std::uint64_t distance) const {
  const Wide frequency =
      wide_two_pi() * score.phase_scale(distance) * score.phase_bilinear.front().weight;
  const double query = 1 + std::abs(phase.scale_q) + std::abs(phase.mean_q);
  const double key = 1 + std::abs(phase.spread) + std::abs(phase.slope) + std::abs(phase.mean_k);
  if (!(abs(frequency) * Wide(query) * Wide(key) <= Wide(kLargestAngle))) {
    throw InputError(
        fmt::format("--distances: at {} phases are of more than 1e140 radians, which conditional "
                    "estimates do not hold; accepted: a smaller distance or alpha, or --engine "
                    "exact or quadrature",
                    distance));
  }
  return static_cast<double>(frequency);
}

std::string conditional_refusal(const CurveTask& task) {
  if (!std::holds_alternative<TapaEncoding>(task.encoding.law)) {
    return "it integrates the bilinear phase of the encoding tapa alone";
  }
  if (const auto* product = std::get_if<ProductDensity>(&task.density.law)) {
    if (!drawable(product->query) || !drawable(product->key)) {
      return "it draws from densities that are finite, which rademacher and singular are not";
    }
    return {};
  }
  if (!std::holds_alternative<GaussianDensity>(task.density.law)) {
    return "it needs independent pairs of coordinates";
  }
  return {};
}

SplitProblem split_problem(const CurveTask& task) {
  const std::string refusal = conditional_refusal(task);
  if (!refusal.empty()) {
    throw InputError(fmt::format(
        "--engine: conditional does not apply to {} under {}: {}; accepted: auto, mc, or tapa "
        "under gaussian and laws of independent coordinates",
        printable(task.encoding.spec), printable(task.density.spec), refusal));
  }
  auto score = std::get<PhaseScore>(lower(task.encoding, task.head_dim));
  const auto dim = static_cast<std::uint32_t>(score.phase_bilinear.size());
  const double weight = static_cast<double>(score.amplitude.front().weight);
  const auto amplitude_dim = static_cast<std::uint32_t>(score.amplitude.size());
  if (const auto* product = std::get_if<ProductDensity>(&task.density.law)) {
    lower(*product, task.encoding, task.head_dim);  // refuses what does not fit
    return {make_pair(product->query, product->key, product->amplitude),
            make_pair(product->query, product->key, product->phase),
            amplitude_dim,
            dim,
            weight,
            std::move(score)};
  }
  const auto& gaussian = std::get<GaussianDensity>(task.density.law);
  lower(gaussian, task.encoding, task.head_dim);
  const Marginal normal;
  return {make_pair(normal, normal, gaussian.amplitude),
          make_pair(normal, normal, gaussian.phase),
          amplitude_dim,
          dim,
          weight,
          std::move(score)};
}

Proposal make_proposal(const ConditionalPair& pair, Estimator estimator, double t) {
  // The scale below which the closed factor does not damp q.
  const double damping = std::abs(t) * pair.spread;
  const double inner = 1 / (1 / pair.scale_q + damping);
  const double shrink = 1 / std::sqrt(1 + damping * damping * pair.scale_q * pair.scale_q);
  const double half_width = pair.query.half_width();
  const auto own = [&](double q) { return pair.log_density(q); };
  const auto target = [&](double q) {
    switch (estimator) {
      case Estimator::zero_variance:
        return own(q) + pair.log_size(damping * q);
      case Estimator::importance:  // a tenth of its own law bounds every weight
        return log_sum(std::log(0.9 / (shrink * pair.scale_q)) +
                           log_density_of(pair.query, q / (shrink * pair.scale_q)),
                       std::log(0.1) + own(q));
      default:
        return own(q);
    }
  };
  EdgePlan plan;
  plan.centres = {0.0};
  if (pair.mean_q != 0) plan.centres.push_back(pair.mean_q);
  plan.inner = inner;
  if (half_width > 0) {
    // The ends themselves may round to where the density is 0.
    plan.support_centre = pair.mean_q;
    plan.limit = half_width * pair.scale_q * (1 - 1e-13);
    plan.reach = 2 * (plan.limit + std::abs(pair.mean_q));
    // F may fall from an end at a rate of its own.
    plan.centres.push_back(plan.support_centre - plan.limit);
    plan.centres.push_back(plan.support_centre + plan.limit);
  } else {
    // To where what is left out is below 1e-18 of the mass.
    plan.reach = 8 * pair.scale_q + std::abs(pair.mean_q);
    const double mass = std::max(target(pair.mean_q), target(0)) + std::log(inner);
    for (int step = 0; step < 200; ++step) {
      const double rest = std::log(plan.reach) + std::max(target(plan.reach), target(-plan.reach));
      if (!(rest > mass - 41.4)) break;
      plan.reach *= 1.3;
    }
  }
  const std::vector<double> edges = geometric_edges(plan);
  if (estimator == Estimator::zero_variance) {
    // Where a density or a transform has no logarithm of its own, it ends at 1e-308: the target
    // must be far above that somewhere, or what it leaves out may be all there is. Then q's own law
    // serves, and its samples tell what is lost.
    double peak = -std::numeric_limits<double>::infinity();
    for (const double q : edges) peak = std::max(peak, target(q));
    const bool ends = pair.query.family() == MarginalFamily::bump ||
                      pair.key.family() == MarginalFamily::student_t;
    if (std::isinf(peak) || (ends && peak < -500)) return {own, edges};
  }
  return {target, edges};
}

}  // namespace tapalab
