// The cosine of the phase, eq. 12: cos(2 pi s(|m-n|) q_P.k_P/sqrt(dP)) on accumulator fragments.
#pragma once

#include "gpu/attention/tuning.hpp"

namespace tapalab::attention {

/// phase * factor - round(phase * factor), in turns, in [-1/2, 1/2]. One rounding in all: the
/// fused products are exact before it. Valid for |phase * factor| < 2^22.
__device__ __forceinline__ float reduced_turns(float phase, float factor) {
  constexpr float kRoundToInteger = 12582912.0f;  // 1.5 * 2^23
  const float whole = __fsub_rn(__fmaf_rn(phase, factor, kRoundToInteger), kRoundToInteger);
  return __fmaf_rn(phase, factor, -whole);
}

/// cos(2 pi turns) on the special-function unit; turns in [-1/2, 1/2], error below 3.5e-7 (over
/// every such float).
__device__ __forceinline__ float cos_turns_special(float turns) {
  float result;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(turns * 6.283185307179586f));
  return result;
}

/// cos(2 pi turns) on the multiply-add units: the even polynomial of degree 10 of least largest
/// error that is 1 at 0; turns in [-1/2, 1/2], error below 1.3e-6 (over every such float).
__device__ __forceinline__ float cos_turns_polynomial(float turns) {
  const float square = turns * turns;
  float sum = __fmaf_rn(-0x1.529a00p+4f, square, 0x1.d6d204p+5f);
  sum = __fmaf_rn(sum, square, -0x1.5525bcp+6f);
  sum = __fmaf_rn(sum, square, 0x1.03b89cp+6f);
  sum = __fmaf_rn(sum, square, -0x1.3bd326p+4f);
  return __fmaf_rn(sum, square, 1.0f);
}

/// cos(phase * factor) on the special-function unit, which reduces its own argument in turns:
/// phase and factor in radians, error about 2^-22 |turns| + 2^-20 turns.
__device__ __forceinline__ float cos_radians_special(float phase, float factor) {
  float result;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(phase * factor));
  return result;
}

/// Which of eight consecutive elements take the polynomial: `Share` of them, spread evenly, so
/// that the special-function and the multiply-add units run side by side.
template <int Share>
__device__ constexpr bool takes_polynomial(int element) {
  return (element * Share) % 8 < Share;
}

/// With TAPALAB_ATTENTION_CONSTANT_PHASE the phase products are formed and left unread, and every
/// cosine is that of 1/8 turn: plain attention on half the coordinates in the skeleton of TAPA,
/// which tells what the phases cost (docs/results/attention-forward.md).
template <Reduction How, int PolynomialShare>
__device__ __forceinline__ float cosine(float phase, float factor, int element) {
#ifdef TAPALAB_ATTENTION_CONSTANT_PHASE
  return 0.707106781186548f;
#endif
  constexpr float kTurnsPerRadian = 0.159154943091895f;
  if (How == Reduction::radians && !takes_polynomial<PolynomialShare>(element))
    return cos_radians_special(phase, factor);
  const float turns =
      reduced_turns(phase, How == Reduction::radians ? factor * kTurnsPerRadian : factor);
  return takes_polynomial<PolynomialShare>(element) ? cos_turns_polynomial(turns)
                                                    : cos_turns_special(turns);
}

}  // namespace tapalab::attention
