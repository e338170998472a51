#include "analysis/log_number.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

TEST_CASE("a number far below double keeps its digits") {
  const LogNumber x(Wide("-6.8434543593029599522e-9051"));
  CHECK(x.sign() == -1);
  CHECK(x.decimal() == "-6.8434543593029600e-9051");
  CHECK(x.log10_abs() == Approx(-9050.16472462).epsilon(1e-12));
  CHECK(x.value() == 0.0);
}

TEST_CASE("decimal rounds to the nearest digit and carries into the exponent") {
  CHECK(LogNumber(Wide("9.9999999999999999999e-70")).decimal() == "1.0000000000000000e-69");
  CHECK(LogNumber(Wide("0.5")).decimal() == "5.0000000000000000e-01");
  CHECK(LogNumber(Wide(1)).decimal() == "1.0000000000000000e+00");
  CHECK(LogNumber(Wide("123456.25")).decimal(4) == "1.235e+05");
  CHECK(LogNumber().decimal() == "0");
}

TEST_CASE("seventeen digits give back every double") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const double significand = std::uniform_real_distribution<double>(-1, 1)(random);
    const double x =
        std::ldexp(significand, std::uniform_int_distribution<int>(-1000, 1000)(random));
    CHECK(std::stod(LogNumber(x).decimal()) == x);
    CHECK(LogNumber::parse(LogNumber(x).decimal(), "x").value() == x);
  }
}

TEST_CASE("the value is the double nearest to the decimal that is printed, at any size") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(1, 2);
  const auto printed = [](const Wide& x) { return LogNumber(x).decimal(); };
  // strtod rounds correctly, also to subnormals, infinity and 0.
  const auto check = [&](const Wide& x) {
    const LogNumber number(x);
    INFO(printed(x));
    CHECK(number.value() == std::strtod(printed(x).c_str(), nullptr));
    CHECK(std::signbit(number.value()) == (x < 0));
  };
  for (int i = 0; i < 2000; ++i) {
    const double sign = i % 2 == 0 ? 1 : -1;
    const int exponent = std::uniform_int_distribution<int>(-1100, 1100)(random);
    check(ldexp(Wide(sign * unit(random)) + ldexp(Wide(unit(random)), -60), exponent));
    // halfway between two doubles, normal or subnormal, and beside that
    const Wide half = ldexp(Wide((1ULL << 53) | (random() >> 11)) * 2 + 1, exponent - 54);
    check(half);
    check(sign * half * (1 + ldexp(Wide(1), -70)));
    check(sign * half * (1 - ldexp(Wide(1), -70)));
    check(sign * ldexp(Wide(unit(random)), -1074 + static_cast<int>(random() % 40)));
  }
  for (const char* text :
       {"1.7976931348623157e308", "1.7976931348623158079e308", "1.7976931348623159e308",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "4.9e-324", "1e-9000", "1e9000"}) {
    check(Wide(text));
    check(-Wide(text));
  }
}

TEST_CASE("eighteen digits and directed rounding at any exponent") {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> unit(-2, 2);
  for (int i = 0; i < 2000; ++i) {
    const long long exponent = static_cast<long long>(random() >> 4) >> (random() % 60);
    const Wide x = ldexp(Wide(unit(random)) / 3, i % 2 == 0 ? exponent : -exponent);
    for (const int digits : {1, 2, 17, 18}) {
      const LogNumber number(x);
      const auto read = [&](Rounding rounding) {
        return LogNumber::parse(number.decimal(digits, rounding), "x").wide();
      };
      INFO(number.decimal() << " " << digits);
      const Wide down = read(Rounding::down), up = read(Rounding::up);
      const Wide nearest = read(Rounding::nearest);
      const Wide slack = abs(x) * Wide("1e-30");
      CHECK(down <= x + slack);
      CHECK(x <= up + slack);
      CHECK((abs(nearest - down) <= slack || abs(nearest - up) <= slack));
      CHECK(abs(nearest - x) <= (up - down) / 2 + slack);
    }
  }
  CHECK(LogNumber(Wide("9.9999e5")).decimal(2, Rounding::up) == "1.0e+06");
  CHECK(LogNumber(Wide("-9.9999e5")).decimal(2, Rounding::up) == "-9.9e+05");
  CHECK(LogNumber(Wide("-9.9999e5")).decimal(2, Rounding::down) == "-1.0e+06");
}

TEST_CASE("logarithms keep their digits near 1 and far from it") {
  CHECK(LogNumber(Wide("1.000000000001")).log10_abs() ==
        Approx(4.3429448190303e-13).epsilon(1e-12).margin(0));
  CHECK(LogNumber(Wide("0.999999999999")).log10_abs() ==
        Approx(-4.3429448190347e-13).epsilon(1e-12).margin(0));
  CHECK(LogNumber(Wide(1)).log10_abs() == 0);
  CHECK(LogNumber(Wide("-1e-9000")).log10_abs() == Approx(-9000).epsilon(1e-14));
}

TEST_CASE("exponents beyond 1e15 print and read") {
  const LogNumber x(exp(Wide("-3.5e16")));
  // -3.5e16 / ln 10 = -15200306866613813.7...
  const std::string text = x.decimal(5);
  CHECK(text.substr(text.find('e')) == "e-15200306866613814");
  const Wide back = LogNumber::parse(x.decimal(17), "x").wide();
  CHECK(abs(back / x.wide() - 1) < Wide("1e-16"));
}

TEST_CASE("text that is no number is refused by name") {
  for (const char* text : {"", "nan", "1e", "1e1.5", "1e999999999999999999999", "0x10", "1 "}) {
    CHECK_THROWS_AS(LogNumber::parse(text, "mean"), InputError);
  }
}
