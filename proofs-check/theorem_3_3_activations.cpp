#include "proofs-check/theorem_3_3_activations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/empirical_phases.hpp"
#include "analysis/experiment.hpp"
#include "proofs-check/activation_heads.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/sampled.hpp"
#include "sim/mutants.hpp"

namespace tapalab {
namespace {

/// E x_i x_j over tokens, i, j < dim; row by row.
std::vector<double> second_moments(const std::vector<double>& values, std::size_t head_dim,
                                   std::size_t dim) {
  std::vector<double> sums(dim * dim);
  const std::size_t tokens = values.size() / head_dim;
  for (std::size_t t = 0; t < tokens; ++t) {
    const double* x = &values[t * head_dim];
    for (std::size_t i = 0; i < dim; ++i)
      for (std::size_t j = 0; j <= i; ++j) sums[i * dim + j] += x[i] * x[j];
  }
  for (double& sum : sums) sum /= static_cast<double>(tokens);
  return sums;
}

}  // namespace

AmplitudeMoments amplitude_moments(const TokenTable& table, std::size_t amplitude_dim) {
  const auto q = second_moments(table.queries, table.head_dim, amplitude_dim);
  const auto k = second_moments(table.keys, table.head_dim, amplitude_dim);
  AmplitudeMoments moments;
  for (std::size_t i = 0; i < amplitude_dim; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double product = q[i * amplitude_dim + j] * k[i * amplitude_dim + j];
      moments.square += i == j ? product : mutated("cross-terms-factor", 2.0, 1.0) * product;
      if (i == j) moments.sigma_square += product;
    }
  moments.square /= static_cast<double>(amplitude_dim);
  moments.sigma_square /= static_cast<double>(amplitude_dim);
  return moments;
}

std::string check_variance_on_activations(const ClaimContext& context,
                                          std::vector<Evidence>& rows) {
  if (!has_activations(context)) return " No activations were found: nothing is said about them.";
  const std::vector<ActivationHead> heads = activation_heads(context.activations);
  const ActivationHead examined = examined_head(heads);
  const TokenTable whole = read_head(context.activations, examined);
  const std::size_t tokens = std::min<std::size_t>(256, whole.tokens), dA = whole.head_dim / 2;
  const TokenTable table = token_range(whole, whole.tokens - tokens, tokens);
  const AmplitudeMoments moments = amplitude_moments(table, dA);
  const std::string where = fmt::format(", {} tokens of {}", tokens, examined.name());

  // the same by a sum over pairs
  const ScoreModel lowered = lower(parse_encoding("tapa"), whole.head_dim);
  const empirical::PhaseTable phases(std::get<PhaseScore>(lowered), table);
  empirical::PairValues values;
  phases.tile(0, tokens, 0, tokens, values);
  double square = 0;
  for (const double a : values.amplitude) square += a * a;
  square /= static_cast<double>(values.size());
  rows.push_back({"empirical", "E a^2 by a sum over pairs" + where,
                  fmt::format("{:.12g} (second moments of queries and of keys)", moments.square),
                  fmt::format("{:.12g}", square), "1e-12 relative (rounding)",
                  std::abs(square / moments.square - 1) < 1e-11});

  // Var and E a^2/2 vary together from text to text: their difference is known far better than
  // either, and the statement is about it.
  CurveTask task;
  task.encoding = parse_encoding("tapa");
  task.head_dim = whole.head_dim;
  task.density = table_density("activations of " + examined.name(), whole);
  task.distances = parse_distances("2^60");
  task.sampling.threads = context.threads;
  task.sampling.confidence = 1 - kMiss;
  const Quantity excess = *empirical_curve(task).points.at(0).variance_excess;
  const double limit = amplitude_moments(whole, dA).square / 2;
  const Wide allowed(limit / 50), none(0);
  const Wide low = excess.error.lower.wide(), high = excess.error.upper.wide();
  rows.push_back({"empirical",
                  fmt::format("Var - E a^2/2 at distance 2^60, all pairs of {} tokens of {}",
                              whole.tokens, examined.name()),
                  fmt::format("0, known to 2% of E a^2/2 = {:.6g}", limit),
                  excess.estimate.decimal(4), error_text(excess),
                  low <= none && none <= high && -allowed <= low && high <= allowed});

  std::size_t holding = 0;
  double least = HUGE_VAL, most = 0;
  for (const ActivationHead& head : heads) {
    const AmplitudeMoments here = amplitude_moments(read_head(context.activations, head), dA);
    holding += here.cross_terms() >= 0;
    least = std::min(least, here.square / here.sigma_square);
    most = std::max(most, here.square / here.sigma_square);
  }
  return fmt::format(
      " The row on real tokens says that at one distance beyond any text, where the limit should "
      "hold, Var of one head is E a^2/2 within its error (from a block bootstrap over tokens); it "
      "shows neither the limit nor a rate, which are proved. On the activations, all pairs of "
      "tokens, the cross terms sum to at least 0 on {} of {} "
      "heads, so that the printed bound (with sigma_0^2 the average over coordinates) holds on "
      "those{}; E a^2/sigma^2 runs from {:.3g} to {:.3g}.",
      holding, heads.size(), holding < heads.size() ? " and fails on the others" : "", least, most);
}

}  // namespace tapalab
