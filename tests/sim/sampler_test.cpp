// The law of sampled (query, key): normals, correlated Gaussians, token pairs.
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"
#include "sim/gaussian_sampler.hpp"
#include "sim/pair_source.hpp"
#include "sim/random/normal.hpp"
#include "sim/random/permutation.hpp"
#include "sim/random/streams.hpp"

using namespace tapalab;

namespace {

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  std::vector<double> values;
  for (std::uint64_t i = 0; values.size() < count; ++i) {
    const NormalPair pair = normal_pair(philox(
        stream_counter(i / 64, static_cast<std::uint32_t>(i % 64), stream_tag(Stream::gaussian)),
        stream_key(seed)));
    values.push_back(pair.first);
    values.push_back(pair.second);
  }
  return values;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

GaussianModel gaussian(std::uint32_t head_dim, std::vector<double> mean,
                       const std::vector<std::vector<double>>& covariance) {
  GaussianModel model;
  model.head_dim = head_dim;
  for (const double m : mean) model.mean.push_back(Wide(m));
  for (std::uint32_t i = 0; i < 2 * head_dim; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      if (covariance[i][j] != 0) model.covariance.push_back({i, j, Wide(covariance[i][j])});
    }
  }
  return model;
}

// L L^T of a root.
std::vector<std::vector<double>> squared(const SparseRoot& root) {
  const std::size_t size = root.mean.size();
  std::vector<std::vector<double>> dense(size, std::vector<double>(size)), product = dense;
  for (std::size_t row = 0; row < size; ++row) {
    for (auto e = root.begin[row]; e < root.begin[row + 1]; ++e) {
      REQUIRE(root.entries[e].column <= row);
      dense[row][root.entries[e].column] = root.entries[e].weight;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t c = 0; c < size; ++c) product[i][j] += dense[i][c] * dense[j][c];
    }
  }
  return product;
}

}  // namespace

TEST_CASE("A million normals follow the normal distribution") {
  auto z = normals(1'000'000, 42);
  std::sort(z.begin(), z.end());
  const double n = static_cast<double>(z.size());
  double ks = 0, anderson = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double below = upper_tail(-z[i]);
    const double rank = static_cast<double>(i);
    ks = std::max({ks, (rank + 1) / n - below, below - rank / n});
    anderson -= (2 * rank + 1) / n * (std::log(below) + std::log(upper_tail(z[z.size() - 1 - i])));
  }
  CHECK(ks * std::sqrt(n) < 2.23);  // Kolmogorov, probability 1e-4
  CHECK(anderson - n < 9.0);        // Anderson-Darling, probability about 1e-4
}

TEST_CASE("Tails of normals hold what they should, to five sigma") {
  const auto z = normals(4'000'000, 7);
  const double n = static_cast<double>(z.size());
  for (const double threshold : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    for (const double sign : {1.0, -1.0}) {
      const double count = static_cast<double>(
          std::count_if(z.begin(), z.end(), [&](double x) { return sign * x > threshold; }));
      const double expected = n * upper_tail(threshold);
      CHECK(std::abs(count - expected) <= 5 * std::sqrt(expected) + 1);
    }
  }
}

TEST_CASE("Normals of one sample, of neighbours and of seeds are uncorrelated") {
  const std::size_t count = 500'000;
  const auto a = normals(count, 1), b = normals(count, 2);
  const double n = static_cast<double>(count);
  const auto correlation = [&](const std::vector<double>& x, const std::vector<double>& y,
                               std::size_t lag, int power) {
    double sum = 0, variance = power == 1 ? 1.0 : 4.0;
    for (std::size_t i = 0; i + lag < count; ++i) {
      const double u = power == 1 ? x[i] : x[i] * x[i] - 1;
      const double v = power == 1 ? y[i + lag] : y[i + lag] * y[i + lag] - 1;
      sum += u * v;
    }
    return sum / std::sqrt(n * variance);
  };
  for (const int power : {1, 2}) {
    for (const std::size_t lag : {1u, 2u, 3u, 127u, 128u, 129u}) {
      CHECK(std::abs(correlation(a, a, lag, power)) < (power == 1 ? 5 : 6));
    }
    CHECK(std::abs(correlation(a, b, 0, power)) < (power == 1 ? 5 : 6));
  }
}

TEST_CASE("The root of a covariance squares to it, block by block") {
  // Coordinates 0 and 2 stand alone together; 1 and 3 do.
  const std::vector<std::vector<double>> covariance{
      {2, 0, 0.5, 0}, {0, 1, 0, -0.25}, {0.5, 0, 3, 0}, {0, -0.25, 0, 4}};
  const SparseRoot root = covariance_root(gaussian(2, {1, 2, 3, 4}, covariance));
  CHECK(root.entries.size() == 6);
  CHECK(root.mean == std::vector<double>{1, 2, 3, 4});
  const auto product = squared(root);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) CHECK(product[i][j] == Approx(covariance[i][j]).margin(1e-15));
  }
}

TEST_CASE("Semidefinite covariances have a root: equal, opposite and constant coordinates") {
  const std::vector<std::vector<double>> covariance{
      {1, 0, 1, -2}, {0, 0, 0, 0}, {1, 0, 1, -2}, {-2, 0, -2, 4}};
  const SparseRoot root = covariance_root(gaussian(2, {0, 5, 0, 0}, covariance));
  CHECK(root.entries.size() == 3);
  const auto product = squared(root);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) CHECK(product[i][j] == covariance[i][j]);
  }
  std::vector<double> x(4 * kLanes);
  GaussianSource(gaussian(2, {0, 5, 0, 0}, covariance), 1)
      .lanes(block_kernels(simd_level()), 0, x.data());
  for (int lane = 0; lane < kLanes; ++lane) {
    CHECK(x[1 * kLanes + lane] == 5);
    CHECK(x[2 * kLanes + lane] == x[lane]);
    CHECK(x[3 * kLanes + lane] == -2 * x[lane]);
  }
}

TEST_CASE("Coordinates of very different scale keep their own variance") {
  const std::vector<std::vector<double>> covariance{{1, 0.5e-30}, {0.5e-30, 1e-60}};
  const auto product = squared(covariance_root(gaussian(1, {0, 0}, covariance)));
  CHECK(product[1][1] == Approx(1e-60).epsilon(1e-14));
  CHECK(product[0][1] == Approx(0.5e-30).epsilon(1e-14));
}

TEST_CASE("An indefinite covariance is refused") {
  CHECK_THROWS_AS(covariance_root(gaussian(1, {0, 0}, {{1, 2}, {2, 1}})), InputError);
}

TEST_CASE("Sampled Gaussians have the mean and covariance asked for") {
  const std::vector<double> mean{1, -2, 0, 3};
  const std::vector<std::vector<double>> covariance{
      {2, 0.3, 0.5, 0}, {0.3, 1, 0, -0.25}, {0.5, 0, 3, 0.1}, {0, -0.25, 0.1, 4}};
  const GaussianSource source(gaussian(2, mean, covariance), 3);
  const int samples = 200'000;
  std::vector<double> x(4 * kLanes);
  double sum[4] = {}, products[4][4] = {};
  for (int first = 0; first < samples; first += kLanes) {
    source.lanes(block_kernels(simd_level()), static_cast<std::uint64_t>(first), x.data());
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < 4; ++i) {
        const double xi = x[i * kLanes + lane] - mean[i];
        sum[i] += xi;
        for (int j = 0; j < 4; ++j) products[i][j] += xi * (x[j * kLanes + lane] - mean[j]);
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    CHECK(std::abs(sum[i]) < 5 * std::sqrt(covariance[i][i] * samples));
    for (int j = 0; j < 4; ++j) {
      const double variance =
          covariance[i][i] * covariance[j][j] + covariance[i][j] * covariance[i][j];
      CHECK(std::abs(products[i][j] / samples - covariance[i][j]) <
            5 * std::sqrt(variance / samples));
    }
  }
}

TEST_CASE("Every vector width draws the same bits") {
  const GaussianSource source(gaussian(1, {0, 1}, {{1, 0.5}, {0.5, 2}}), 9);
  std::vector<double> expected(2 * kLanes), x(2 * kLanes);
  const std::uint64_t first = (std::uint64_t{1} << 32) - kLanes;  // the low word's last samples
  source.lanes(block_kernels(SimdLevel::scalar), first, expected.data());
  for (const auto level : {SimdLevel::avx2, SimdLevel::avx512}) {
    if (level > simd_level()) continue;
    source.lanes(block_kernels(level), first, x.data());
    CHECK(x == expected);
  }
}

TEST_CASE("Causal pairs are numbered row by row") {
  std::uint64_t index = 0;
  for (std::uint64_t m = 0; m < 60; ++m) {
    for (std::uint64_t n = 0; n <= m; ++n, ++index) {
      const CausalPair pair = causal_pair(index);
      REQUIRE(pair.m == m);
      REQUIRE(pair.n == n);
    }
  }
  for (const std::uint64_t m : {94'906'265ULL, 94'906'266ULL, 4'294'967'294ULL}) {
    CHECK(causal_pair(m * (m + 1) / 2).m == m);
    CHECK(causal_pair(m * (m + 1) / 2).n == 0);
    CHECK(causal_pair(m * (m + 1) / 2 + m).m == m);
    CHECK(causal_pair(m * (m + 1) / 2 + m).n == m);
  }
}

namespace {

// Token t has query t and key t, so that a sample shows which pair it is.
EmpiricalDensity numbered_tokens(std::size_t tokens, PairRule rule) {
  TokenTable table{tokens, 1, {}, {}};
  for (std::size_t t = 0; t < tokens; ++t) {
    table.queries.push_back(static_cast<double>(t));
    table.keys.push_back(static_cast<double>(t));
  }
  EmpiricalDensity density;
  density.pairs = rule;
  density.table = std::make_shared<const TokenTable>(std::move(table));
  return density;
}

std::map<std::pair<int, int>, int> draw_pairs(const EmpiricalDensity& density, int samples,
                                              std::uint64_t distance) {
  const TokenSource source(density, 5);
  std::map<std::pair<int, int>, int> counts;
  std::vector<double> x(2 * kLanes);
  for (int first = 0; first < samples; first += kLanes) {
    source.lanes(static_cast<std::uint64_t>(first), distance, x.data());
    for (int lane = 0; lane < kLanes; ++lane) {
      ++counts[{static_cast<int>(x[lane]), static_cast<int>(x[kLanes + lane])}];
    }
  }
  return counts;
}

void check_uniform(const std::map<std::pair<int, int>, int>& counts, std::size_t pairs,
                   int samples) {
  CHECK(counts.size() == pairs);
  const double expected = static_cast<double>(samples) / static_cast<double>(pairs);
  double chi_squared = 0;
  for (const auto& [pair, count] : counts) {
    chi_squared += (count - expected) * (count - expected) / expected;
  }
  const double freedom = static_cast<double>(pairs) - 1;
  CHECK(chi_squared < freedom + 5 * std::sqrt(2 * freedom) + 5);
}

}  // namespace

TEST_CASE("Token pairs are drawn uniformly under each rule") {
  const int samples = 64'000;
  SECTION("all") {
    check_uniform(draw_pairs(numbered_tokens(9, PairRule::all), samples, 0), 81, samples);
  }
  SECTION("causal: a query comes after its key or stands with it") {
    const auto counts = draw_pairs(numbered_tokens(9, PairRule::causal), samples, 0);
    check_uniform(counts, 45, samples);
    for (const auto& [pair, count] : counts) CHECK(pair.first >= pair.second);
  }
  SECTION("shuffled: the partner of the shared permutation") {
    const auto counts = draw_pairs(numbered_tokens(9, PairRule::shuffled), samples, 0);
    check_uniform(counts, 9, samples);
    const auto partner = shuffled_partner(9, kPairingSeed);
    for (const auto& [pair, count] : counts) {
      CHECK(static_cast<std::uint32_t>(pair.second) == partner[pair.first]);
    }
  }
  SECTION("at distance: m - n is the distance") {
    const auto counts = draw_pairs(numbered_tokens(9, PairRule::at_distance), samples, 4);
    check_uniform(counts, 5, samples);
    for (const auto& [pair, count] : counts) CHECK(pair.first - pair.second == 4);
  }
}

TEST_CASE("A source without tokens is refused, and a distance beyond the tokens has no pairs") {
  CHECK_THROWS_AS(TokenSource(numbered_tokens(0, PairRule::all), 1), InputError);
  const TokenSource source(numbered_tokens(9, PairRule::at_distance), 1);
  CHECK(source.has_pairs(8));
  CHECK_FALSE(source.has_pairs(9));
  CHECK(TokenSource(numbered_tokens(9, PairRule::all), 1).has_pairs(1'000'000));
}
