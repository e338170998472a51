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

bool drawable(const Marginal& law) {
  return law.family != MarginalFamily::rademacher && law.family != MarginalFamily::singular;
}

}  // namespace

double ConditionalPair::log_density(double q) const {
  const double z = (q - mean_q) / scale_q;
  if (query.family() == MarginalFamily::gaussian) {
    return -0.5 * z * z - 0.918938533204672742 - std::log(scale_q);  // ln sqrt(2 pi)
  }
  return std::log(query.density(z) / scale_q);
}

double ConditionalPair::log_factor(double w, int& sign) const {
  sign = 1;
  const double y = std::abs(w);
  switch (key.family()) {
    case MarginalFamily::gaussian:
      return -0.5 * y * y;
    case MarginalFamily::sech:
      return 0.693147180559945309 - y - std::log1p(std::exp(-2 * y));
    default:
      break;
  }
  const double value = key.characteristic(y);
  if (value < 0) sign = -1;
  return std::log(std::abs(value));
}

double SplitProblem::frequency(std::uint64_t distance) const {
  return static_cast<double>(
      Wide(wide_two_pi() * score.phase_scale(distance) * score.phase_bilinear.front().weight));
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
  const auto own = [&](double q) { return pair.query.density((q - pair.mean_q) / pair.scale_q); };
  const auto target = [&](double q) {
    switch (estimator) {
      case Estimator::zero_variance:
        return own(q) * pair.key.size(damping * q);
      case Estimator::importance:  // a tenth of its own law bounds every weight
        return 0.9 * pair.query.density(q / (shrink * pair.scale_q)) / shrink + 0.1 * own(q);
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
  } else {
    // To where what is left out is below 1e-18 of the mass.
    plan.reach = 8 * pair.scale_q + std::abs(pair.mean_q);
    const double mass = std::max(target(pair.mean_q), target(0)) * inner;
    for (int step = 0; step < 200; ++step) {
      const double rest = plan.reach * std::max(target(plan.reach), target(-plan.reach));
      if (!(rest > 1e-18 * mass)) break;
      plan.reach *= 1.3;
    }
  }
  return {target, geometric_edges(plan)};
}

}  // namespace tapalab
