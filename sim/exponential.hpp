// e^y - 1 by an own polynomial, beside the functions of sim/elementary.hpp and for the same reason:
// the same bits everywhere. The bound is asserted by tests/sim/marginal_sampler_test.cpp.
#pragma once

#include "sim/elementary.hpp"

namespace tapalab {

/// e^y - 1 for 0 <= y <= 700: relative error at most 6e-16; 0 at 0.
TAPALAB_HD TAPALAB_INLINE double exp_minus_one(double y) {
  using detail::fused;
  const double shifted = fused(y, 1.4426950408889634, detail::kRoundDouble);  // y/ln 2
  const double k = shifted - detail::kRoundDouble;
  // The ln 2 of natural_log: k times its first part is exact.
  const double r = fused(k, -5.4979230187083712e-14, fused(k, -0.69314718055989033, y));
  // (e^r - 1 - r)/r^2 = sum of r^n/(n + 2)!, |r| <= 0.3466: the rest is below 2^-56 of e^r - 1
  double p = 1.1470745597729725e-11;
  p = fused(p, r, 1.6059043836821613e-10);
  p = fused(p, r, 2.08767569878681e-09);
  p = fused(p, r, 2.505210838544172e-08);
  p = fused(p, r, 2.755731922398589e-07);
  p = fused(p, r, 2.7557319223985893e-06);
  p = fused(p, r, 2.48015873015873e-05);
  p = fused(p, r, 0.0001984126984126984);
  p = fused(p, r, 0.001388888888888889);
  p = fused(p, r, 0.008333333333333333);
  p = fused(p, r, 0.041666666666666664);
  p = fused(p, r, 0.16666666666666666);
  p = fused(p, r, 0.5);
  const double part = fused(r * r, p, r);
  const double power =
      detail::from_bits((detail::bits_of(shifted) + 1023) << 52);  // 2^k: k stands in the low bits
  return fused(power, part, power - 1.0);
}

}  // namespace tapalab
