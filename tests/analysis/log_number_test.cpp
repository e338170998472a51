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
