#include "analysis/asymptote_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tapalab {
namespace {

using Family = MarginalFamily;

/// F falls like w^-exponent; 0: faster than any power; -1: it comes back to 1 for ever.
/// `oscillates`: through 0 on the way.
struct Fall {
  double exponent;
  bool oscillates;
};
Fall fall_of(Family family) {
  switch (family) {
    case Family::laplace:
      return {2, false};
    case Family::singular:
      return {0.5, false};
    case Family::uniform:
      return {1, true};
    case Family::rademacher:
      return {-1, true};
    default:
      return {0, false};
  }
}

bool is_analytic(Family family) {
  return family == Family::gaussian || family == Family::sech || family == Family::logistic ||
         family == Family::hermite2 || family == Family::student_t;
}

Asymptote power_law(double exponent, std::string reason) {
  return {AsymptoteKind::power, exponent, std::nullopt, std::move(reason)};
}
Asymptote faster(std::string reason) {
  return {AsymptoteKind::faster_than_power, std::nullopt, std::nullopt, std::move(reason)};
}

bool no_amplitude(const PairLaw& law) {
  return law.mean_q.compare(0) == 0 || law.mean_k.compare(0) == 0;
}
constexpr const char* kNoMean =
    "the amplitude has mean 0 and is independent of the phase, so that the mean is 0 at every "
    "distance";

/// Both centred, neither rademacher: g = int f(x) F(t x) dx.
Asymptote centred(Family q, Family k, double dP) {
  // p + 1 of the density that vanishes or blows up at 0, against the fall of the other's F
  const auto order = [](Family family) {
    return family == Family::hermite2 ? 2.0 : family == Family::singular ? -0.5 : 0.0;
  };
  const auto has_flat = [](Family a, Family b) {  // x^2 beside a constant: every term vanishes
    return a == Family::hermite2 && b == Family::uniform;
  };
  if (has_flat(q, k) || has_flat(k, q)) {
    return faster(
        "hermite2 beside a density that is constant around 0: every term of the "
        "stationary-phase expansion vanishes");
  }
  const double critical = std::max(order(q), order(k)) + 1;
  const double algebraic =
      std::min(fall_of(q).exponent > 0 && !fall_of(q).oscillates ? fall_of(q).exponent : 1e9,
               fall_of(k).exponent > 0 && !fall_of(k).oscillates ? fall_of(k).exponent : 1e9);
  const double each = std::min(critical, algebraic);
  std::string why = "stationary phase: densities finite and positive at 0 give 1/s a pair";
  if (order(q) == -0.5 && order(k) == -0.5) {
    why = "both densities blow up like |x|^-1/2: (ln s) s^-1/2 a pair, the logarithm left out";
  } else if (order(q) == -0.5 || order(k) == -0.5) {
    why = "a density that blows up like |x|^-1/2 gives s^-1/2 a pair";
  } else if (critical == 3 && each == 2) {
    why = "a density that vanishes like x^2 beside a transform that falls like w^-2: s^-2 a pair";
  } else if (critical == 3) {
    why = "a density that vanishes like x^2 at the critical point gives s^-3 a pair";
  }
  return power_law(-each * dP, fmt::format("{}, dP = {}", why, dP));
}

}  // namespace

Asymptote split_product_asymptote(const ProductDensity& density, std::uint32_t phase_dim) {
  if (no_amplitude(density.amplitude)) return not_predicted(kNoMean);
  const double dP = phase_dim;
  const Family q = density.query.family, k = density.key.family;
  const bool centred_q = density.phase.mean_q.compare(0) == 0;
  const bool centred_k = density.phase.mean_k.compare(0) == 0;
  if (q == Family::rademacher || k == Family::rademacher) {
    // |g| = |sum over x = u +- 1 of F(T x) ..|/2
    const Fall fall = fall_of(q == Family::rademacher ? k : q);
    if (!centred_q || !centred_k)
      return not_predicted("two points off 0: two falls that interfere");
    if (fall.exponent < 0) {
      return not_predicted("products of +-1 tokens: the envelope comes back to |E a| for ever");
    }
    if (fall.exponent == 0) {
      return faster("+-1 beside a smooth density: the envelope is its characteristic function");
    }
    if (fall.oscillates) return not_predicted("+-1 beside uniform: the envelope passes through 0");
    return power_law(-fall.exponent * dP,
                     fmt::format("+-1 beside a transform that falls like w^-{}: dP = {}",
                                 fall.exponent, phase_dim));
  }
  if (centred_q && centred_k) return centred(q, k, dP);
  if (is_analytic(q) && is_analytic(k)) {
    // hermite2 vanishes at its own centre alone
    const bool zero_q = q == Family::hermite2 && centred_q;
    const bool zero_k = k == Family::hermite2 && centred_k;
    if (!zero_q && !zero_k) {
      return power_law(-dP, fmt::format("stationary phase: densities finite and positive at 0 give "
                                        "1/s a pair, dP = {}",
                                        phase_dim));
    }
    // f(0) = f'(0) = 0 on one side: the term of order 2 has the other's h''(0)
    return power_law(
        -3 * dP, fmt::format("a density that vanishes like x^2 at the critical point gives s^-3 "
                             "a pair where the other's second derivative does not vanish, dP = {}",
                             phase_dim));
  }
  return not_predicted(
      "a shifted density with breaks or ends: their terms oscillate beside the critical point's");
}

Asymptote linear_product_asymptote(const ProductDensity& density, std::uint32_t phase_dim) {
  if (no_amplitude(density.amplitude)) return not_predicted(kNoMean);
  const Fall q = fall_of(density.query.family), k = fall_of(density.key.family);
  if (q.exponent == 0 || k.exponent == 0) {
    return faster(
        "a linear phase has no critical point: the envelope is a product of "
        "characteristic functions, one of which falls faster than any power");
  }
  if (q.oscillates || k.oscillates) {
    return not_predicted(
        "a linear phase of densities with jumps or points: the envelope "
        "passes through 0 for ever");
  }
  const double each = q.exponent + k.exponent;
  return power_law(-each * phase_dim,
                   fmt::format("a linear phase: characteristic functions that fall like w^-{} "
                               "together, dP = {}",
                               each, phase_dim));
}

}  // namespace tapalab
