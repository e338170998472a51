#include "sim/numbers/exact_decimal.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "catch.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/decimal_parts.hpp"

using namespace tapalab;
using boost::multiprecision::cpp_int;

namespace {

ExactDecimal decimal(const std::string& text) { return ExactDecimal::parse(text, "alpha"); }

}  // namespace

TEST_CASE("a decimal is the Wide nearest to its exact value") {
  CHECK(decimal("0.1").wide() == Wide(1) / 10);
  CHECK(decimal("-0.375").wide() == Wide(-0.375));
  CHECK(decimal("1e3").wide() == 1000);
  CHECK(decimal("+12.50E-1").wide() == Wide(1.25));
  CHECK(decimal("000").wide() == 0);
  CHECK(decimal("-0").wide() == 0);
  CHECK(decimal("007").wide() == 7);
  CHECK(decimal("9223372036854775807").wide() == Wide((1ULL << 63) - 1));
}

TEST_CASE("rounding is to nearest with ties to even and a sticky tail") {
  const cpp_int unit = cpp_int(1) << kWideBits;  // 193 bits: its last bit rounds away
  CHECK(decimal(cpp_int(unit + 1).str()).wide() == ldexp(Wide(1), kWideBits));
  CHECK(decimal(cpp_int(unit + 3).str()).wide() == ldexp(Wide(1), kWideBits) + 4);
  CHECK(decimal(cpp_int(unit + 1).str() + ".0000000001").wide() == ldexp(Wide(1), kWideBits) + 2);
  CHECK(decimal(cpp_int(unit + 1).str() + "." + std::string(3000, '0') + "1").wide() ==
        ldexp(Wide(1), kWideBits) + 2);
  CHECK(decimal(cpp_int(2 * unit - 1).str()).wide() == ldexp(Wide(1), kWideBits + 1));
}

TEST_CASE("random decimals lie within half a unit of their Wide, by exact integers") {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::string digits = std::to_string(random() % 9 + 1);
    for (std::uint64_t more = random() % 90; more > 0; --more) digits += char('0' + random() % 10);
    const int exponent = static_cast<int>(random() % 201) - 100;
    const Wide wide = decimal(digits + "e" + std::to_string(exponent)).wide();
    // |digits 10^e - w| <= |w| 2^-192, all times 2^1000 10^100.
    const cpp_int scaled = (cpp_int(digits) << 1000) * pow(cpp_int(10), unsigned(exponent + 100));
    int shift = 0;
    const cpp_int significand(ldexp(frexp(wide, &shift), kWideBits));
    const cpp_int value = (significand * pow(cpp_int(10), 100)) << (1000 + shift - kWideBits);
    CHECK((abs(cpp_int(scaled - value)) << kWideBits) <= value);
  }
}

TEST_CASE("the text is echoed as given") {
  CHECK(decimal("0.10").text() == "0.10");
  CHECK(decimal("+1E+2").text() == "+1E+2");
  CHECK(ExactDecimal(-3).text() == "-3");
  CHECK(ExactDecimal().text() == "0");
}

TEST_CASE("the double of a decimal is the nearest double") {
  CHECK(decimal("0.1").value() == 0.1);
  CHECK(decimal("1e-320").value() == 1e-320);
  CHECK(decimal("4.9406564584124654e-324").value() == 4.9406564584124654e-324);
  CHECK(decimal("1.7976931348623157e308").value() == std::numeric_limits<double>::max());
  CHECK(decimal("1e400").value() == std::numeric_limits<double>::infinity());
}

TEST_CASE("a double becomes its exact decimal expansion and comes back") {
  CHECK(ExactDecimal::from_double(0.1, "x").text() ==
        "0.1000000000000000055511151231257827021181583404541015625");
  CHECK(ExactDecimal::from_double(-2, "x").text() == "-2");
  CHECK(ExactDecimal::from_double(0, "x").text() == "0");
  CHECK(ExactDecimal::from_double(1e300, "x").wide() == Wide(1e300));
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::uint64_t bits = random();
    double value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    const ExactDecimal exact = ExactDecimal::from_double(value, "x");
    CHECK(exact.wide() == Wide(value));
    CHECK(decimal(exact.text()).wide() == Wide(value));
    CHECK(exact.value() == value);
  }
  for (const double value :
       {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(),
        -std::numeric_limits<double>::max()}) {
    CHECK(decimal(ExactDecimal::from_double(value, "x").text()).value() == value);
  }
  CHECK_THROWS_AS(ExactDecimal::from_double(std::nan(""), "x"), InputError);
  CHECK_THROWS_AS(ExactDecimal::from_double(-INFINITY, "x"), InputError);
}

TEST_CASE("products and comparisons are those of the exact decimal") {
  CHECK(decimal("0.1").times((1ULL << 63) - 1) == decimal("922337203685477580.7").wide());
  CHECK(decimal("0.1").times(0) == 0);
  const std::string just_above_one = "1." + std::string(200, '0') + "1";
  CHECK(decimal(just_above_one).wide() == 1);
  CHECK(decimal(just_above_one).compare(1) == 1);
  CHECK(decimal("-" + just_above_one).compare(-1) == -1);
  CHECK(decimal("0." + std::string(100, '9')).compare(1) == -1);
  CHECK(decimal("10e-1").compare(1) == 0);
  CHECK(decimal("1e-100000").compare(0) == 1);
  CHECK(decimal("-1e100000").compare(7) == -1);
}

TEST_CASE("anything but a decimal is refused with one line that names it") {
  const std::string bad[] = {"",
                             ".",
                             "1.",
                             ".5",
                             "1e",
                             "1e+",
                             "e5",
                             "0x10",
                             "+-1",
                             "--1",
                             "1,2",
                             "nan",
                             "NaN",
                             "inf",
                             "-infinity",
                             " 1",
                             "1 ",
                             "1\n",
                             "1_000",
                             "1e5.5",
                             "1e1e1",
                             "\xD9\xA1",
                             "1\u2212",
                             std::string("1\0", 2),
                             std::string(1, '\0'),
                             "1e100001",
                             "1e-100001",
                             "1e999999",
                             "1e99999999999999999999999999999",
                             std::string(4097, '1'),
                             "1/2",
                             "1f",
                             "\xFF"};
  for (const std::string& text : bad) {
    INFO("text: " << text.substr(0, 40));
    try {
      decimal(text);
      FAIL("accepted");
    } catch (const InputError& error) {
      const std::string message = error.what();
      CHECK(message.rfind("alpha: ", 0) == 0);
      CHECK(message.find("accepted: ") != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
      CHECK(message.size() < 400);
    }
  }
}

TEST_CASE("the limits of length and exponent are inside") {
  CHECK(decimal(std::string(4096, '9')).wide() > 0);
  CHECK(decimal("1e100000").wide() > decimal("9e99999").wide());
  CHECK(decimal("1e-100000").wide() > 0);
  CHECK(decimal("1e000000000000000000000000005").wide() == 100000);
  CHECK(decimal("0e100000").wide() == 0);
}
