// Rounding to fp32, bf16 and fp16: every 16-bit value and every midpoint, and random operands
// against the processor's fp32 and against wide arithmetic.
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/crosscheck/exact_sum.hpp"
#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/rounding.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/wide.hpp"

using namespace tapalab;

namespace {

double decode16(FloatFormat format, std::uint32_t bits) {
  const unsigned char bytes[2] = {static_cast<unsigned char>(bits),
                                  static_cast<unsigned char>(bits >> 8)};
  return decode_float(format, bytes);
}

// The non-negative finite values of a 16-bit format in order: pattern i is value i.
std::vector<double> finite_values(FloatFormat format) {
  std::vector<double> values;
  for (std::uint32_t bits = 0; bits < 0x8000; ++bits) {
    const double value = decode16(format, bits);
    if (std::isfinite(value)) values.push_back(value);
  }
  return values;
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// The nearest value by search among all values of the format, ties to the even pattern: another
// route than the bits of a double.
double nearest_by_search(const std::vector<double>& values, const Wide& exact) {
  const Wide size = abs(exact);
  std::size_t low = 0, high = values.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (Wide(values[middle]) <= size ? low : high) = middle;
  }
  const Wide below = size - Wide(values[low]), above = Wide(values[high]) - size;
  const bool up = above < below || (above == below && high % 2 == 0);
  const double found = values[up ? high : low];
  return exact < 0 ? -found : found;
}

double random_value(std::mt19937_64& random, FloatFormat format, int exponents) {
  std::uniform_real_distribution<double> significand(1, 2);
  std::uniform_int_distribution<int> exponent(-exponents, exponents);
  const double size = std::ldexp(significand(random), exponent(random));
  return round_to(format, random() % 2 == 0 ? size : -size);
}

}  // namespace

TEST_CASE("Every bf16 and fp16 number rounds to itself, and every midpoint to the even neighbour") {
  for (const FloatFormat format : {FloatFormat::bf16, FloatFormat::f16}) {
    INFO(precision_name(format));
    const std::vector<double> values = finite_values(format);
    REQUIRE(values.size() == (format == FloatFormat::bf16 ? 0x7F80u : 0x7C00u));
    std::size_t faults = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (const double sign : {1.0, -1.0}) {
        faults += !same(round_to(format, sign * values[i]), sign * values[i]);
        if (i + 1 == values.size()) continue;
        const double middle = (values[i] + values[i + 1]) / 2;  // exact
        const double even = values[i % 2 == 0 ? i : i + 1];
        faults += !same(round_to(format, sign * middle), sign * even);
        faults +=
            !same(round_to(format, sign * std::nextafter(middle, 1e300)), sign * values[i + 1]);
        faults += !same(round_to(format, sign * std::nextafter(middle, 0)), sign * values[i]);
      }
    }
    CHECK(faults == 0);
    // Beyond the largest number half a unit still rounds down; from there on it is infinity.
    const double largest = values.back();
    const double edge = largest + (largest - values[values.size() - 2]) / 2;
    CHECK(limits_of(format).largest == largest);
    CHECK(round_to(format, std::nextafter(edge, 0)) == largest);
    CHECK(std::isinf(round_to(format, edge)));
    CHECK(round_to(format, -edge) < -largest);
    CHECK(std::isnan(round_to(format, std::nan(""))));
    CHECK(std::isinf(round_to(format, 1e300)));
    CHECK(underflow_error(format) == values[1] / 2);
  }
}

TEST_CASE("Sums, products and fused multiply-adds in fp32 are the processor's") {
  std::mt19937_64 random(7);
  std::size_t faults = 0, inexact = 0;
  for (int i = 0; i < 300000; ++i) {
    const int exponents = i % 3 == 0 ? 4 : i % 3 == 1 ? 40 : 75;  // 75: down to subnormal products
    const double a = random_value(random, FloatFormat::f32, exponents);
    const double b = random_value(random, FloatFormat::f32, exponents);
    const double c = random_value(random, FloatFormat::f32, exponents);
    const auto x = static_cast<float>(a), y = static_cast<float>(b), z = static_cast<float>(c);
    const RoundedFloat sum = add(FloatFormat::f32, a, b);
    const RoundedFloat product = multiply(FloatFormat::f32, a, b);
    const RoundedFloat fused = fused_multiply_add(FloatFormat::f32, a, b, c);
    faults += !same(sum.value, x + y) || !same(product.value, x * y) ||
              !same(fused.value, std::fmaf(x, y, z));
    faults += std::isfinite(product.value) && product.error != std::abs(product.value - a * b);
    inexact += fused.error > 0;
    const double any = std::ldexp(std::bit_cast<double>((random() >> 12) | 0x3FF0000000000000u),
                                  static_cast<int>(random() % 320) - 170);
    faults += !same(round_to(FloatFormat::f32, any), static_cast<float>(any));
  }
  CHECK(faults == 0);
  CHECK(inexact > 200000);
}

TEST_CASE("Operations in bf16 and fp16, and their errors, are those of a search over all values") {
  for (const FloatFormat format : {FloatFormat::bf16, FloatFormat::f16}) {
    INFO(precision_name(format));
    const std::vector<double> values = finite_values(format);
    std::mt19937_64 random(11);
    std::size_t faults = 0;
    for (int i = 0; i < 20000; ++i) {
      const int exponents = i % 2 == 0 ? 2 : 7;
      const double a = random_value(random, format, exponents);
      const double b = random_value(random, format, exponents);
      // Close to a tie of the sum, so that rounding twice would show.
      double c = random_value(random, format, exponents);
      if (i % 4 == 0) c = round_to(format, a * b * 0x1p-20);
      const Wide product = Wide(a) * Wide(b);
      const auto check = [&](const RoundedFloat& got, const Wide& exact) {
        if (abs(exact) > values.back()) return;
        faults += got.value != nearest_by_search(values, exact);
        faults += abs(abs(Wide(got.value) - exact) - Wide(got.error)) > Wide(got.error) * 0x1p-50;
      };
      check(multiply(format, a, b), product);
      check(add(format, a, b), Wide(a) + Wide(b));
      check(fused_multiply_add(format, a, b, c), product + Wide(c));
    }
    CHECK(faults == 0);
  }
}

TEST_CASE("In fp64 the error of an operation is exact up to its last bits") {
  std::mt19937_64 random(13);
  std::size_t faults = 0;
  for (int i = 0; i < 20000; ++i) {
    const double a = random_value(random, FloatFormat::f64, 3);
    const double b = random_value(random, FloatFormat::f64, 3);
    const double c = random_value(random, FloatFormat::f64, 9);
    const auto check = [&](const RoundedFloat& got, const Wide& exact) {
      faults += got.value != static_cast<double>(exact);
      faults += abs(abs(Wide(got.value) - exact) - Wide(got.error)) > Wide(got.error) * 0x1p-49;
    };
    check(add(FloatFormat::f64, a, b), Wide(a) + Wide(b));
    check(multiply(FloatFormat::f64, a, b), Wide(a) * Wide(b));
    check(fused_multiply_add(FloatFormat::f64, a, b, c), Wide(a) * Wide(b) + Wide(c));
  }
  CHECK(faults == 0);
}

TEST_CASE("Integers lose their unit above 256 in bf16, 2048 in fp16 and 2^24 in fp32") {
  for (const auto& [format, last] :
       {std::pair{FloatFormat::bf16, 256u}, std::pair{FloatFormat::f16, 2048u},
        std::pair{FloatFormat::f32, 16777216u}}) {
    INFO(precision_name(format));
    CHECK(from_integer(format, last).error == 0);
    CHECK(from_integer(format, last - 1).error == 0);
    CHECK(from_integer(format, last + 1).value == last);
    CHECK(from_integer(format, last + 1).error == 1);
    CHECK(from_integer(format, last + 2).error == 0);
  }
  CHECK(from_integer(FloatFormat::f16, 32768).value == 32768);  // no wrap as in int16
  CHECK(std::isinf(from_integer(FloatFormat::f16, 65520).value));
  // 2^62 + 2^38 + 1 rounds up in fp32; through a double, which drops the 1, it would tie to even.
  const std::uint64_t n = (std::uint64_t{1} << 62) + (std::uint64_t{1} << 38) + 1;
  CHECK(from_integer(FloatFormat::f32, n).value == std::ldexp(1.0, 62) + std::ldexp(1.0, 39));
}

TEST_CASE("A sum of products in two doubles is exact where one double would have been") {
  std::mt19937_64 random(17);
  std::size_t exact = 0, faults = 0;
  for (int i = 0; i < 500; ++i) {
    ExactSum sum;
    Wide wide = 0, size = 0;
    double plain = 0;
    for (int j = 0; j < 64; ++j) {
      const FloatFormat format = i % 2 == 0 ? FloatFormat::bf16 : FloatFormat::f32;
      const double a = random_value(random, format, 6), b = random_value(random, format, 6);
      sum.add_product(a, b);
      plain += a * b;
      wide += Wide(a) * Wide(b);
      size += abs(Wide(a) * Wide(b));
    }
    const Wide got = Wide(sum.value().hi) + Wide(sum.value().lo);
    faults += abs(got - wide) > size * 64 * ldexp(Wide(1), -104);
    if (!sum.exact_in_double()) continue;
    ++exact;
    faults += got != wide || Wide(plain) != wide;
  }
  CHECK(faults == 0);
  CHECK(exact > 200);  // bf16
  CHECK(exact < 400);  // not fp32
}

TEST_CASE("A preset sets every part but the accumulator, and its names are read back") {
  CHECK(to_text(preset(FloatFormat::bf16)) == "io=bf16 accum=fp32 phase=bf16 table=bf16 trig=bf16");
  CHECK(preset(FloatFormat::f64).accum == FloatFormat::f64);
  CHECK(parse_precisions("fp64,fp16", "--dtype") ==
        std::vector{FloatFormat::f64, FloatFormat::f16});
  for (const char* bad : {"", "fp8", "bf16,", "bf16,bf16", "FP32"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_precisions(bad, "--dtype"), InputError);
  }
}
