// Wide with guard bits, for formulas that amplify rounding (distance^alpha, base^(-2d/D), e^x at
// large |x|).
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "sim/numbers/wide.hpp"

namespace tapalab {

/// A real number of `Bits` binary digits with the exponent range of Wide.
template <unsigned Bits>
using BinaryFloat = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<Bits, boost::multiprecision::digit_base_2, void, long long,
                                         -(1LL << 60), (1LL << 60)>,
    boost::multiprecision::et_off>;

using GuardedWide = BinaryFloat<kWideBits + 128>;

class ExactDecimal;
/// The nearest GuardedWide.
GuardedWide guarded(const ExactDecimal& x);

/// x without loss, as a sum of doubles: GCC 12 takes the copy between widths in Boost 1.74 for an
/// access out of bounds. Binary exponent of x within +-2^30.
template <class Float>
Float widen(const Wide& x) {
  int exponent = 0;
  Wide rest = frexp(x, &exponent);
  Float sum = 0;
  while (rest != 0) {
    const double part = static_cast<double>(rest);
    sum += part;
    rest -= part;
  }
  return ldexp(sum, exponent);
}

}  // namespace tapalab
