// The one score function. Every engine that evaluates scores of samples, on host or device, calls
// what stands here; a precision policy says in which arithmetic.
#pragma once

#include "sim/elementary.hpp"

namespace tapalab {

/// hi + lo without rounding: twice the precision of Real.
template <class Real>
struct TwoTerm {
  Real hi;
  Real lo;
};

/// All in double.
struct DoublePrecision {
  using Real = double;
};
/// All in float.
struct SinglePrecision {
  using Real = float;
};

/// The fraction of a turn that scale * phi leaves, in [-1/2, 1/2] (up to the rounding below).
/// |scale.lo| <= ulp(scale.hi)/2. The product is carried in two terms and each is reduced before
/// they meet, so that for exact phi the error is at most 2^-53 + 2^-103 |scale phi| turns in
/// double, and 2^-24 + 2^-45 |scale phi| in float: large phases cost nothing but their product's
/// last bits.
template <class Policy>
TAPALAB_HD TAPALAB_INLINE typename Policy::Real phase_turns(typename Policy::Real phi,
                                                            TwoTerm<typename Policy::Real> scale) {
  using Real = typename Policy::Real;
  const Real product = scale.hi * phi;
  const Real tail = detail::fused(scale.lo, phi, detail::fused(scale.hi, phi, -product));
  const Real turns = (product - round_even(product)) + (tail - round_even(tail));
  return turns - round_even(turns);
}

/// The same for a phi of two terms, |phi.lo| <= ulp(phi.hi)/2: now the error for the phi that they
/// stand for is at most 2^-53 + 2^-102 |scale phi| turns in double.
template <class Policy>
TAPALAB_HD TAPALAB_INLINE typename Policy::Real phase_turns(TwoTerm<typename Policy::Real> phi,
                                                            TwoTerm<typename Policy::Real> scale) {
  using Real = typename Policy::Real;
  const Real product = scale.hi * phi.hi;
  const Real rest = detail::fused(scale.hi, phi.hi, -product);
  const Real tail = detail::fused(scale.lo, phi.hi, detail::fused(scale.hi, phi.lo, rest));
  const Real turns = (product - round_even(product)) + (tail - round_even(tail));
  return turns - round_even(turns);
}

/// amplitude * cos(2 pi scale phi) (eq. 9): phi in turns per unit of scale, of one term or of two.
template <class Policy, class Phi>
TAPALAB_HD TAPALAB_INLINE typename Policy::Real score(typename Policy::Real amplitude, Phi phi,
                                                      TwoTerm<typename Policy::Real> scale) {
  return amplitude * cos_2pi(phase_turns<Policy>(phi, scale));
}

/// amplitude * e^(2 pi i scale phi): its real part is the score, its mean Phi_1.
template <class Policy, class Phi>
TAPALAB_HD TAPALAB_INLINE SinCos<typename Policy::Real> complex_score(
    typename Policy::Real amplitude, Phi phi, TwoTerm<typename Policy::Real> scale) {
  const SinCos<typename Policy::Real> wave = sincos_2pi(phase_turns<Policy>(phi, scale));
  return {amplitude * wave.sin, amplitude * wave.cos};
}

/// sum + A cos + B sin: one rotated pair of RoPE (eq. 2). cos and sin belong to the distance.
template <class Policy>
TAPALAB_HD TAPALAB_INLINE typename Policy::Real add_rotary(typename Policy::Real sum,
                                                           typename Policy::Real A,
                                                           typename Policy::Real B,
                                                           SinCos<typename Policy::Real> angle) {
  return detail::fused(B, angle.sin, detail::fused(A, angle.cos, sum));
}

}  // namespace tapalab
