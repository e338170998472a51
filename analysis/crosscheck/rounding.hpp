// Arithmetic in fp32, bf16 and fp16 on values held in doubles, correctly rounded (to nearest, ties
// to even), with the local rounding error of each operation.
//
// Every value of these formats is a double, a product of two of them is exact in double (2 * 24
// bits), and a sum of two doubles is exact as a pair (TwoSum: Knuth, TAOCP 2, 4.2.2, theorem B).
// A pair is rounded through round-to-odd (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", IEEE Trans. Comput. 57, 2008), so that nothing is rounded twice.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/io/float_formats.hpp"

namespace tapalab {

/// p significant bits, least exponent of normal numbers, and the largest finite number.
struct FormatLimits {
  int digits;
  int min_exponent;
  double largest;
};

constexpr FormatLimits limits_of(FloatFormat format) {
  switch (format) {
    case FloatFormat::bf16:
      return {8, -126, 0x1.fep127};
    case FloatFormat::f16:
      return {11, -14, 65504.0};
    case FloatFormat::f32:
      return {24, -126, 0x1.fffffep127};
    case FloatFormat::f64:
      break;
  }
  return {53, -1022, std::numeric_limits<double>::max()};
}

/// 2^e for -1022 <= e <= 1023.
constexpr double power_of_two(int e) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + e) << 52);
}

/// Half of the distance from 1 to the next larger number: relative errors of normal results are at
/// most this.
constexpr double unit_roundoff(FloatFormat format) {
  return power_of_two(-limits_of(format).digits);
}

/// Half of the smallest positive number; absolute errors of subnormal results are at most this.
/// (Of fp64 twice that, which a double holds.)
constexpr double underflow_error(FloatFormat format) {
  if (format == FloatFormat::f64) return std::numeric_limits<double>::denorm_min();
  const FormatLimits limits = limits_of(format);
  return power_of_two(limits.min_exponent - limits.digits);
}

/// The value of `format` nearest to x, ties to even; subnormal numbers kept, infinity from
/// largest + half a unit on, NaN kept.
inline double round_to(FloatFormat format, double x) {
  if (format == FloatFormat::f64) return x;
  const FormatLimits limits = limits_of(format);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t sign = bits & 0x8000000000000000u;
  const std::uint64_t magnitude = bits ^ sign;
  constexpr std::uint64_t infinity = 0x7FF0000000000000u;
  if (magnitude >= infinity) return x;
  const double least_normal = power_of_two(limits.min_exponent);
  double rounded;
  if (magnitude < std::bit_cast<std::uint64_t>(least_normal)) {
    // Below 2 shift the spacing of doubles is that of the format's subnormal numbers.
    const double shift = power_of_two(limits.min_exponent - limits.digits + 1 + 52);
    rounded = (std::bit_cast<double>(magnitude) + shift) - shift;
  } else {
    const int drop = 53 - limits.digits;
    const std::uint64_t half = (std::uint64_t{1} << (drop - 1)) - 1;
    std::uint64_t kept = magnitude + half + (magnitude >> drop & 1);
    kept &= ~((std::uint64_t{1} << drop) - 1);
    rounded = std::bit_cast<double>(kept);
    if (rounded > limits.largest) rounded = std::numeric_limits<double>::infinity();
  }
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(rounded) | sign);
}

/// hi + lo without rounding, |lo| <= ulp(hi)/2.
struct ExactPair {
  double hi;
  double lo;
};

inline ExactPair two_sum(double a, double b) {
  const double s = a + b;
  const double b_part = s - a;
  return {s, (a - (s - b_part)) + (b - b_part)};
}

inline ExactPair two_product(double a, double b) {
  const double p = a * b;
  // 24 bits each: the product is exact, and most callers' operands are of that kind.
  constexpr std::uint64_t low = (std::uint64_t{1} << 29) - 1;
  if (((std::bit_cast<std::uint64_t>(a) | std::bit_cast<std::uint64_t>(b)) & low) == 0) {
    return {p, 0};
  }
  return {p, std::fma(a, b, -p)};
}

/// A result and the size of the error that its own rounding made, operands taken as they are;
/// infinite where the result is not finite.
struct RoundedFloat {
  double value;
  double error;
};

/// hi + lo, |lo| <= ulp(hi)/2, rounded to `format`.
inline RoundedFloat round_pair(FloatFormat format, ExactPair exact) {
  double odd = exact.hi;
  if (format != FloatFormat::f64 && exact.lo != 0) {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(odd);
    if ((bits & 1) == 0) bits += std::signbit(exact.lo) == std::signbit(odd) ? 1u : ~0ull;
    odd = std::bit_cast<double>(bits);
  }
  const double value = round_to(format, odd);
  if (!std::isfinite(value)) return {value, std::numeric_limits<double>::infinity()};
  return {value, std::abs((value - exact.hi) - exact.lo)};
}

inline RoundedFloat convert(FloatFormat format, double x) { return round_pair(format, {x, 0}); }
inline RoundedFloat add(FloatFormat format, double a, double b) {
  return round_pair(format, two_sum(a, b));
}
inline RoundedFloat multiply(FloatFormat format, double a, double b) {
  return round_pair(format, two_product(a, b));
}

/// a b + c with one rounding. Correct for operands of up to 24 bits, and for `format` fp64; the
/// error is exact up to 2^-50 of it.
inline RoundedFloat fused_multiply_add(FloatFormat format, double a, double b, double c) {
  const ExactPair product = two_product(a, b);
  const ExactPair sum = two_sum(product.hi, c);
  if (product.lo == 0) return round_pair(format, sum);
  if (format == FloatFormat::f64) {
    const double value = std::fma(a, b, c);
    if (!std::isfinite(value)) return {value, std::numeric_limits<double>::infinity()};
    return {value, std::abs((sum.hi - value) + (sum.lo + product.lo))};
  }
  return round_pair(format, two_sum(sum.hi, sum.lo + product.lo));
}

/// An integer in `format`, rounded once (its conversion to double may round already).
inline RoundedFloat from_integer(FloatFormat format, std::uint64_t n) {
  const double hi = static_cast<double>(n);
  if (hi >= 18446744073709551616.0) return convert(format, hi);
  const auto rest = static_cast<std::int64_t>(n - static_cast<std::uint64_t>(hi));
  return round_pair(format, {hi, static_cast<double>(rest)});
}

}  // namespace tapalab
