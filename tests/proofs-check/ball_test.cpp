#include "proofs-check/ball.hpp"

#include <cstdint>
#include <random>
#include <string>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

/// A random decimal "d.ddd...e+x" with up to 30 digits.
std::string random_decimal(std::mt19937_64& random, int max_exponent) {
  std::string text = random() % 2 == 0 ? "" : "-";
  const int digits = 1 + static_cast<int>(random() % 30);
  text += static_cast<char>('1' + random() % 9);
  text += '.';
  for (int i = 0; i < digits; ++i) text += static_cast<char>('0' + random() % 10);
  const int exponent = static_cast<int>(random() % (2 * max_exponent + 1)) - max_exponent;
  return text + "e" + std::to_string(exponent);
}

}  // namespace

TEST_CASE("a ball of lower precision contains the ball of higher precision") {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const std::string a = random_decimal(random, 6), b = random_decimal(random, 6);
    const slong low = 8 + static_cast<slong>(random() % 200);
    const auto all = [&](slong bits) {
      const Ball x = Ball::decimal(a, bits), y = Ball::decimal(b, bits), u = abs(x);
      return std::vector<Ball>{x + y,
                               x - y,
                               x * y,
                               x / y,
                               -x,
                               sqrt(u),
                               log(u),
                               exp(x / (u + 1)),
                               pow(u, y / (abs(y) + 1)),
                               pow(x, 7),
                               cos_turns(x),
                               sin_turns(x),
                               cosine_integral(u),
                               sine_integral(u),
                               abs(ComplexBall{x, y}),
                               pow(ComplexBall{x, y}, Ball(-1, bits) / 2).re,
                               exp(ComplexBall{x / (u + 1), y}).im};
    };
    const auto coarse = all(low), fine = all(low + 400);
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      INFO("a = " << a << ", b = " << b << ", bits = " << low << ", operation " << i);
      // outward rounding lets the fine ball stick out by its own radius only
      CHECK(coarse[i].overlaps(fine[i]));
      CHECK(hull(coarse[i], coarse[i]).overlaps(fine[i]));
      if (coarse[i].is_finite()) {
        const Ball gap = abs(coarse[i] - fine[i]);
        CHECK_FALSE(certainly_less(Ball::decimal(coarse[i].radius(), 64) * 3, gap));
      }
    }
  }
}

TEST_CASE("a decimal is enclosed at every precision") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const std::string text = random_decimal(random, 400);
    const Ball exact = Ball::decimal(text, 4000);
    const slong bits = 2 + static_cast<slong>(random() % 300);
    INFO(text << " at " << bits);
    CHECK(Ball::decimal(text, bits).overlaps(exact));
    CHECK(certainly_less(
        abs(Ball::decimal(text, bits) - exact) * (slong{1} << std::min<slong>(bits - 2, 60)),
        abs(exact) * 4));
  }
}

TEST_CASE("what is no finite decimal is refused") {
  for (const char* text : {"", "nan", "inf", "1 +/- 2", "[1 +/- 2]", "1e", "1.2.3", "0x10", "1 ",
                           ".", "--1", "1e5.5"}) {
    INFO(text);
    CHECK_THROWS_AS(Ball::decimal(text, 64), InputError);
  }
}

TEST_CASE("printed midpoint and radius enclose the ball") {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const slong bits = 20 + static_cast<slong>(random() % 200);
    const Ball x = sqrt(abs(Ball::decimal(random_decimal(random, 50), bits)));
    for (const int digits : {1, 3, 17, 40}) {
      const Ball printed = Ball::decimal(x.midpoint(digits), 600);
      const Ball radius = Ball::decimal(x.radius(digits), 600);
      INFO(x.midpoint(digits) << " +- " << x.radius(digits));
      CHECK(hull(printed - radius, printed + radius).contains(x));
    }
  }
}

TEST_CASE("Wide numbers pass through balls without loss") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const Wide value(random_decimal(random, 9000));
    CHECK(Ball::exactly(value, 8).midpoint_wide() == value);
  }
  CHECK(Ball::exactly(Wide(0), 64).midpoint_wide() == 0);
}

TEST_CASE("turns are reduced exactly at distances of 10^90") {
  // (10^90 + 1)/8 turns: 10^90 is a multiple of 8, so an eighth of a turn is left
  const Ball turns = (Ball::decimal("1e90", 400) + 1) / 8;
  const Ball expected = sqrt(Ball(2, 400)) / 2;
  CHECK(cos_turns(turns).overlaps(expected));
  CHECK(sin_turns(turns).overlaps(expected));
  CHECK(certainly_less(abs(cos_turns(turns) - expected), Ball::decimal("1e-100", 400)));
  // too little precision gives a wide ball that still contains the truth
  const Ball coarse = cos_turns((Ball::decimal("1e90", 64) + 1) / 8);
  CHECK(coarse.contains(expected));
  CHECK_FALSE(certainly_less(abs(coarse - expected), Ball::decimal("0.1", 64)));
}

TEST_CASE("cosine and sine integral take their known values") {
  // Abramowitz and Stegun, table 5.1
  CHECK(certainly_less(abs(cosine_integral(Ball(1, 200)) - Ball::decimal("0.3374039229", 200)),
                       Ball::decimal("1e-10", 200)));
  CHECK(certainly_less(abs(sine_integral(Ball(1, 200)) - Ball::decimal("0.9460830704", 200)),
                       Ball::decimal("1e-10", 200)));
}
