#include "proofs-check/rope_gap.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "proofs-check/theorem_2_2.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

/// C_D from its definition, in double: good to 1e-9 at the distances used here.
double cosine_mean(const RopeSetting& setting, std::uint64_t distance) {
  const double unit = setting.angle == AngleUnit::turns ? 2 * std::numbers::pi : 1;
  double sum = 0;
  for (unsigned d = 0; d < setting.head_dim / 2; ++d) {
    const double f = std::pow(std::stod(setting.base), -2.0 * d / setting.head_dim);
    const double x = static_cast<double>(distance) * f;
    sum += std::cos(unit == 1 ? x : unit * (x - std::round(x)));
  }
  return sum / setting.head_dim;
}

std::optional<std::uint64_t> slow_scan(const GapScan& scan) {
  const double near = cosine_mean(scan.setting, scan.near_distance);
  for (std::uint64_t d = scan.first; d <= scan.last; ++d)
    if (near - cosine_mean(scan.setting, d) < std::stod(scan.bound)) return d;
  return std::nullopt;
}

}  // namespace

TEST_CASE("ball, exact engine and plain sum give the same cosine mean") {
  for (const std::string base : {"10000", "500000"})
    for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
      for (const std::uint64_t distance : {0ULL, 1ULL, 17ULL, 75860ULL, 598837ULL}) {
        const RopeSetting setting{base, 64, angle};
        const Ball ball = rope_cosine_mean_ball(setting, distance);
        const EngineValue exact = rope_cosine_mean_exact(setting, distance);
        INFO(describe(setting) << " at " << distance);
        CHECK(static_cast<double>(ball.midpoint_wide()) ==
              Approx(cosine_mean(setting, distance)).margin(1e-9));
        CHECK(certainly_less(abs(Ball::exactly(exact.value, 256) - ball),
                             Ball::exactly(exact.error, 256) + Ball::decimal("1e-30", 256)));
      }
}

TEST_CASE("the known smallest violating distances are found", "[slow]") {
  // b, D, near distance, far distance; turns
  struct Case {
    const char* base;
    std::uint32_t head_dim;
    std::uint64_t near, far;
  };
  for (const Case& c :
       {Case{"10000", 64, 1, 75860}, Case{"10000", 128, 1, 64826091}, Case{"500000", 64, 2, 598837},
        Case{"500000", 64, 3, 598837}, Case{"500000", 128, 3, 30820001}}) {
    GapScan scan{{c.base, c.head_dim, AngleUnit::turns}, c.near};
    scan.first = static_cast<std::uint64_t>(std::stod(c.base)) + 1;
    scan.last = 100'000'000;
    CHECK(smallest_gap_violation(scan) == c.far);
  }
}

TEST_CASE("the filtered scan finds what a plain scan finds, and misses nothing before it") {
  for (const std::uint32_t head_dim : {16u, 32u, 48u})
    for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
      GapScan scan{{"300", head_dim, angle}, 1};
      scan.first = 301;
      scan.last = 120'000;
      for (const char* bound : {"0.125", "0.2", "0.05"}) {
        scan.bound = bound;
        // every violation, one after the other: start again behind each
        for (int hit = 0; hit < 5; ++hit) {
          const auto fast = smallest_gap_violation(scan);
          INFO("D = " << head_dim << ", bound " << bound << ", from " << scan.first);
          CHECK(fast == slow_scan(scan));
          if (!fast) break;
          scan.first = *fast + 1;
        }
        scan.first = 301;
      }
    }
}

TEST_CASE("the scan does not depend on the number of threads or where it starts") {
  GapScan scan{{"500000", 64, AngleUnit::turns}, 2};
  scan.last = 700'000;
  for (const std::uint64_t first : {500'001ULL, 550'000ULL, 598'836ULL, 598'837ULL})
    for (const unsigned threads : {1u, 2u, 5u}) {
      scan.first = first;
      scan.threads = threads;
      CHECK(smallest_gap_violation(scan) == 598837);
    }
  scan.first = 598838;
  scan.last = 598839;
  CHECK_FALSE(smallest_gap_violation(scan));
}

TEST_CASE("a scan range that is empty or too long is refused") {
  GapScan scan{{"500000", 64, AngleUnit::turns}, 2};
  scan.first = 10;
  scan.last = 9;
  CHECK_THROWS_AS(smallest_gap_violation(scan), InputError);
  scan.last = std::uint64_t{1} << 40;
  CHECK_THROWS_AS(smallest_gap_violation(scan), InputError);
}

TEST_CASE("C_D tends to its limit with Ci as D grows") {
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
    RopeSetting setting{"500000", 1 << 14, angle};
    for (const std::uint64_t distance : {2ULL, 100ULL}) {
      const Ball difference =
          abs(rope_cosine_mean_ball(setting, distance) - rope_cosine_limit(setting, distance));
      // trapezoidal end terms: at most 1/D
      CHECK(certainly_less(difference, Ball::decimal("7e-5", 128)));
    }
  }
}

TEST_CASE("the near distances of the hypothesis are those below b^(1/4)/8") {
  CHECK(near_distances("10000").empty());
  CHECK(near_distances("500000") == std::vector<std::uint64_t>{2, 3});
  CHECK(near_distances("10000000").back() == 7);
  CHECK(near_distances("65536").empty());  // b^(1/4)/8 = 2, not below 2
  CHECK(near_distances("65537") == std::vector<std::uint64_t>{2});
}
