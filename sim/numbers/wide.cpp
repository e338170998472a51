#include "sim/numbers/wide.hpp"

#include <stdexcept>

#include "sim/numbers/guarded.hpp"

namespace tapalab {
namespace {

// pi to 580 bits: reduces angles up to 2^256 with all digits of Wide left.
using AngleFloat = BinaryFloat<512>;

const AngleFloat& angle_two_pi() {
  static const AngleFloat two_pi =
      2 *
      AngleFloat(
          "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862"
          "80348253421170679821480865132823066470938446095505822317253594081284811174502841027019"
          "3852110555964462294895493038196");
  return two_pi;
}

// x - 2 pi round(x / 2 pi).
Wide reduce_angle(const Wide& x) {
  if (abs(x) < 3) return x;
  const AngleFloat wide_x = widen<AngleFloat>(x);
  const AngleFloat turns = floor(wide_x / angle_two_pi() + AngleFloat(0.5));
  return Wide(wide_x - turns * angle_two_pi());
}

}  // namespace

WideComplex sqrt(const WideComplex& z) {
  if (z.re == 0 && z.im == 0) return {};
  // The half that is a sum of magnitudes has no cancellation; the other follows from im = 2 re im.
  const Wide large = sqrt(Wide((abs(z) + abs(z.re)) / 2));
  const Wide small = abs(z.im) / (2 * large);
  const bool below = z.im < 0;
  if (z.re >= 0) return {large, below ? Wide(-small) : small};
  return {small, below ? Wide(-large) : large};
}

WideComplex exp(const WideComplex& z) {
  // 2^60 ln 2 less a margin for the cosine and sine.
  static const Wide largest = Wide((1LL << 60) - 512) * log(Wide(2));
  if (!(abs(z.re) < largest)) {
    throw std::range_error("exp: the result leaves the exponent range of Wide");
  }
  if (!(abs(z.im) < ldexp(Wide(1), 256))) {
    throw std::range_error("exp: the angle is 2^256 or more");
  }
  const Wide angle = reduce_angle(z.im);
  // e^re amplifies the rounding of its reduction by |re|: guard bits absorb up to 2^128.
  const Wide modulus = abs(z.re) < 1 ? Wide(exp(z.re)) : Wide(exp(widen<GuardedWide>(z.re)));
  return {modulus * cos(angle), modulus * sin(angle)};
}

WideComplex pow(WideComplex z, unsigned long long n) {
  WideComplex power{Wide(1), Wide(0)};
  for (; n != 0; n >>= 1) {
    if (n & 1) power = power * z;
    if (n > 1) z = z * z;
  }
  return power;
}

}  // namespace tapalab
