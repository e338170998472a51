// The claims on TAPA's law, resolution, crossover, vocabulary and sensitivity: verdicts, and the
// formulas behind them against independent values.
#include <cmath>
#include <random>
#include <set>

#include "catch.hpp"
#include "proofs-check/clt_crossover.hpp"
#include "proofs-check/distance_resolution.hpp"
#include "proofs-check/figure_1.hpp"
#include "proofs-check/finite_vocabulary.hpp"
#include "proofs-check/limit_law.hpp"
#include "proofs-check/stationary_phase.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"
#include "proofs-check/theorem_3_3_activations.hpp"
#include "sim/marginal_law.hpp"

using namespace tapalab;

namespace {

constexpr slong kBits = 128;

ClaimContext quick(std::uint64_t seed = 1) {
  ClaimContext context;
  context.effort = Effort::quick;
  context.seed = seed;
  context.activations = TAPALAB_TEST_DATA "/qk.safetensors";
  return context;
}

void check_rows(const std::vector<Evidence>& rows) {
  CHECK_FALSE(rows.empty());
  for (const Evidence& row : rows) {
    INFO(row.engine << ": " << row.quantity << ": predicted " << row.predicted << ", observed "
                    << row.observed << " +- " << row.error);
    CHECK(row.holds);
    CHECK_FALSE(row.predicted.empty());
    CHECK_FALSE(row.observed.empty());
    CHECK_FALSE(row.error.empty());
  }
}

void check_whole(const ClaimResult& result, Verdict verdict) {
  INFO(result.reason);
  CHECK(result.verdict == verdict);
  CHECK(result.rigor);
  CHECK_FALSE(result.scope.empty());
  CHECK(result.correction.empty() == (verdict == Verdict::confirmed));
  check_rows(result.evidence);
  std::set<std::string> engines;
  for (const Evidence& row : result.evidence) engines.insert(row.engine);
  CHECK(engines.size() >= 2);
}

double value(const Ball& ball) { return static_cast<double>(ball.midpoint_wide()); }

}  // namespace

TEST_CASE("limit-law: confirmed, for two seeds") {
  for (const std::uint64_t seed : {1, 2})
    check_whole(check_limit_law(quick(seed)), Verdict::confirmed);
}

TEST_CASE("limit-law: the density has mass 1, and the moments of a cos(2 pi U)") {
  // E y^2 = v/2, E y^4 = 9 v^2/8, by a plain midpoint sum in z = y^(1/3), which tames the pole
  for (const double v : {0.5, 1.0, 3.0}) {
    double mass = 0, second = 0, fourth = 0;
    const int steps = 20'000;
    const double end = std::cbrt(14 * std::sqrt(v)), h = end / steps;
    for (int i = 0; i < steps; ++i) {
      const double z = (i + 0.5) * h, y = z * z * z;
      const double weight = 2 * limit_density(y, v) * 3 * z * z * h;
      mass += weight;
      second += weight * y * y;
      fourth += weight * y * y * y * y;
    }
    CHECK(mass == Approx(1).margin(2e-6));
    CHECK(second == Approx(v / 2).epsilon(1e-6));
    CHECK(fourth == Approx(9 * v * v / 8).epsilon(1e-6));
    CHECK(limit_distribution(14 * std::sqrt(v), v) == Approx(1).margin(1e-8));
    CHECK(limit_distribution(-1, v) == Approx(1 - limit_distribution(1, v)).margin(1e-12));
  }
}

TEST_CASE("limit-law: the closed form and its definition are one ball") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> log_y(-3, 1.5), log_v(-1, 1);
  for (int i = 0; i < 20; ++i) {
    const Ball y = Ball::exactly(std::exp(log_y(random)), kBits);
    const Ball v = Ball::exactly(std::exp(log_v(random)), kBits);
    CHECK(limit_density_ball(y, v).overlaps(limit_density_integral(y, v)));
    CHECK(value(limit_density_ball(y, v)) ==
          Approx(limit_density(value(y), value(v))).epsilon(1e-12));
  }
}

TEST_CASE("limit-law: E I_0(a) is its power series") {
  // sum over n of E a^(2n)/(4^n n!^2); for dA = 2, E e^(ua) = 1/(1 - u^2/2): E a^(2n) = (2n)!/2^n
  double sum = 0, term = 1;
  for (int n = 0; n < 200; ++n) {
    sum += term;
    term *= (2.0 * n + 1) * (2.0 * n + 2) / 2 / 4 / ((n + 1.0) * (n + 1.0));
  }
  CHECK(value(limit_exponential_ball(2, kBits)) == Approx(sum).epsilon(1e-12));
}

TEST_CASE("distance-resolution: confirmed, for two seeds") {
  for (const std::uint64_t seed : {1, 2})
    check_whole(check_distance_resolution(quick(seed)), Verdict::confirmed);
}

TEST_CASE("distance-resolution: a score is fully correlated with itself, and the order is free") {
  const Ball a = Ball::decimal("1.25", kBits), b = Ball::decimal("0.75", kBits);
  CHECK(score_correlation_ball(a, a, 64).contains(Ball(1, kBits)));
  CHECK(score_correlation_ball(a, b, 64).overlaps(score_correlation_ball(b, a, 64)));
  // dP = 2, s1 = 0: corr = 2 F(s2)/sqrt(2 (1 + F(2 s2))), F(s) = 1/(1 + 2 pi^2 s^2)
  const double f = 1 / (1 + 2 * std::pow(std::acos(-1.0) * 0.75, 2));
  const double g = 1 / (1 + 2 * std::pow(std::acos(-1.0) * 1.5, 2));
  CHECK(value(score_correlation_ball(Ball(0, kBits), b, 2)) ==
        Approx(2 * f / std::sqrt(2 * (1 + g))).epsilon(1e-12));
}

TEST_CASE("clt-crossover: corrected") {
  check_whole(check_clt_crossover(quick()), Verdict::corrected);
  CHECK(value(value_crossover(64, kBits)) == Approx(0.6366197723675814).epsilon(1e-12));
}

TEST_CASE("finite-vocabulary: confirmed, for two seeds") {
  for (const std::uint64_t seed : {1, 2})
    check_whole(check_finite_vocabulary(quick(seed)), Verdict::confirmed);
}

TEST_CASE("finite-vocabulary: equal, opposite and zero phases count together") {
  // M = (1 + 2 cos(2 pi 3 s) + 5 cos(2 pi s/2))/4: mean square (1 + (2^2 + 5^2)/2)/16
  CHECK(mean_square_over_scales({{1, 0}, {-1, 3}, {3, -3}, {5, 0.5}}) ==
        Approx((1 + 29 / 2.0) / 16));
}

TEST_CASE("finite-vocabulary: phases of signs are whole at s = 4 and not at 1, 2 or 3") {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> q, k;
  for (int i = 0; i < 40; ++i) {
    q.push_back(random());
    k.push_back(random());
  }
  CHECK(phases_are_whole(q, k, 4, 8));
  CHECK(phases_are_whole(q, k, 8, 8));
  for (const int scale : {1, 2, 3}) CHECK_FALSE(phases_are_whole(q, k, scale, 8));
}

TEST_CASE("stationary-phase: corrected, for two seeds", "[slow]") {
  for (const std::uint64_t seed : {1, 2})
    check_whole(check_stationary_phase(quick(seed)), Verdict::corrected);
}

TEST_CASE("stationary-phase: the noise correlation of one pair is its integral") {
  // dP = 1, s = 0.3, spread 1, noise 0.5: average over the noise of exp(-tau^2 (e^2 + f^2)/2)
  // cos(tau e f) on a grid
  const double tau = 2 * std::acos(-1.0) * 0.3, h = 0.02;
  double sum = 0;
  for (double e = -4; e <= 4; e += h)
    for (double f = -4; f <= 4; f += h)
      sum += std::exp(-2 * (e * e + f * f) - tau * tau * (e * e + f * f) / 2) *
             std::cos(tau * e * f) * h * h * 2 / std::acos(-1.0);
  const Ball found = noise_correlation_ball(PhaseForm::quadratic, Ball::decimal("0.3", kBits),
                                            Ball(1, kBits), Ball::decimal("0.5", kBits), 1);
  CHECK(value(found) == Approx(sum).epsilon(1e-6));
}

TEST_CASE("figure-1: corrected, for two seeds", "[slow]") {
  for (const std::uint64_t seed : {1, 2}) {
    const ClaimResult result = check_figure_1(quick(seed));
    check_whole(result, Verdict::corrected);
    CHECK(result.scope.find("cannot be decided") != std::string::npos);
  }
}

TEST_CASE("theorem-3.2: its bound holds over ranges of scale, and not with a smaller constant") {
  std::vector<Evidence> rows;
  check_bound_over_ranges(rows);
  check_rows(rows);
  PairLaw phase;
  const Ball one(1, 96), four(4, 96);
  const RangeCertificate found = certify_bound_over_scales(phase, 64, one, four);
  CHECK(found.holds);
  CHECK(found.intervals > 1);
  // a law of larger variance is no bound of this one: |g| t exceeds 1
  phase.scale_q = ExactDecimal::parse("0.5", "scale");
  CHECK_FALSE(certify_bound_over_scales(phase, 64, one, four).holds);
}

TEST_CASE("theorem-3.2: control densities decay as proved") {
  std::vector<Evidence> rows;
  check_control_densities(rows);
  check_rows(rows);
}

TEST_CASE("theorem-3.2: general matrices decay with their rank") {
  std::vector<Evidence> rows;
  check_general_matrices(rows);
  check_rows(rows);
}

TEST_CASE("theorem-3.2: norms of transforms are integrals of |F|") {
  // trapezoidal sums of |F|/(2 pi) over [-60, 60]
  for (const auto& [family, tolerance] :
       {std::pair{MarginalFamily::gaussian, 1e-9}, std::pair{MarginalFamily::sech, 1e-9},
        std::pair{MarginalFamily::hermite2, 1e-5}}) {
    const Marginal law{family, ExactDecimal(0)};
    const MarginalLaw<double> formulas(law);
    double sum = 0;
    for (double w = -60; w <= 60; w += 0.001)
      sum += std::abs(formulas.characteristic(w)) * 0.001 / (2 * std::acos(-1.0));
    CHECK(transform_norm(law) == Approx(sum).margin(tolerance));
  }
}

TEST_CASE("theorem-3.3: amplitude moments are sums over pairs") {
  const TokenTable table{3, 2, {1, 2, -1, 0.5, 3, -2}, {0.5, 1, 2, -1, 1, 1}};
  double square = 0, sigma = 0;
  for (std::size_t m = 0; m < 3; ++m)
    for (std::size_t n = 0; n < 3; ++n) {
      const double x = table.queries[2 * m] * table.keys[2 * n];
      const double y = table.queries[2 * m + 1] * table.keys[2 * n + 1];
      square += (x + y) * (x + y) / 2 / 9;
      sigma += (x * x + y * y) / 2 / 9;
    }
  const AmplitudeMoments moments = amplitude_moments(table, 2);
  CHECK(moments.square == Approx(square));
  CHECK(moments.sigma_square == Approx(sigma));
}
