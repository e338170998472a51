#include "proofs-check/rope_sums.hpp"

#include <algorithm>
#include <cmath>

namespace tapalab {
namespace {

/// Bits that the integer part of a decimal of this length may take.
slong integer_bits(const std::string& decimal) {
  return static_cast<slong>(3.33 * static_cast<double>(decimal.size())) + 1;
}

/// f on x by f(m) + [-r, r] sup |f'|, where `slope` bounds |f'| on x.
Ball mean_value(Ball (*f)(const Ball&), const Ball& x, const Ball& slope) {
  Ball middle(0, x.bits());
  arb_set_arf(middle.get(), arb_midref(x.get()));
  Ball radius(0, x.bits());
  arb_get_rad_arb(radius.get(), x.get());
  Ball value = f(middle);
  const Ball reach = radius * slope;
  arb_add_error(value.get(), reach.get());
  return value;
}

/// 1/(the smallest number in x), or no bound where x is not positive.
Ball reciprocal_of_least(const Ball& x) {
  Ball least(0, x.bits());
  arb_get_lbound_arf(arb_midref(least.get()), x.get(), x.bits());
  return Ball(1, x.bits()) / least;
}

/// A cosine or sine whose enclosure says less than [-1, 1] is [-1, 1].
Ball& add_clamped(Ball& sum, const Ball& value) {
  if (mag_cmp_2exp_si(arb_radref(value.get()), 0) < 0) return sum += value;
  Ball any(0, value.bits());
  arb_zero_pm_one(any.get());
  return sum += any;
}

}  // namespace

Ball angular_unit(AngleUnit angle, slong bits) {
  return angle == AngleUnit::turns ? Ball::pi(bits) * 2 : Ball(1, bits);
}

Ball between(double low, double high, slong bits) {
  return hull(Ball::exactly(low, bits), Ball::exactly(high, bits));
}

RopeSums rope_sums(AngleUnit angle, std::uint32_t head_dim, const Ball& log_base,
                   const Ball& log_distance) {
  const slong bits = std::max(log_base.bits(), log_distance.bits());
  const slong D = static_cast<slong>(head_dim);
  Ball log_turns = log_distance;
  if (angle == AngleUnit::radians) log_turns -= log(Ball::pi(bits) * 2);
  RopeSums sums{Ball(0, bits), Ball(0, bits)};
  for (slong d = 0; d < D / 2; ++d) {
    // one exponential of the whole exponent: base and distance stay tied together
    const Ball turns = exp(log_turns - log_base * (2 * d) / D);
    add_clamped(sums.cosine, cos_turns(turns));
    add_clamped(sums.sine, sin_turns(turns));
  }
  return {sums.cosine / D, sums.sine / D};
}

Ball cosine_integral_range(const Ball& x) {
  return mean_value(cosine_integral, x, reciprocal_of_least(x));
}

Ball sine_integral_range(const Ball& x) {
  const Ball slope = reciprocal_of_least(x);
  const Ball one(1, x.bits());
  return mean_value(sine_integral, x, certainly_less(slope, one) ? slope : one);
}

RopeSums rope_limit_numerators(AngleUnit angle, const Ball& log_base, const Ball& log_distance) {
  const Ball w = angular_unit(angle, log_distance.bits());
  const Ball high = w * exp(log_distance);
  const Ball low = w * exp(log_distance - log_base);
  return {cosine_integral_range(high) - cosine_integral_range(low),
          sine_integral_range(high) - sine_integral_range(low)};
}

RopeSums rope_sums_at(const RopeSetting& setting, const std::string& distance, slong bits) {
  const slong working = bits + integer_bits(distance) + 16;
  const Ball base = Ball::decimal(setting.base, working);
  const slong D = static_cast<slong>(setting.head_dim);
  Ball turns = Ball::decimal(distance, working);
  if (setting.angle == AngleUnit::radians) turns /= Ball::pi(working) * 2;
  RopeSums sums{Ball(0, working), Ball(0, working)};
  for (slong d = 0; d < D / 2; ++d) {
    const Ball angle = turns * pow(base, Ball(-2 * d, working) / D);
    sums.cosine += cos_turns(angle);
    sums.sine += sin_turns(angle);
  }
  return {sums.cosine / D, sums.sine / D};
}

WideSums rope_sums_wide(AngleUnit angle, std::uint32_t head_dim, const Wide& base,
                        const Wide& distance) {
  const Wide turns = angle == AngleUnit::turns ? distance : distance / wide_two_pi();
  const Wide log_base = log(base);
  WideSums sums{0, 0};
  for (std::uint32_t d = 0; d < head_dim / 2; ++d) {
    const Wide x = turns * exp(-log_base * Wide(2 * d) / Wide(head_dim));
    sums.cosine += cos_turns(x);
    sums.sine += sin_turns(x);
  }
  return {sums.cosine / head_dim, sums.sine / head_dim};
}

}  // namespace tapalab
