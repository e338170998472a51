// Standard normals from random words: Box-Muller over the functions of sim/elementary.hpp, so that
// a normal is the same bits everywhere.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/elementary.hpp"
#include "sim/random/philox.hpp"

namespace tapalab {

struct NormalPair {
  double first;
  double second;
};

namespace detail {

// A 32-bit word as a double: exact, and plain integer work for the vector units.
TAPALAB_HD TAPALAB_INLINE double word_value(std::uint64_t word) {
  return from_bits(0x4330000000000000u | word) - 4503599627370496.0;
}

}  // namespace detail

/// Two independent standard normals from one Philox block.
///   radius^2 = -2 ln u, u = (word0 2^32 + word1 + 1/2) 2^-64 rounded to double: in [2^-65, 1]
///   angle    = (word2 2^32 + word3) 2^-64 turns, rounded to double
/// Range |z| <= 9.4926; the normal's mass beyond is 2.3e-21. Against exact arithmetic on the same
/// u and angle the absolute error is at most 2e-15.
TAPALAB_HD TAPALAB_INLINE NormalPair normal_pair(PhiloxBlock block) {
  const double u = (detail::word_value(block.word[0]) * 4294967296.0 +
                    (detail::word_value(block.word[1]) + 0.5)) *
                   5.421010862427522e-20;  // 2^-64
  const double turns =
      (detail::word_value(block.word[2]) * 4294967296.0 + detail::word_value(block.word[3])) *
      5.421010862427522e-20;
  const double radius = std::sqrt(-2.0 * natural_log(u));
  const SinCos<double> angle = sincos_2pi(turns);
  return {radius * angle.cos, radius * angle.sin};
}

}  // namespace tapalab
