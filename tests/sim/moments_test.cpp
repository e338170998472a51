#include "sim/moments.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/numbers/wide.hpp"

using namespace tapalab;

namespace {

struct WideMoments {
  Wide mean{0}, m2{0}, m3{0}, m4{0};
};

WideMoments exact_moments(const std::vector<double>& values) {
  WideMoments exact;
  for (const double x : values) exact.mean += x;
  exact.mean /= values.size();
  for (const double x : values) {
    const Wide d = x - exact.mean;
    exact.m2 += d * d;
    exact.m3 += d * d * d;
    exact.m4 += d * d * d * d;
  }
  return exact;
}

// Skewed values around `offset`.
std::vector<double> sample(std::size_t count, double offset, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> exponential;
  std::vector<double> values(count);
  for (auto& value : values) value = offset + exponential(random);
  return values;
}

void check_close(const Moments& moments, const WideMoments& exact, double tolerance) {
  CHECK(moments.mean == Approx(static_cast<double>(exact.mean)).epsilon(1e-15));
  CHECK(moments.m2 == Approx(static_cast<double>(exact.m2)).epsilon(tolerance));
  CHECK(moments.m3 == Approx(static_cast<double>(exact.m3)).epsilon(tolerance));
  CHECK(moments.m4 == Approx(static_cast<double>(exact.m4)).epsilon(tolerance));
}

}  // namespace

TEST_CASE("Moments added one by one agree with exact sums, far from zero too") {
  for (const double offset : {0.0, 1e3}) {
    const auto values = sample(3000, offset, 1);
    Moments moments;
    for (const double x : values) moments.add(x);
    CHECK(moments.count == 3000);
    CHECK(moments.mean == Approx(static_cast<double>(exact_moments(values).mean)).epsilon(1e-13));
    CHECK(moments.m2 == Approx(static_cast<double>(exact_moments(values).m2)).epsilon(1e-11));
    CHECK(moments.m3 == Approx(static_cast<double>(exact_moments(values).m3)).epsilon(1e-10));
    CHECK(moments.m4 == Approx(static_cast<double>(exact_moments(values).m4)).epsilon(1e-10));
  }
}

TEST_CASE("Merged moments are those of both samples") {
  const auto left = sample(700, 0, 2), right = sample(1300, 5, 3);
  Moments a, b;
  for (const double x : left) a.add(x);
  for (const double x : right) b.add(x);
  auto both = left;
  both.insert(both.end(), right.begin(), right.end());
  a.merge(b);
  CHECK(a.count == 2000);
  check_close(a, exact_moments(both), 1e-13);
}

TEST_CASE("Merging with nothing changes no bit") {
  Moments moments;
  for (const double x : sample(10, 0, 4)) moments.add(x);
  Moments left = moments, right;
  left.merge(Moments{});
  right.merge(moments);
  CHECK(left == moments);
  CHECK(right == moments);
}

TEST_CASE("Moments of a block agree with exact sums for every length and width") {
  for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 100u, 1023u, 1024u}) {
    const auto values = sample(count, 100, count);
    const Moments moments = block_kernels(SimdLevel::scalar).moments(values.data(), count);
    CHECK(moments.count == count);
    if (count == 1) {
      CHECK(moments == Moments{1, values[0], 0, 0, 0});
    } else {
      check_close(moments, exact_moments(values), 1e-12);
    }
    CHECK(block_kernels(simd_level()).moments(values.data(), count) == moments);
  }
}

TEST_CASE("A constant sample has no spread") {
  const std::vector<double> values(1000, 0.1);
  const Moments moments = block_kernels(SimdLevel::scalar).moments(values.data(), values.size());
  CHECK(moments.mean == 0.1);
  CHECK(moments.m2 <= 1e-40);
}

TEST_CASE("The sample variance divides by one less than the count") {
  Moments moments;
  for (const double x : {1.0, 2.0, 4.0}) moments.add(x);
  CHECK(sample_variance(moments) == Approx(7.0 / 3).epsilon(1e-15));
}
