#include "proofs-check/assumption_2_1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "analysis/empirical_moments.hpp"
#include "proofs-check/activation_heads.hpp"
#include "proofs-check/evidence.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr slong kAssumption21Bits = 128;

/// Averages over all pairs of tokens from the averages over single tokens, in ball arithmetic:
/// mean over (m, n) of q_m,i k_n,j is the product of two means. Another route than the sums over
/// pairs of the empirical engine.
struct TokenMeans {
  std::vector<Ball> q, k, q_squared, k_squared;
  std::vector<Ball> q_cross, k_cross;  ///< of coordinate d times coordinate d + D/2
};

std::vector<Ball> cross_means(const std::vector<double>& values, std::uint32_t dim) {
  const std::size_t half = dim / 2;
  std::vector<Ball> sums(half, Ball(0, kAssumption21Bits));
  for (std::size_t row = 0; row < values.size(); row += dim)
    for (std::size_t d = 0; d < half; ++d)
      sums[d] += Ball::exactly(values[row + d], kAssumption21Bits) *
                 Ball::exactly(values[row + d + half], kAssumption21Bits);
  for (Ball& sum : sums) sum /= Ball(static_cast<slong>(values.size() / dim), kAssumption21Bits);
  return sums;
}

std::vector<Ball> column_means(const std::vector<double>& values, std::uint32_t dim, bool squared) {
  std::vector<Ball> sums(dim, Ball(0, kAssumption21Bits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Ball x = Ball::exactly(values[i], kAssumption21Bits);
    sums[i % dim] += squared ? x * x : x;
  }
  for (Ball& sum : sums) sum /= Ball(static_cast<slong>(values.size() / dim), kAssumption21Bits);
  return sums;
}

TokenMeans token_means(const TokenTable& table) {
  return {column_means(table.queries, table.head_dim, false),
          column_means(table.keys, table.head_dim, false),
          column_means(table.queries, table.head_dim, true),
          column_means(table.keys, table.head_dim, true),
          cross_means(table.queries, table.head_dim),
          cross_means(table.keys, table.head_dim)};
}

/// mu_d of pair (d, d + D/2), over all pairs of tokens.
std::vector<Ball> all_pairs_mu(const TokenMeans& means) {
  const std::size_t half = means.q.size() / 2;
  std::vector<Ball> mu;
  for (std::size_t d = 0; d < half; ++d)
    mu.push_back(means.q[d] * means.k[d] + means.q[d + half] * means.k[d + half]);
  return mu;
}
std::vector<Ball> all_pairs_nu(const TokenMeans& means) {
  const std::size_t half = means.q.size() / 2;
  std::vector<Ball> nu;
  for (std::size_t d = 0; d < half; ++d)
    nu.push_back(means.q[d] * means.k[d + half] - means.q[d + half] * means.k[d]);
  return nu;
}
std::vector<Ball> all_pairs_sigma2(const TokenMeans& means) {
  std::vector<Ball> sigma2;
  for (std::size_t i = 0; i < means.q.size(); ++i)
    sigma2.push_back(means.q_squared[i] * means.k_squared[i]);
  return sigma2;
}

Ball smallest(const std::vector<Ball>& values) {
  return *std::min_element(values.begin(), values.end(),
                           [](const Ball& a, const Ball& b) { return certainly_less(a, b); });
}
Ball largest(const std::vector<Ball>& values) {
  return *std::max_element(values.begin(), values.end(),
                           [](const Ball& a, const Ball& b) { return certainly_less(a, b); });
}

/// The engine's sums over pairs against the balls.
Evidence agreement(const std::string& quantity, const std::vector<MomentEstimate>& estimates,
                   const std::vector<Ball>& truth) {
  double worst = 0;
  bool holds = estimates.size() == truth.size();
  double scale = 0;
  for (const Ball& ball : truth)
    scale = std::max(scale, std::abs(static_cast<double>(ball.midpoint_wide())));
  for (std::size_t d = 0; holds && d < truth.size(); ++d) {
    const Ball difference = Ball::exactly(estimates[d].estimate, kAssumption21Bits) - truth[d];
    worst = std::max(worst, std::abs(static_cast<double>(difference.midpoint_wide())));
  }
  holds = holds && worst <= 1e-11 * scale;
  return {"ball",
          quantity + ", largest difference between sums over pairs and products of means",
          fmt::format("<= {:.1e}", 1e-11 * scale),
          fmt::format("{:.2e}", worst),
          largest(truth).radius() + " (ball)",
          holds};
}

/// Under the assumption all intervals contain one number, so that the largest lower end is at most
/// the smallest upper end.
Evidence disjoint(const std::string& quantity, const std::vector<MomentEstimate>& estimates,
                  const std::string& how_sure, const std::string& how) {
  const auto lower =
      std::max_element(estimates.begin(), estimates.end(),
                       [](const auto& a, const auto& b) { return a.lower < b.lower; });
  const auto upper =
      std::min_element(estimates.begin(), estimates.end(),
                       [](const auto& a, const auto& b) { return a.upper < b.upper; });
  return {"empirical",
          fmt::format("{}, {}: largest lower end (index {}) - smallest upper end (index {})",
                      quantity, how, lower - estimates.begin(), upper - estimates.begin()),
          "> 0: no common value",
          fmt::format("{:.4g}", lower->lower - upper->upper),
          how_sure,
          lower->lower > upper->upper};
}

struct Interval {
  double low, high;
  void widen(const Interval& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

/// What the averages over all pairs of tokens span, for the text.
struct Ranges {
  Interval mu, coordinate_ratio, pair_ratio;
  void widen(const Ranges& other) {
    mu.widen(other.mu);
    coordinate_ratio.widen(other.coordinate_ratio);
    pair_ratio.widen(other.pair_ratio);
  }
};

double ratio(const std::vector<Ball>& values) {
  return static_cast<double>((largest(values) / smallest(values)).midpoint_wide());
}

Ranges ranges_of(const TokenMeans& means) {
  const std::vector<Ball> mu = all_pairs_mu(means), sigma2 = all_pairs_sigma2(means);
  const std::size_t half = mu.size();
  std::vector<Ball> of_pair;
  // E (q_d.k_d)^2 with q_d, k_d of two coordinates each
  for (std::size_t d = 0; d < half; ++d)
    of_pair.push_back(sigma2[d] + sigma2[d + half] + means.q_cross[d] * means.k_cross[d] * 2);
  const double coordinates = ratio(sigma2), pairs = ratio(of_pair);
  return {{static_cast<double>(smallest(mu).midpoint_wide()),
           static_cast<double>(largest(mu).midpoint_wide())},
          {coordinates, coordinates},
          {pairs, pairs}};
}

}  // namespace

ClaimResult check_assumption_2_1(const ClaimContext& context, const Assumption21Options& options) {
  ClaimResult result;
  if (std::error_code ignored;
      context.activations.empty() || !std::filesystem::exists(context.activations, ignored)) {
    result.reason =
        "it needs a .safetensors file with queries and keys of a trained model, and " +
        (context.activations.empty() ? "none was found"
                                     : "there is no file " + printable(context.activations)) +
        ": name one with --activations or TAPALAB_DATA";
    return result;
  }
  const std::vector<ActivationHead> heads = activation_heads(context.activations);
  // head 0 of the last tensor is examined in full; ranges are over all heads
  const ActivationHead examined = examined_head(heads);
  const TokenTable table = read_head(context.activations, examined);
  const TokenMeans means = token_means(table);

  const std::size_t half = table.head_dim / 2;
  // mu and nu of half pairs each, sigma^2 of 2 half coordinates
  const double tests = 4.0 * static_cast<double>(half);
  for (const PairRule rule : {PairRule::all, PairRule::causal}) {
    MomentOptions moments_options;
    moments_options.rule = rule;
    moments_options.level = 1 - options.level / tests;
    moments_options.seed = context.seed;
    moments_options.threads = context.threads;
    const EmpiricalMoments moments = empirical_moments(table, moments_options);
    const std::string how =
        (rule == PairRule::all ? "all pairs of tokens, " : "causal pairs of tokens, ") +
        examined.name();
    const std::string level =
        fmt::format("{} simultaneous intervals at {} together", tests, 1 - options.level);
    result.evidence.push_back(disjoint("mu_d", moments.mu, level, how));
    result.evidence.push_back(disjoint("nu_d", moments.nu, level, how));
    result.evidence.push_back(
        disjoint("sigma_d^2 of coordinates", moments.sigma2_coordinate, level, how));
    if (rule == PairRule::all) {
      result.evidence.push_back(agreement("mu_d, " + how, moments.mu, all_pairs_mu(means)));
      result.evidence.push_back(agreement("nu_d, " + how, moments.nu, all_pairs_nu(means)));
      result.evidence.push_back(
          agreement("sigma_d^2, " + how, moments.sigma2_coordinate, all_pairs_sigma2(means)));
    }
  }

  const Ranges here = ranges_of(means);
  Ranges file = here;
  for (const ActivationHead& head : heads)
    file.widen(ranges_of(token_means(read_head(context.activations, head))));
  result.scope = fmt::format(
      "Refuted for the activations in the file, {} heads; examined in full: {}, {} tokens, "
      "dimension "
      "{}, half-split pairing. Averages over all pairs of tokens and over causal pairs; "
      "simultaneous "
      "(Bonferroni) block-bootstrap intervals, level {} for mu_d, nu_d and sigma_d^2 of every "
      "coordinate together, for each averaging. Over all pairs mu_d runs from {:.3g} to {:.3g} and "
      "sigma_d^2 over a ratio of {:.4g} per coordinate, {:.4g} per pair (E A_d^2); over the heads "
      "of the "
      "file "
      "mu_d runs from {:.3g} to {:.3g} and the ratios per coordinate from {:.4g} to {:.4g}. One "
      "file of "
      "one small model: nothing is said about others.",
      heads.size(), examined.name(), table.tokens, table.head_dim, options.level, here.mu.low,
      here.mu.high, here.coordinate_ratio.high, here.pair_ratio.high, file.mu.low, file.mu.high,
      file.coordinate_ratio.low, file.coordinate_ratio.high);
  decide(result, Verdict::refuted, Rigor::statistical);
  return result;
}

}  // namespace tapalab
