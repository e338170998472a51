// The block bootstrap against closed forms, and the statistics of assumption 2.1.
#include <algorithm>
#include <cmath>

#include "analysis/empirical_moments.hpp"
#include "catch.hpp"
#include "empirical_brute.hpp"
#include "sim/errors.hpp"
#include "sim/io/token_reader.hpp"

using namespace tapalab;
using namespace tapalab::testing;

namespace {

/// Variance of the average of `tokens` AR(1) values of unit variance.
double mean_variance(std::size_t tokens, double phi) {
  double sum = static_cast<double>(tokens);
  for (std::size_t lag = 1; lag < tokens; ++lag)
    sum += 2 * static_cast<double>(tokens - lag) * std::pow(phi, static_cast<double>(lag));
  return sum / std::pow(static_cast<double>(tokens), 2);
}

bool holds(const std::optional<Quantity>& quantity, double truth) {
  return quantity->error.lower.value() <= truth && truth <= quantity->error.upper.value();
}

}  // namespace

TEST_CASE("the bootstrap's standard error is that of an AR(1) sequence", "[slow]") {
  // One statistic, mu_0 = E q_0 k_0 + E q_1 k_1 with means 2: the average of q times the average
  // of k, whose variance is 2 (8 v + v^2), v the variance of an average.
  for (const double phi : {0.0, 0.5, 0.7}) {
    constexpr std::size_t kTokens = 2048;
    double square = 0;
    constexpr int kTables = 60;
    for (int seed = 0; seed < kTables; ++seed) {
      const auto table = random_table(100 + seed, kTokens, 2, 2, phi);
      const double error = empirical_moments(*table, {}).mu[0].standard_error;
      square += error * error / kTables;
    }
    const double v = mean_variance(kTokens, phi);
    INFO("phi " << phi);
    // Each table's variance has a relative error of about sqrt(2/63); blocks of 32 tokens see a
    // variance that is short by 2 phi/(1 - phi^2)/32 of itself.
    const double shortfall = 2 * phi / (1 - phi * phi) / 32;
    const double expected = 2 * (8 * v + v * v) * (1 - shortfall);
    CHECK(square == Approx(expected).epsilon(4 * std::sqrt(2.0 / 63 / kTables)));
  }
}

TEST_CASE("intervals at 95% hold the closed-form mean and variance in about 95% of the files",
          "[slow]") {
  // Independent coordinates of unit variance and mean 1, D = 4. Score at every distance of nope:
  // mean D/sqrt(D), variance 3 (each product has variance 1 + 1 + 1).
  constexpr int kFiles = 200;
  for (const PairRule rule :
       {PairRule::all, PairRule::causal, PairRule::shuffled, PairRule::at_distance}) {
    int mean = 0, variance = 0;
    for (int seed = 0; seed < kFiles; ++seed) {
      const auto table = random_table(1000 + seed, 256, 4, 1, 0);
      const auto curve = empirical_curve(empirical_task(parse_encoding("nope"), table, rule, {3}));
      mean += holds(curve.points[0].mean, 2);
      variance += holds(curve.points[0].variance, 3);
    }
    INFO("rule " << static_cast<int>(rule) << ": mean " << mean << ", variance " << variance);
    // Three standard deviations of a binomial count of 200, and the bootstrap's own shortfall of
    // about 2% for 16 blocks; shuffled pairs are documented to cover more.
    const double low = 0.95 - 3 * std::sqrt(0.95 * 0.05 / kFiles) - 0.02;
    CHECK(mean >= low * kFiles);
    CHECK(variance >= low * kFiles);
    if (rule != PairRule::shuffled) {
      CHECK(mean < kFiles);
      CHECK(variance < kFiles);
    }
  }
}

TEST_CASE("intervals of TAPA's mean and envelope hold the closed form", "[slow]") {
  // Means 1 on every coordinate, D = 4, no correlation: E a cos(2 pi s phi) over independent
  // queries and keys, from the joint Gaussian engine.
  const auto density = parse_density("gaussian:mean_q=1,mean_k=1");
  CurveTask exact;
  exact.encoding = parse_encoding("tapa");
  exact.density = density;
  exact.head_dim = 4;
  exact.distances = {"", {0, 2}};
  const auto truth = exact_gaussian_curve(exact);
  constexpr int kFiles = 150;
  for (std::size_t i = 0; i < 2; ++i) {
    int mean = 0, envelope = 0, variance = 0;
    for (int seed = 0; seed < kFiles; ++seed) {
      const auto curve =
          empirical_curve(empirical_task(exact.encoding, random_table(5000 + seed, 256, 4, 1, 0),
                                         PairRule::all, {exact.distances.distances[i]}));
      mean += holds(curve.points[0].mean, truth.points[i].mean->estimate.value());
      envelope += holds(curve.points[0].envelope, truth.points[i].envelope->estimate.value());
      variance += holds(curve.points[0].variance, truth.points[i].variance->estimate.value());
    }
    INFO("point " << i << ": mean " << mean << ", envelope " << envelope << ", variance "
                  << variance);
    const double low = 0.95 - 3 * std::sqrt(0.95 * 0.05 / kFiles) - 0.02;
    CHECK(mean >= low * kFiles);
    CHECK(envelope >= low * kFiles);
    CHECK(variance >= low * kFiles);
  }
}

TEST_CASE("a higher level gives a wider interval, also beyond the replicates") {
  const auto table = random_table(19, 300, 4, 1, 0.5);
  double width = 0;
  for (const double level : {0.5, 0.9, 0.95, 0.99, 0.999, 0.999999}) {
    MomentOptions options;
    options.level = level;
    const auto moment = empirical_moments(*table, options).mu[0];
    CHECK(moment.upper - moment.lower > width);
    width = moment.upper - moment.lower;
  }
}

TEST_CASE("moments equal sums over the pairs for every rule and pairing") {
  const auto table = random_table(20, 50, 6, 0.4, 0.3);
  for (const PairRule rule :
       {PairRule::all, PairRule::causal, PairRule::shuffled, PairRule::at_distance})
    for (const Pairing pairing : {Pairing::adjacent, Pairing::half}) {
      MomentOptions options;
      options.rule = rule;
      options.pairing = pairing;
      options.distance = 4;
      const auto moments = empirical_moments(*table, options);
      const auto pairs = pairs_of(rule, table->tokens, 4);
      CHECK(moments.pairs == static_cast<double>(pairs.size()));
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t first = pairing == Pairing::adjacent ? 2 * d : d;
        const std::size_t second = pairing == Pairing::adjacent ? 2 * d + 1 : d + 3;
        double mu = 0, nu = 0, coordinate = 0, pair = 0;
        for (const auto& [m, n] : pairs) {
          const double *q = &table->queries[m * 6], *k = &table->keys[n * 6];
          const double a = q[first] * k[first] + q[second] * k[second];
          mu += a;
          nu += q[first] * k[second] - q[second] * k[first];
          coordinate += std::pow(q[second] * k[second], 2);
          pair += a * a;
        }
        const auto count = static_cast<double>(pairs.size());
        CHECK(moments.mu[d].estimate == Approx(mu / count).margin(1e-13));
        CHECK(moments.nu[d].estimate == Approx(nu / count).margin(1e-13));
        CHECK(moments.sigma2_coordinate[second].estimate == Approx(coordinate / count));
        CHECK(moments.sigma2_pair[d].estimate == Approx(pair / count));
      }
    }
}

TEST_CASE("the activations' moments have the spread that was found once by other code", "[slow]") {
  const std::string file = TAPALAB_TEST_DATA "/qk.safetensors";
  double least = 0, most = 0, least_ratio = 1e9, most_ratio = 0;
  for (const int layer : {0, 3, 7})
    for (std::uint32_t head = 0; head < 4; ++head) {
      const std::string name = "layers." + std::to_string(layer);
      const auto moments =
          empirical_moments(read_tokens(file, name + ".q", name + ".k", head, 0), {});
      const auto [low, high] =
          std::minmax_element(moments.mu.begin(), moments.mu.end(),
                              [](const auto& a, const auto& b) { return a.estimate < b.estimate; });
      least = std::min(least, low->estimate);
      most = std::max(most, high->estimate);
      least_ratio = std::min(least_ratio, moments.coordinate_ratio.estimate);
      most_ratio = std::max(most_ratio, moments.coordinate_ratio.estimate);
      if (layer != 7 || head != 0) continue;
      CHECK(low->estimate == Approx(-0.9).margin(0.05));
      CHECK(high->estimate == Approx(7.3).margin(0.05));
      CHECK(moments.coordinate_ratio.estimate == Approx(248).margin(0.5));
      CHECK(moments.pair_ratio.estimate == Approx(109).margin(1));  // 109.5
    }
  CHECK(least == Approx(-6.7).margin(0.1));  // -6.65
  CHECK(most == Approx(7.3).margin(0.05));
  CHECK(least_ratio == Approx(66).margin(0.5));
  CHECK(most_ratio == Approx(2654).margin(0.5));
}

TEST_CASE("moments of an odd dimension or of fewer than two pairs are refused") {
  CHECK_THROWS_AS(empirical_moments(*random_table(1, 50, 3, 0, 0), {}), InputError);
  CHECK_THROWS_AS(empirical_moments(*random_table(1, 1, 2, 0, 0), {}), InputError);
  MomentOptions options;
  options.rule = PairRule::at_distance;
  options.distance = 49;
  CHECK_THROWS_AS(empirical_moments(*random_table(1, 50, 2, 0, 0), options), InputError);
}
