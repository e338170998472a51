#include "proofs-check/theorem_3_3.hpp"

#include <algorithm>

#include "analysis/experiment.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/rational_covariance.hpp"
#include "proofs-check/sampled.hpp"
#include "proofs-check/theorem_3_3_activations.hpp"

namespace tapalab {

std::vector<std::vector<std::string>> opposed_blocks(std::size_t amplitude_dim,
                                                     const std::string& r, std::size_t stride) {
  const std::size_t n = 2 * amplitude_dim;
  std::vector<std::vector<std::string>> rows(n, std::vector<std::string>(n, "0"));
  for (std::size_t i = 0; i < n; ++i) rows[i][i] = "1";
  for (std::size_t i = 0; i < n; ++i)
    if (i % (2 * stride) < stride)
      rows[i][i + stride] = rows[i + stride][i] = i < amplitude_dim ? r : "-" + r;
  return rows;
}

FullGaussianDensity with_independent_phases(
    const std::vector<std::vector<std::string>>& amplitude_covariance) {
  const std::size_t dA = amplitude_covariance.size() / 2, D = 2 * dA;
  FullGaussianDensity law;
  law.mean.assign(2 * D, ExactDecimal(0));
  law.covariance = {2 * D, 2 * D, std::vector<ExactDecimal>(4 * D * D, ExactDecimal(0))};
  for (std::size_t i = 0; i < 2 * D; ++i) law.covariance.entries[i * 2 * D + i] = ExactDecimal(1);
  // coordinate i of (q_A, k_A) stands at i among the queries, or dA + i among the keys of x
  const auto place = [&](std::size_t i) { return i < dA ? i : D + (i - dA); };
  for (std::size_t i = 0; i < 2 * dA; ++i)
    for (std::size_t j = 0; j < 2 * dA; ++j)
      law.covariance.entries[place(i) * 2 * D + place(j)] =
          ExactDecimal::parse(amplitude_covariance[i][j], "covariance");
  return law;
}

namespace {

constexpr slong kTheorem33Bits = 256;
constexpr std::uint32_t kAmplitudeDim = 4;
constexpr std::uint64_t kFar = std::uint64_t{1} << 60;

CurveTask witness_task(const std::string& r, const std::string& distances) {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=0.1,share=0.5,law=power");
  task.density = {"opposed blocks, r = " + r,
                  with_independent_phases(opposed_blocks(kAmplitudeDim, r))};
  task.head_dim = 2 * kAmplitudeDim;
  task.distances = parse_distances(distances);
  return task;
}

/// |Re E e^(i 2 t phi)| of dP independent standard Gaussian pairs: (1 + 4 t^2)^(-dP/2), t = 2 pi
/// s/sqrt(dP): falls with the distance, so that its value at `distance` bounds all later ones.
Ball second_transform_bound(std::uint64_t distance) {
  const slong dP = kAmplitudeDim;
  const Ball t = Ball::pi(kTheorem33Bits) * 2 * phase_scale_ball("0.1", distance, kTheorem33Bits) /
                 sqrt(Ball(dP, kTheorem33Bits));
  return pow(t * t * 4 + 1, -(dP / 2));
}

bool all_equal(const std::vector<std::string>& values, const std::string& value) {
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [&](const auto& v) { return v == value; });
}

/// The witness is a Gaussian density (so Schwartz) that meets Assumption 2.1 with sigma_0 = 1.
void check_hypotheses(const CovarianceFacts& facts, std::vector<Evidence>& rows) {
  rows.push_back({"exact-rational", "smallest leading principal minor of Cov(q_A, k_A)", "> 0",
                  facts.smallest_minor, "0 (exact)", facts.positive_definite});
  rows.push_back({"exact-rational", "E (q_d k_d)^2 on every amplitude coordinate", "1 = sigma_0^2",
                  facts.pair_squares.front(), "0 (exact)", all_equal(facts.pair_squares, "1")});
  const bool centred = all_equal(facts.pair_cosine_means, "0") &&
                       all_equal(facts.pair_sine_means, "0") && facts.amplitude_centred;
  rows.push_back({"exact-rational", "E A_d and E B_d on every pair", "0 = mu_0 = nu_0",
                  facts.pair_cosine_means.front(), "0 (exact)", centred});
}

/// Where sigma_0^2 is read per rotary pair, E (q_d.k_d)^2 with q_d of two coordinates, the blocks
/// lie across pairs: then every adjacent pair has E A_d^2 = 2, as the independent phase pairs have.
void check_pair_reading(const std::string& r, std::vector<Evidence>& rows) {
  const CovarianceFacts neighbours =
      rational_covariance_facts(opposed_blocks(kAmplitudeDim, r), kAmplitudeDim);
  const CovarianceFacts across =
      rational_covariance_facts(opposed_blocks(kAmplitudeDim, r, 2), kAmplitudeDim);
  rows.push_back({"exact-rational",
                  "E (q_d.k_d)^2 on every adjacent pair, blocks across pairs, with the same E a^2",
                  "2", across.adjacent_squares.front(), "0 (exact)",
                  across.positive_definite && all_equal(across.adjacent_squares, "2") &&
                      all_equal(across.pair_squares, "1") &&
                      across.amplitude_square == neighbours.amplitude_square});
}

void check_variance(const ClaimContext& context, const Theorem33Options& options,
                    const CovarianceFacts& facts, std::vector<Evidence>& rows) {
  const Ball half(Ball(1, kTheorem33Bits) / 2);
  const Ball square =
      Ball::decimal("1", kTheorem33Bits) -
      Ball::decimal(options.r, kTheorem33Bits) * Ball::decimal(options.r, kTheorem33Bits);
  const Ball limit = square * Ball::decimal(options.limit_factor, kTheorem33Bits);
  const std::string where = ", opposed blocks r = " + options.r + ", D = 8";

  rows.push_back(
      {"exact-rational", "E a^2 by Isserlis' theorem" + where, square.midpoint() + " = 1 - r^2",
       fraction_decimal(facts.amplitude_square), "0 (exact)",
       fraction_less(facts.amplitude_square, "1") &&
           certainly_less(
               abs(Ball::decimal(fraction_decimal(facts.amplitude_square), kTheorem33Bits) -
                   square),
               Ball::decimal("1e-16", kTheorem33Bits))});

  // the mean is 0, so Var = E a^2 (1 + Re Phi(2t))/2 with |Phi(2t)| falling: one bound for all
  const std::uint64_t from = 1000;
  rows.push_back(ball_less("Var at every distance >= " + std::to_string(from) + where,
                           square / 2 * (second_transform_bound(from) + 1), half,
                           "0.5 = sigma_0^2/2"));

  const CurveTask exact_task = witness_task(options.r, "1000,2^30," + std::to_string(kFar));
  for (const CurvePoint& point : exact_gaussian_curve(exact_task).points) {
    const Ball slack = square / 2 * second_transform_bound(point.distance);
    Evidence row =
        agrees_with_ball("exact", "Var at distance " + std::to_string(point.distance) + where,
                         *point.variance, hull(limit - slack, limit + slack));
    row.predicted = limit.midpoint(6) + " +- " + slack.midpoint(3) + ", < 0.5";
    row.holds =
        row.holds &&
        certainly_less(Ball::exactly(point.variance->error.upper.wide(), kTheorem33Bits), half);
    rows.push_back(row);
  }

  // A singular covariance is no witness, and its scores may all be 0: nothing to sample.
  if (!facts.positive_definite) return;
  CurveTask sampled = sampled_task(witness_task(options.r, std::to_string(kFar)), context);
  sampled.sampling.samples = context.effort == Effort::quick    ? 400'000
                             : context.effort == Effort::normal ? 4'000'000
                                                                : 100'000'000;
  sampled.sampling.confidence = 1 - 1e-6;
  const CurvePoint point = monte_carlo_curve(sampled).points.at(0);
  const Ball slack = square / 2 * second_transform_bound(kFar);
  Evidence row = agrees_with_ball(
      sampling_engine(context),
      "Var at distance 2^60" + where + ", " + std::to_string(sampled.sampling.samples) + " samples",
      *point.variance, hull(limit - slack, limit + slack));
  row.predicted = limit.midpoint(6) + ", < 0.5";
  row.holds =
      row.holds &&
      certainly_less(Ball::exactly(point.variance->error.upper.wide(), kTheorem33Bits), half);
  rows.push_back(row);
}

/// Var - E a^2/2 where it is not yet small, and its limit, for coordinates that are all alike.
void check_correlated(const Theorem33Options& options, std::vector<Evidence>& rows) {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=0.1,share=0.5,law=power");
  task.density = parse_density("gaussian:rho=0.25");
  task.head_dim = 8;
  task.distances = {"0,1,1000,2^60", {0, 1, 1000, kFar}};
  const auto& law = std::get<GaussianDensity>(task.density.law);
  const SplitGaussian model{4, 4, "0.1", law.amplitude, law.phase};
  const std::string where = ", gaussian:rho=0.25, D = 8 (cross terms >= 0)";
  const DistanceCurve curve = exact_gaussian_curve(task);
  for (const CurvePoint& point : curve.points)
    rows.push_back(agrees_with_ball(
        "exact", "Var - E a^2/2 at distance " + std::to_string(point.distance) + where,
        *point.variance_excess,
        split_gaussian_ball(model, point.distance, kTheorem33Bits).variance_excess));
  const Quantity& variance = *curve.points.back().variance;
  const Ball limit = amplitude_square_ball(model, kTheorem33Bits) *
                     Ball::decimal(options.limit_factor, kTheorem33Bits);
  const Ball slack = Ball::decimal("1e-9", kTheorem33Bits);
  Evidence row = agrees_with_ball("exact", "Var at distance 2^60" + where, variance,
                                  hull(limit - slack, limit + slack));
  row.predicted = limit.midpoint() + " = E a^2/2, within " + slack.midpoint(3);
  rows.push_back(row);
}

/// The rate: |Var - E a^2/2| <= (2 l)^-dP ||w_2^||_1/2 + (l^-dP ||w_1^||_1)^2, w_j the integral of
/// a^j rho over the amplitude. For an amplitude independent of the phase w_2 = w_1 E a^2/E a.
void check_rate(std::vector<Evidence>& rows) {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=0.1,share=0.5,law=power");
  task.density = parse_density("gaussian:a.mean_q=0.5,a.mean_k=0.25");
  task.head_dim = 128;
  task.distances = parse_distances("log:1:2^62:12");
  const auto& law = std::get<GaussianDensity>(task.density.law);
  const SplitGaussian model{64, 64, "0.1", law.amplitude, law.phase};
  const Ball second = amplitude_square_ball(model, kTheorem33Bits) /
                      abs(amplitude_mean_ball(model, kTheorem33Bits));
  Ball worst(0, kTheorem33Bits), last(0, kTheorem33Bits);
  bool agree = true, below = true;
  for (const CurvePoint& point : exact_gaussian_curve(task).points) {
    const Ball excess = split_gaussian_ball(model, point.distance, kTheorem33Bits).variance_excess;
    const Ball first = bias_bound_ball(model, point.distance, 1, kTheorem33Bits);
    const Ball bound =
        bias_bound_ball(model, point.distance, 2, kTheorem33Bits) * second / 2 + first * first;
    agree = agree && interval_meets(*point.variance_excess, excess);
    last = abs(excess) / bound;
    below = below && certainly_less(last, Ball(1, kTheorem33Bits));
    if (certainly_less(worst, last)) worst = last;
  }
  rows.push_back({"ball",
                  "|Var - E a^2/2| over its bound (2 l)^-dP ||w_2^||_1/2 + (l^-dP ||w_1^||_1)^2, "
                  "largest, gaussian:a.mean_q=0.5,a.mean_k=0.25, D = 128, 12 distances from 1 to "
                  "2^62; the exact engine agrees",
                  "< 1, and above 0.9 at the end: the rate is delta^(-alpha dP)", worst.midpoint(6),
                  error_text(worst),
                  agree && below && certainly_less(Ball::decimal("0.9", kTheorem33Bits), last)});
}

/// As small as you like: r nearer 1. And the correction where the printed bound does hold.
void check_correction(const Theorem33Options& options, std::vector<Evidence>& rows) {
  for (const std::string r : {"0.6", "0.9999"}) {
    const CovarianceFacts facts =
        rational_covariance_facts(opposed_blocks(kAmplitudeDim, r), kAmplitudeDim);
    const Ball limit = (Ball(1, kTheorem33Bits) -
                        Ball::decimal(r, kTheorem33Bits) * Ball::decimal(r, kTheorem33Bits)) *
                       Ball::decimal(options.limit_factor, kTheorem33Bits);
    const Quantity variance =
        *exact_gaussian_curve(witness_task(r, std::to_string(kFar))).points.at(0).variance;
    const Ball slack = limit * second_transform_bound(kFar) * 2;
    Evidence row =
        agrees_with_ball("exact", "Var at distance 2^60, opposed blocks r = " + r + ", D = 8",
                         variance, hull(limit - slack, limit + slack));
    row.predicted = limit.midpoint(6) + " = (1 - r^2)/2";
    row.holds = row.holds && facts.positive_definite && all_equal(facts.pair_squares, "1");
    rows.push_back(row);
  }
  check_correlated(options, rows);
  check_rate(rows);
}

}  // namespace

ClaimResult check_theorem_3_3(const ClaimContext& context, const Theorem33Options& options) {
  ClaimResult result;
  const auto covariance = opposed_blocks(kAmplitudeDim, options.r);
  const CovarianceFacts facts = rational_covariance_facts(covariance, kAmplitudeDim);
  check_hypotheses(facts, result.evidence);
  check_pair_reading(options.r, result.evidence);
  check_variance(context, options, facts, result.evidence);
  check_correction(options, result.evidence);
  const std::string real = check_variance_on_activations(context, result.evidence);
  result.witness = {
      scalar("amplitude_dim", std::to_string(kAmplitudeDim)),
      {"covariance", covariance},
      scalar("sigma_0_squared", "1"),
      scalar("variance_limit",
             (Ball::decimal(fraction_decimal(facts.amplitude_square), kTheorem33Bits) / 2)
                 .midpoint())};
  result.scope =
      "The witness is a Gaussian, hence Schwartz, density with independent standard phase "
      "coordinates; it meets Assumption 2.1 exactly (mu_0 = nu_0 = 0 and sigma_0 = 1 on every "
      "coordinate; with each block laid across two rotary pairs also E (q_d.k_d)^2 = 2 on every "
      "pair) and its variance is certified below sigma_0^2/2 at every distance "
      ">= "
      "1000. The same blocks repeat at any even number of amplitude coordinates. It refutes the "
      "statement for general densities; where the cross terms sum to at least 0 the printed bound "
      "holds. The correction is proved in docs/theory/theorem-3.3.md and observed here on Gaussian "
      "densities and real tokens." +
      real;
  result.correction =
      "Var TAPA -> E a^2/2, a = q_A.k_A/sqrt(dA), whenever E a^2 is finite and E e^(i t phi) -> 0 "
      "(an absolutely continuous x_P suffices; no Schwartz density is needed). E a^2 = sigma_0^2 + "
      "(1/dA) sum over i != j of E q_i k_i q_j "
      "k_j, so liminf Var >= sigma_0^2/2 holds exactly where those cross terms sum to at least 0. "
      "For "
      "a Schwartz density |Var - E a^2/2| = O(delta^(-alpha dP)).";
  decide(result, Verdict::corrected, Rigor::certified);
  return result;
}

}  // namespace tapalab
