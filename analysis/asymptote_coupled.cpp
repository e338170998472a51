#include "analysis/asymptote_coupled.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/smoothed_curve.hpp"

namespace tapalab {
namespace {

constexpr double kMostPairProducts = 1e9;

Asymptote coupled_power(double exponent, std::string reason) {
  return {AsymptoteKind::power, exponent, std::nullopt, std::move(reason)};
}

bool is_degenerate(const PairLaw& law) { return abs(law.rho.wide()) == 1; }

/// E q k of a coordinate.
Wide product_mean(const PairLaw& law) {
  return law.rho.wide() * law.scale_q.wide() * law.scale_k.wide() +
         law.mean_q.wide() * law.mean_k.wide();
}

/// The density of n pairs of phase coordinates at 0, without (2 pi)^-n: |rho| < 1.
Wide density_at_zero(const PairLaw& law, std::uint32_t n) {
  const Wide sq = law.scale_q.wide(), sk = law.scale_k.wide(), rho = law.rho.wide();
  const Wide u = law.mean_q.wide() / sq, v = law.mean_k.wide() / sk, rest = 1 - rho * rho;
  const Wide exponent =
      (u * u - 2 * rho * u * v + v * v) / (2 * rest) + log(Wide(sq * sk)) + log(rest) / 2;
  return exp(Wide(-exponent * n));
}

}  // namespace

Asymptote split_mixture_asymptote(const MixtureDensity& density, std::uint32_t phase_dim) {
  Wide sum = 0, size = 0;
  for (const MixtureComponent& component : density.components) {
    const auto* law = std::get_if<GaussianDensity>(&component.law);
    if (law == nullptr || is_degenerate(law->phase)) {
      return not_predicted(
          "a component has a full covariance, or |rho| = 1 in its phase: its critical set is not "
          "looked into");
    }
    const Wide weight = component.weight ? component.weight->wide() : Wide(1);
    const Wide part =
        weight * product_mean(law->amplitude) * density_at_zero(law->phase, phase_dim);
    sum += part;
    size += abs(part);
  }
  if (abs(sum) <= Wide(1e-9) * size) {
    return not_predicted("the components' amplitudes cancel at x_P = 0, or all have mean 0");
  }
  return coupled_power(
      -static_cast<double>(phase_dim),
      fmt::format("stationary phase: every component falls like s^-dP, dP = {}, and their sum at "
                  "x_P = 0 is not 0",
                  phase_dim));
}

Asymptote split_radial_asymptote(const RadialDensity& density, std::uint32_t phase_dim) {
  const PairLaw& a = density.amplitude;
  const Wide means = a.mean_q.wide() * a.mean_k.wide();
  const Wide covariance = a.rho.wide() * a.scale_q.wide() * a.scale_k.wide();
  if (is_degenerate(density.phase)) {
    return not_predicted("|rho| = 1 in the phase: its critical set is not looked into");
  }
  if (means * covariance < 0 || (means == 0 && covariance == 0)) {
    return not_predicted(
        "given x_P = 0 the amplitude's mean is mean_q mean_k + rho scale_q scale_k E[R^2 | x_P = "
        "0] times sqrt(dA), which is 0 or may be");
  }
  return coupled_power(
      -static_cast<double>(phase_dim),
      fmt::format("stationary phase: the density is smooth, and the amplitude's mean at x_P = 0 is "
                  "not 0: the envelope falls like s^-dP, dP = {}",
                  phase_dim));
}

Asymptote split_smoothed_asymptote(const EmpiricalDensity& density, std::uint32_t amplitude_dim,
                                   std::uint32_t phase_dim) {
  if (density.pairs == PairRule::at_distance || !density.table) {
    return not_predicted("every distance has pairs of its own");
  }
  const TokenTable& table = *density.table;
  const std::size_t dim = table.head_dim;
  const empirical::PairLists lists(density.pairs, table.tokens, 0);
  if (lists.pairs() * amplitude_dim > kMostPairProducts) {
    return not_predicted("the file has too many pairs to sum their amplitudes at x_P = 0");
  }
  // t -> infinity: Delta^(-dP/2) -> (t' h^2)^-dP, t'/Delta -> 0, c -> 1/(2 h^2)
  const double h = density.bandwidth.value();
  const auto norms = [&](const std::vector<double>& rows) {
    std::vector<double> result;
    for (std::size_t m = 0; m < table.tokens; ++m) {
      double sum = 0;
      for (std::size_t i = amplitude_dim; i < dim; ++i)
        sum += rows[m * dim + i] * rows[m * dim + i];
      result.push_back(sum / (2 * h * h));
    }
    return result;
  };
  const std::vector<double> q = norms(table.queries), k = norms(table.keys);
  const auto each_pair = [&](const auto& pair) {
    for (std::size_t m = 0; m < table.tokens; ++m) {
      const auto keys = lists.of(m);
      for (std::size_t n = keys.first; n < keys.first + keys.count; ++n) pair(m, n);
    }
  };
  double least = std::numeric_limits<double>::infinity();
  each_pair([&](std::size_t m, std::size_t n) { least = std::min(least, q[m] + k[n]); });
  double sum = 0, size = 0;
  each_pair([&](std::size_t m, std::size_t n) {
    const double weight = std::exp(least - q[m] - k[n]);
    if (weight == 0) return;
    double a = 0, absolute = 0;
    for (std::size_t i = 0; i < amplitude_dim; ++i) {
      const double product = table.queries[m * dim + i] * table.keys[n * dim + i];
      a += product;
      absolute += std::abs(product);
    }
    sum += weight * a;
    size += weight * absolute;
  });
  if (!(std::abs(sum) > 1e-9 * size)) {
    return not_predicted("the amplitudes of the file's pairs cancel at x_P = 0");
  }
  return coupled_power(
      -static_cast<double>(phase_dim),
      fmt::format("a Gaussian around every pair of tokens: the envelope falls like s^-dP, dP = {}",
                  phase_dim));
}

}  // namespace tapalab
