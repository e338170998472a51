// Theorem 2.3, base-scaling, rope-variance and figure-1-consistency.
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "proofs-check/figure_1_consistency.hpp"
#include "proofs-check/rope_variance.hpp"
#include "proofs-check/theorem_2_3.hpp"

using namespace tapalab;

namespace {

ClaimContext quick(std::uint64_t seed = 1) {
  ClaimContext context;
  context.effort = Effort::quick;
  context.seed = seed;
  return context;
}

void check_confirmed(const ClaimResult& result) {
  INFO(result.reason);
  CHECK(result.verdict == Verdict::confirmed);
  CHECK(result.rigor);
  CHECK_FALSE(result.scope.empty());
  for (const Evidence& row : result.evidence) {
    INFO(row.engine << ": " << row.quantity << ": predicted " << row.predicted << ", observed "
                    << row.observed << " +- " << row.error);
    CHECK(row.holds);
  }
}

double middle(const Ball& ball) { return static_cast<double>(ball.midpoint_wide()); }

}  // namespace

TEST_CASE("theorem-2.3 and base-scaling: confirmed, and a wrong rate changes the verdict") {
  check_confirmed(check_theorem_2_3(quick()));
  check_confirmed(check_base_scaling(quick()));
  BaseScalingOptions wrong;
  wrong.logarithms = "1";  // ln b in place of 2 ln b
  CHECK(check_theorem_2_3(quick(), wrong).verdict == Verdict::inconclusive);
  CHECK(check_base_scaling(quick(), wrong).verdict == Verdict::inconclusive);
  BaseScalingOptions tight;
  tight.riemann = "0.1";  // less than the sums are off
  CHECK(check_theorem_2_3(quick(), tight).verdict == Verdict::inconclusive);
}

TEST_CASE("gap numerators on a wide ball contain those of its points") {
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
    for (const double low : {7.0, 12.0, 30.0})
      for (const double width : {0.01, 1.0, 4.0}) {
        const RopeSums wide = gap_numerators(angle, 2, 100, between(low, low + width, 128));
        for (const double part : {0.0, 0.3, 1.0}) {
          const RopeSums point =
              gap_numerators(angle, 2, 100, Ball::exactly(low + part * width, 192));
          CHECK(wide.cosine.overlaps(point.cosine));
          CHECK(wide.sine.overlaps(point.sine));
        }
      }
}

TEST_CASE("the limit of the gap is that of finite sums as the dimension grows") {
  const RopeSums limit = gap_numerators(AngleUnit::radians, 1, 5, log(Ball(10000, 128)));
  const double twice = 2 * std::log(1e4);
  double last = 1;
  for (const std::uint32_t D : {256u, 1024u, 4096u}) {
    const WideSums near = rope_sums_wide(AngleUnit::radians, D, Wide(10000), Wide(1));
    const WideSums far = rope_sums_wide(AngleUnit::radians, D, Wide(10000), Wide(5));
    const double error =
        std::abs(static_cast<double>(near.cosine - far.cosine) - middle(limit.cosine) / twice);
    CHECK(error < last / 3);  // the left Riemann sum's error falls like 1/D
    CHECK(error < 6.0 / D);
    last = error;
  }
}

TEST_CASE("rope-variance: confirmed for three seeds, and another variance changes the verdict",
          "[slow]") {
  for (const std::uint64_t seed : {1, 2, 3}) check_confirmed(check_rope_variance(quick(seed)));
  CHECK(check_rope_variance(quick(), {"1.05"}).verdict == Verdict::inconclusive);
}

TEST_CASE("figure-1-consistency: confirmed, and other printed numbers change the verdict") {
  check_confirmed(check_figure_1_consistency(quick()));
  CHECK(check_figure_1_consistency(quick(), {"4.1", "0.95"}).verdict == Verdict::inconclusive);
  CHECK(check_figure_1_consistency(quick(), {"4.1", "0.75"}).verdict == Verdict::inconclusive);
}

TEST_CASE("the spread bound is the least of sd/mean over all directions") {
  const RopeSetting setting{"10000", 16, AngleUnit::radians};
  const GapMoments m = gap_moments_ball(setting, {0, 6}, {50, 57});
  // the moments by a double loop over both draws, in double
  double n = 0, c = 0, s = 0, cc = 0, ss = 0, cs = 0;
  for (int a = 0; a <= 6; ++a)
    for (int b = 50; b <= 57; ++b) {
      double x = 0, y = 0;
      for (int d = 0; d < 8; ++d) {
        const double f = std::pow(1e4, -2.0 * d / 16);
        x += (std::cos(a * f) - std::cos(b * f)) / 16;
        y += (std::sin(a * f) - std::sin(b * f)) / 16;
      }
      n += 1, c += x, s += y, cc += x * x, ss += y * y, cs += x * y;
    }
  c /= n, s /= n;
  CHECK(middle(m.mean_cosine) == Approx(c));
  CHECK(middle(m.var_cosine) == Approx(cc / n - c * c));
  CHECK(middle(m.covariance) == Approx(cs / n - c * s).margin(1e-12));
  const SpreadBound bound = spread_bound(m);
  double least = 1e9;
  for (int i = 0; i < 20000; ++i) {
    const double t = std::numbers::pi * i / 20000, u = std::cos(t), v = std::sin(t);
    const double mean = u * c + v * s;
    const double variance =
        u * u * (cc / n - c * c) + v * v * (ss / n - s * s) + 2 * u * v * (cs / n - c * s);
    least = std::min(least, std::sqrt(variance) / std::abs(mean));
  }
  CHECK(middle(bound.over_all) == Approx(least).epsilon(1e-5));
  CHECK(middle(bound.without_sine) == Approx(std::sqrt(cc / n - c * c) / std::abs(c)));
}
