// log, sin and cos in one place, by own polynomials: the same bits on every host, vector width and
// device, which no libm promises. Straight-line code without tables, so that compilers vectorise
// it. Every bound below is asserted, as stated, by tests/sim/elementary_test.cpp.
//
// Polynomials: minimax (Remez, 50 digits) of the functions named beside them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "sim/host_device.hpp"

namespace tapalab {

template <class Real>
struct SinCos {
  Real sin;
  Real cos;
};

namespace detail {

// The fused multiply-add, written out: contraction is off everywhere else.
TAPALAB_HD TAPALAB_INLINE double fused(double a, double b, double c) {
#ifdef __CUDA_ARCH__
  return __fma_rn(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
TAPALAB_HD TAPALAB_INLINE float fused(float a, float b, float c) {
#ifdef __CUDA_ARCH__
  return __fmaf_rn(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}

TAPALAB_HD TAPALAB_INLINE std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
TAPALAB_HD TAPALAB_INLINE std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
TAPALAB_HD TAPALAB_INLINE double from_bits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
TAPALAB_HD TAPALAB_INLINE float from_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// (if_set where mask is all ones, else if_clear) with the sign flipped where sign_bit is set.
template <class Word>
TAPALAB_HD TAPALAB_INLINE Word select_with_sign(Word mask, Word if_set, Word if_clear,
                                                Word sign_bit) {
  return ((if_set & mask) | (if_clear & ~mask)) ^ sign_bit;
}

// Adding this to |x| <= 2^51 (2^22) leaves round(x) in the low bits of the significand.
inline constexpr double kRoundDouble = 6755399441055744.0;  // 1.5 * 2^52
inline constexpr float kRoundFloat = 12582912.0f;           // 1.5 * 2^23

}  // namespace detail

/// x rounded to the nearest integer, halves to even; any finite x.
TAPALAB_HD TAPALAB_INLINE double round_even(double x) {
  const double magic = detail::from_bits((detail::bits_of(x) & 0x8000000000000000u) |
                                         0x4330000000000000u);  // 2^52 with the sign of x
  const double rounded = (x + magic) - magic;
  return (x < 4503599627370496.0 && x > -4503599627370496.0) ? rounded : x;
}
TAPALAB_HD TAPALAB_INLINE float round_even(float x) {
  const float magic = detail::from_bits((detail::bits_of(x) & 0x80000000u) | 0x4B000000u);  // 2^23
  const float rounded = (x + magic) - magic;
  return (x < 8388608.0f && x > -8388608.0f) ? rounded : x;
}

/// sin and cos of 2 pi `turns`, |turns| <= 2^49: absolute error at most 1.3e-16 each, and relative
/// error of the sine at most 1.5e-16 for |turns| <= 1/8. Exact at multiples of 1/4.
TAPALAB_HD TAPALAB_INLINE SinCos<double> sincos_2pi(double turns) {
  using detail::bits_of;
  using detail::fused;
  const double shifted = fused(4.0, turns, detail::kRoundDouble);
  const std::uint64_t quadrant = bits_of(shifted);
  const double r = fused(-0.25, shifted - detail::kRoundDouble, turns);  // exact, |r| <= 1/8
  const double u = r * r;
  // (sin 2 pi r - 2 pi r)/(r u), error in the sine below 2^-58 of it
  double s = 3.7813664022383662743;
  s = fused(s, u, -15.093829324096963286);
  s = fused(s, u, 42.058685506809633305);
  s = fused(s, u, -76.705859708785375451);
  s = fused(s, u, 81.605249275968230796);
  s = fused(s, u, -41.341702240399674415);
  // 2 pi = 0x1.921fb54442d18p+2 + 0x1.1a62633145c07p-52
  s = fused(r, 6.283185307179586, r * fused(s, u, 2.4492935982947064e-16));
  // (cos 2 pi r - 1)/u, error in the cosine below 2^-64
  double c = -1.6970200400788008224;
  c = fused(c, u, 7.903101636084670896);
  c = fused(c, u, -26.42625114039374604);
  c = fused(c, u, 60.244641331611337547);
  c = fused(c, u, -85.456817206540050153);
  c = fused(c, u, 64.939394022668013398);
  c = fused(c, u, -19.739208802178717067);
  c = fused(c, u, 1.0);
  const std::uint64_t swap = 0 - (quadrant & 1);
  return {detail::from_bits(
              detail::select_with_sign(swap, bits_of(c), bits_of(s), (quadrant & 2) << 62)),
          detail::from_bits(
              detail::select_with_sign(swap, bits_of(s), bits_of(c), ((quadrant + 1) & 2) << 62))};
}

/// The same in float, |turns| <= 2^20: absolute error at most 6.5e-8 each, and relative error of
/// the sine at most 8e-8 for |turns| <= 1/8. Exact at multiples of 1/4.
TAPALAB_HD TAPALAB_INLINE SinCos<float> sincos_2pi(float turns) {
  using detail::bits_of;
  using detail::fused;
  const float shifted = fused(4.0f, turns, detail::kRoundFloat);
  const std::uint32_t quadrant = bits_of(shifted);
  const float r = fused(-0.25f, shifted - detail::kRoundFloat, turns);
  const float u = r * r;
  float s = -75.453388659388029463f;  // (sin 2 pi r - 2 pi r)/(r u), below 2^-31 of the sine
  s = fused(s, u, 81.593936839100162792f);
  s = fused(s, u, -41.341673161511297376f);
  s = fused(r, 6.2831855f, r * fused(s, u, -1.7484555e-7f));
  float c = 59.245968286258636507f;  // (cos 2 pi r - 1)/u, below 2^-34
  c = fused(c, u, -85.443741896469146224f);
  c = fused(c, u, 64.939326473617168859f);
  c = fused(c, u, -19.739208693661765919f);
  c = fused(c, u, 1.0f);
  const std::uint32_t swap = 0 - (quadrant & 1);
  return {detail::from_bits(
              detail::select_with_sign(swap, bits_of(c), bits_of(s), (quadrant & 2) << 30)),
          detail::from_bits(
              detail::select_with_sign(swap, bits_of(s), bits_of(c), ((quadrant + 1) & 2) << 30))};
}

template <class Real>
TAPALAB_HD TAPALAB_INLINE Real cos_2pi(Real turns) {
  return sincos_2pi(turns).cos;
}
template <class Real>
TAPALAB_HD TAPALAB_INLINE Real sin_2pi(Real turns) {
  return sincos_2pi(turns).sin;
}

/// Natural logarithm of a positive, normal, finite x: relative error at most 2.2e-16; log(1) = 0.
TAPALAB_HD TAPALAB_INLINE double natural_log(double x) {
  using detail::fused;
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)), so that e = 0 around 1 and nothing cancels there.
  const std::uint64_t bits = detail::bits_of(x);
  const std::uint64_t shifted = bits - 0x3FE6A09E667F3BCDu + 0x3FF0000000000000u;
  const double e =
      detail::from_bits(0x4330000000000000u | (shifted >> 52)) - (4503599627370496.0 + 1023.0);
  const double m = detail::from_bits(bits - (shifted & 0xFFF0000000000000u) + 0x3FF0000000000000u);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  // (log((1+s)/(1-s)) - 2 s)/(s z), error in the logarithm below 2^-59 of it
  double p = 0.14795947687667735516;
  p = fused(p, z, 0.15314050714905956718);
  p = fused(p, z, 0.18183564321919534949);
  p = fused(p, z, 0.22222198573205811572);
  p = fused(p, z, 0.28571428742388262612);
  p = fused(p, z, 0.39999999999414669413);
  p = fused(p, z, 0.66666666666667344154);
  // log m = f - s (f - z p), as (2 + f) s = f.
  const double log_m = fused(-s, fused(-z, p, f), f);
  // ln 2 = 0x1.62e42fefa38p-1 + 0x1.ef35793c7673p-45: e times the first is exact.
  return fused(e, 0.69314718055989033, fused(e, 5.4979230187083712e-14, log_m));
}

/// The same in float: relative error at most 1.1e-7.
TAPALAB_HD TAPALAB_INLINE float natural_log(float x) {
  using detail::fused;
  const std::uint32_t bits = detail::bits_of(x);
  const std::uint32_t shifted = bits - 0x3F3504F3u + 0x3F800000u;
  const float e = detail::from_bits(0x4B000000u | (shifted >> 23)) - (8388608.0f + 127.0f);
  const float m = detail::from_bits(bits - (shifted & 0xFF800000u) + 0x3F800000u);
  const float f = m - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  float p = 0.29871742113169189772f;  // below 2^-30 of the logarithm
  p = fused(p, z, 0.39977540926018100358f);
  p = fused(p, z, 0.66666776388836061475f);
  const float log_m = fused(-s, fused(-z, p, f), f);
  // ln 2 = 0x1.62e4p-1 + 1.4286068203e-6
  return fused(e, 0.693145751953125f, fused(e, 1.4286068e-6f, log_m));
}

}  // namespace tapalab
