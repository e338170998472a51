// The normals of sim/random/normal_single.hpp on the special-function unit: the same function of
// the same two words, with other roundings.
#pragma once

#include "sim/random/normal_single.hpp"

namespace tapalab::gpu {

__device__ __forceinline__ float log2_special(float x) {
  float result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
__device__ __forceinline__ float root_special(float x) {
  float result;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
__device__ __forceinline__ float sine_special(float radians) {
  float result;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(radians));
  return result;
}
__device__ __forceinline__ float cosine_special(float radians) {
  float result;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(radians));
  return result;
}

/// normal_pair_single to within the errors that docs/results/gpu-moments.md measures over all
/// words: u is rounded to 24 bits before its logarithm, and logarithm, root, sine and cosine are
/// approximate. u rounds to at most 1, where the radius is 0. Mean squares over all words are those
/// of exact arithmetic to 1e-8.
struct FastNormals {
  static __device__ __forceinline__ SingleNormalPair pair(std::uint32_t radius_word,
                                                          std::uint32_t angle_word) {
    const float u = __fmaf_rn(static_cast<float>(static_cast<std::int32_t>(radius_word >> 1)),
                              0x1p-31f, 0x1p-32f);
    // -2 ln 2, and 2.6e-7 of it, which the unit's functions lack on average over all words.
    const float radius = root_special(log2_special(u) * -1.38629472f);
    // 2 pi 2^-34
    const float angle =
        static_cast<float>(static_cast<std::int32_t>(angle_word * 4 + 2)) * 3.6572951e-10f;
    const float s = sine_special(angle);
    const float c = detail::from_bits(detail::bits_of(cosine_special(angle)) ^
                                      ((angle_word * 2) & 0x80000000u));
    const bool swap = static_cast<std::int32_t>(angle_word) < 0;
    return {radius * (swap ? s : c), radius * (swap ? c : s)};
  }
};

/// normal_pair_single, bit for bit.
struct ExactNormals {
  static __device__ __forceinline__ SingleNormalPair pair(std::uint32_t radius_word,
                                                          std::uint32_t angle_word) {
    return normal_pair_single(radius_word, angle_word);
  }
};

}  // namespace tapalab::gpu
