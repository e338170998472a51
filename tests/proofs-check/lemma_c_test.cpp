#include "proofs-check/lemma_c.hpp"

#include <cmath>
#include <numbers>

#include "catch.hpp"

using namespace tapalab;

namespace {

/// C_D and S_D from their definition, in double.
void plain_sums(unsigned head_dim, double base, double wl, double& cosine, double& sine) {
  cosine = sine = 0;
  for (unsigned d = 0; d < head_dim / 2; ++d) {
    const double x = wl * std::pow(base, -2.0 * d / head_dim);
    cosine += std::cos(x) / head_dim;
    sine += std::sin(x) / head_dim;
  }
}

double middle(const Ball& ball) { return static_cast<double>(ball.midpoint_wide()); }

ClaimContext quick() {
  ClaimContext context;
  context.effort = Effort::quick;
  return context;
}

void check_confirmed(const ClaimResult& result) {
  INFO(result.reason);
  CHECK(result.verdict == Verdict::confirmed);
  CHECK(result.rigor);
  for (const Evidence& row : result.evidence) {
    INFO(row.engine << ": " << row.quantity << ": " << row.observed);
    CHECK(row.holds);
  }
}

}  // namespace

TEST_CASE("sums over a box contain the sums at points of the box") {
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
    for (const double width : {0.0, 1e-3, 0.1, 0.4})
      for (int i = 0; i < 8; ++i) {
        const double log_base = 3 + 1.7 * i, log_distance = i;
        const RopeSums box = rope_sums(angle, 64, between(log_base, log_base + width, 64),
                                       between(log_distance, log_distance + width, 64));
        for (const double part : {0.0, 0.31, 1.0}) {
          const Wide base = exp(Wide(log_base + part * width));
          const Wide distance = exp(Wide(log_distance + (1 - part) * width));
          const WideSums sums = rope_sums_wide(angle, 64, base, distance);
          // a box of width 0 is a point, enclosed to 64 bits and not to 192
          CHECK(box.cosine.overlaps(Ball::exactly(sums.cosine, 256)));
          CHECK(box.sine.overlaps(Ball::exactly(sums.sine, 256)));
        }
      }
}

TEST_CASE("the sums agree with plain sums in double, and a decimal distance with an integer") {
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
    for (const std::uint64_t distance : {1, 7, 1234}) {
      double cosine = 0, sine = 0;
      plain_sums(
          128, 5e5,
          (angle == AngleUnit::turns ? 2 * std::numbers::pi : 1) * static_cast<double>(distance),
          cosine, sine);
      const RopeSetting setting{"500000", 128, angle};
      const RopeSums ball = rope_sums_at(setting, std::to_string(distance));
      CHECK(middle(ball.cosine) == Approx(cosine).margin(1e-11));
      CHECK(middle(ball.sine) == Approx(sine).margin(1e-11));
      CHECK(ball.cosine.overlaps(rope_cosine_mean_ball(setting, distance)));
      const WideSums wide = rope_sums_wide(angle, 128, Wide(500000), Wide(distance));
      CHECK(static_cast<double>(wide.cosine) == Approx(cosine).margin(1e-11));
      CHECK(static_cast<double>(wide.sine) == Approx(sine).margin(1e-11));
    }
}

TEST_CASE("ranges of Ci and Si contain their values inside a wide ball") {
  for (double low = 0.05; low < 60; low *= 1.7)
    for (const double factor : {1.0, 1.01, 1.3}) {
      const Ball x = between(low, low * factor, 64);
      const Ball ci = cosine_integral_range(x), si = sine_integral_range(x);
      for (const double part : {0.0, 0.4, 1.0}) {
        const Ball point = Ball::exactly(low + part * (low * factor - low), 128);
        CHECK(ci.overlaps(cosine_integral(point)));
        CHECK(si.overlaps(sine_integral(point)));
      }
    }
}

TEST_CASE("the least epsilon is the infimum over alpha") {
  for (const double a : {0.01, 0.1, 0.5, 3.0})
    for (const double log_base : {2.4, 9.2, 18.0}) {
      double least = a;
      for (double alpha = 0; alpha < 3; alpha += 1e-4)
        least = std::min(least, alpha + a * std::exp(-alpha * log_base));
      CHECK(middle(least_epsilon(Ball::exactly(a, 64), Ball::exactly(log_base, 64))) ==
            Approx(least).margin(1e-6));
    }
}

TEST_CASE("lemmas C.1 and C.2: a bound that is false is not certified") {
  LemmaRegion region{Lemma::c1_cosine, AngleUnit::turns, 0, 1e4, printed_constants()};
  CHECK(certify_lemma(region).holds());
  region.constants.cosine = "0.45";  // y |Ci(y)| comes near 1: 1/2 is needed
  CHECK_FALSE(certify_lemma(region).holds());
  region = {Lemma::c1_sine, AngleUnit::turns, 0, 1e4, printed_constants()};
  CHECK(certify_lemma(region).holds());
  region.constants.sine = "0.8";  // Si(3 pi)/2 = 0.837
  CHECK_FALSE(certify_lemma(region).holds());
  region.angle = AngleUnit::radians;
  region.constants.sine = "0.9";  // Si(pi)/2 = 0.926
  CHECK_FALSE(certify_lemma(region).holds());
  region = {Lemma::c2, AngleUnit::turns, 0, 1e4, printed_constants()};
  CHECK(certify_lemma(region).holds());
  region.constants.offset = "0.2";  // (Ci(pi/2) - Ci(7 pi/2))/2 = 0.28
  CHECK_FALSE(certify_lemma(region).holds());
}

TEST_CASE("lemma C.1: without its epsilon the printed bound fails at a head dimension") {
  LemmaRegion region{Lemma::c1_sine, AngleUnit::turns, 64, 1e6, printed_constants()};
  CHECK(certify_lemma(region).holds());
  region.constants.epsilon = "0.001";
  region.constants.sine = "0.5";
  const LemmaBoxes boxes = certify_lemma(region);
  CHECK(boxes.undecided == 1);
  // the box that stopped the search holds a violation, seen by the other arithmetic
  const double base = std::exp(boxes.first_undecided.log_base_low);
  const double distance = std::exp(boxes.first_undecided.log_distance_low);
  const WideSums sums = rope_sums_wide(AngleUnit::turns, 64, Wide(base), Wide(distance));
  CHECK(std::abs(static_cast<double>(sums.sine)) > 0.45 / std::log(base));
}

TEST_CASE("lemma C.1: confirmed") { check_confirmed(check_lemma_c_1(quick())); }

TEST_CASE("lemma C.2: confirmed") { check_confirmed(check_lemma_c_2(quick())); }

TEST_CASE("lemma C.2: a smaller offset changes the verdict") {
  LemmaOptions options;
  options.printed.offset = "0.1";
  CHECK(check_lemma_c_2(quick(), options).verdict == Verdict::inconclusive);
}
