// Standard normals in float from 32 random bits each: Box-Muller by own polynomials, of correctly
// rounded operations alone. This is the definition; sim/normal_lanes.cpp computes the same bits for
// many samples at once.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/elementary.hpp"

namespace tapalab {

struct SingleNormalPair {
  float first;
  float second;
};

namespace detail {

// Functions of k, since device code reads no constant arrays of the host.

// ln(1 + f) = f + f^2 (log1p_term(0) + log1p_term(1) f + ...) for f in [sqrt(1/2) - 1, sqrt(2) -
// 1], error below 2^-27 of it (minimax, 45 digits).
inline constexpr int kLog1pTerms = 9;
TAPALAB_HD constexpr float log1p_term(int k) {
  constexpr float terms[kLog1pTerms] = {
      -0.4999998834688419f, 0.33333325693228777f,  -0.25001582914558773f,
      0.20001973808667434f, -0.16609083582898762f, 0.14181828279366931f,
      -0.1324298312914344f, 0.12904411607823074f,  -0.07621761912307093f};
  return terms[k];
}
// sin(2 pi r) = r (2 pi + u S(u)) and cos(2 pi r) = 1 + u C(u), u = r^2, |r| <= 1/8: the
// polynomials of sincos_2pi.
TAPALAB_HD constexpr float sine_term(int k) {
  constexpr float terms[3] = {-41.341673161511297376f, 81.593936839100162792f,
                              -75.453388659388029463f};
  return terms[k];
}
TAPALAB_HD constexpr float cosine_term(int k) {
  constexpr float terms[4] = {-19.739208693661765919f, 64.939326473617168859f,
                              -85.443741896469146224f, 59.245968286258636507f};
  return terms[k];
}
inline constexpr float kTwoPi = 6.2831855f;
inline constexpr float kTwoPiRest = -1.7484555e-7f;
// ln 2 = 0x1.62e4p-1 + 1.4286068203e-6: up to 32 times the first is exact.
inline constexpr float kLn2High = 0.693145751953125f;
inline constexpr float kLn2Low = 1.4286068e-6f;
inline constexpr std::uint32_t kRootHalfBits = 0x3F3504F3u;

}  // namespace detail

/// Two independent normals of two words.
///   radius^2 = -2 ln u, u = (n + 1/2) 2^-31, n the upper 31 bits of radius_word; near u = 1 it is
///              taken from 1 - u, so that small radii are as accurate as large ones
///   angle    = r, |r| < 1/8 turn, of the lower 30 bits of angle_word, with the sign of the cosine
///              and the swap of both from its upper two
/// Range |z| <= 6.6605; the normal's mass beyond is 2.7e-11. Against exact arithmetic on the same
/// words the error is at most 2e-7 of the radius (asserted by tests/sim/normal_single_test.cpp).
TAPALAB_HD TAPALAB_INLINE SingleNormalPair normal_pair_single(std::uint32_t radius_word,
                                                              std::uint32_t angle_word) {
  using detail::bits_of;
  using detail::from_bits;
  using detail::fused;
  const auto n = static_cast<std::int32_t>(radius_word >> 1);
  // 2^31 u = 2^e m, m in [sqrt(1/2), sqrt(2)); for e = 31 the logarithm comes from 1 - u.
  const std::uint32_t bits = bits_of(static_cast<float>(n) + 0.5f);
  const std::uint32_t shifted = bits - detail::kRootHalfBits + 0x3F800000u;
  const std::int32_t e = static_cast<std::int32_t>(shifted >> 23) - (127 + 31);
  const float near = from_bits(bits - (shifted & 0xFF800000u) + 0x3F800000u) - 1.0f;
  const float far = (static_cast<float>(n - 0x7FFFFFFF) - 0.5f) * 0x1p-31f;
  const float f = e == 0 ? far : near;
  float p = detail::log1p_term(detail::kLog1pTerms - 1);
  for (int k = detail::kLog1pTerms - 2; k >= 0; --k) p = fused(p, f, detail::log1p_term(k));
  const float log_m = fused(f * f, p, f);
  const float exponent = static_cast<float>(e);
  const float log_u = fused(exponent, detail::kLn2High, fused(exponent, detail::kLn2Low, log_m));
  const float radius = std::sqrt(-2.0f * log_u);

  const float r = static_cast<float>(static_cast<std::int32_t>(angle_word << 2 | 2u)) * 0x1p-34f;
  const float u = r * r;
  float s = fused(detail::sine_term(2), u, detail::sine_term(1));
  s = fused(s, u, detail::sine_term(0));
  s = fused(r, detail::kTwoPi, r * fused(s, u, detail::kTwoPiRest));
  float c = fused(detail::cosine_term(3), u, detail::cosine_term(2));
  c = fused(c, u, detail::cosine_term(1));
  c = fused(c, u, detail::cosine_term(0));
  c = fused(c, u, 1.0f);
  c = from_bits(bits_of(c) ^ ((angle_word << 1) & 0x80000000u));
  const bool swap = (angle_word >> 31) != 0;
  return {radius * (swap ? s : c), radius * (swap ? c : s)};
}

}  // namespace tapalab
