// Decimals as integers times powers of ten, and their correctly rounded binary values.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <string_view>

#include "sim/numbers/guarded.hpp"

namespace tapalab {

/// (-1)^negative digits 10^exponent.
struct DecimalParts {
  bool negative = false;
  boost::multiprecision::cpp_int digits = 0;
  int exponent = 0;

  /// -1, 0 or 1 as this number is below, equal to or above `other`; exact.
  int compare(int other) const;
  /// True, with `whole` set, where the number is an integer.
  bool whole(boost::multiprecision::cpp_int& whole) const;
};

/// The grammar and limits of ExactDecimal::parse. Throws InputError.
DecimalParts parse_decimal_parts(std::string_view text, std::string_view name);

/// A positive integer `significand` times 2^exponent, rounded to nearest, ties to even. `sticky`:
/// the true value is larger by less than one unit of the significand's last bit, which then must
/// lie below the rounding bit.
template <class Float>
Float round_binary(boost::multiprecision::cpp_int significand, int exponent, bool sticky) {
  constexpr unsigned bits = std::numeric_limits<Float>::digits;
  const unsigned length = msb(significand) + 1;
  if (length > bits) {
    const unsigned shift = length - bits;
    const bool half = bit_test(significand, shift - 1);
    const bool beyond = sticky || lsb(significand) < shift - 1;
    significand >>= shift;
    exponent += static_cast<int>(shift);
    if (half && (beyond || bit_test(significand, 0))) ++significand;
  }
  return ldexp(Float(significand), exponent);
}

/// The Float nearest to the decimal; relative error at most half a unit of its last bit.
template <class Float>
Float nearest(const DecimalParts& parts) {
  using boost::multiprecision::cpp_int;
  if (parts.digits == 0) return Float(0);
  Float magnitude;
  if (parts.exponent >= 0) {
    // 10^e = 5^e 2^e: only the power of five costs digits.
    const cpp_int five = pow(cpp_int(5), static_cast<unsigned>(parts.exponent));
    magnitude = round_binary<Float>(parts.digits * five, parts.exponent, false);
  } else {
    const cpp_int five = pow(cpp_int(5), static_cast<unsigned>(-parts.exponent));
    const int wanted = std::numeric_limits<Float>::digits + 3 + static_cast<int>(msb(five)) -
                       static_cast<int>(msb(parts.digits));
    const unsigned shift = wanted > 0 ? static_cast<unsigned>(wanted) : 0;
    cpp_int quotient, remainder;
    divide_qr(cpp_int(parts.digits << shift), five, quotient, remainder);
    magnitude =
        round_binary<Float>(quotient, parts.exponent - static_cast<int>(shift), remainder != 0);
  }
  return parts.negative ? Float(-magnitude) : magnitude;
}

}  // namespace tapalab
