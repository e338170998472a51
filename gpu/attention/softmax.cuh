// The running softmax of a warpgroup's 64 rows; each thread holds parts of two of them (row and
// row + 8 of its warp), shared with the other three threads of its quad.
#pragma once

#include <cstdint>
#include <limits>

namespace tapalab::attention {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

__device__ __forceinline__ float exp2_approx(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

__device__ __forceinline__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

/// max(a, b, c) for a >= 0, compared as integers, which Hopper does three at a time.
__device__ __forceinline__ float max3_from_zero(float a, float b, float c) {
  return __int_as_float(__vimax3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
}

/// Scores enter as exponents: log2(e) times the score, less `reference` of its row. A weight is two
/// to that power. `reference` is the running maximum, or a former one: that spares most rescalings
/// of the output, and the factor leaves with the division by `sum`. A former one lies at most
/// kSlack below (exceeds_slack), or so that no thread's weights of one tile and row add to more
/// than kLargestSum (exceeds_largest); both keep a weight far below the largest fp16.
struct RunningSoftmax {
  static constexpr float kSlack = 6.0f;
  static constexpr float kLargestSum = 4096.0f;
  float reference[2] = {-kInfinity, -kInfinity};  ///< -inf until the row has seen a key
  float sum[2] = {0.0f, 0.0f};  ///< of this thread's columns alone, until `finish`

  /// What to add to a scaled score of row h to make it an exponent.
  __device__ __forceinline__ float shift(int h) const {
    return reference[h] == -kInfinity ? 0.0f : -reference[h];
  }

  /// Whether some exponent of the warp's rows exceeds the slack.
  template <int Count>
  static __device__ __forceinline__ bool exceeds_slack(const float (&exponent)[Count]) {
    float top[4] = {0.0f, 0.0f, 0.0f, 0.0f};  // four chains, to hide the latency
#pragma unroll
    for (int i = 0; i < Count; i += 2)
      top[i / 2 % 4] = max3_from_zero(top[i / 2 % 4], exponent[i], exponent[i + 1]);
    const float highest = max3_from_zero(top[0], top[1], fmaxf(top[2], top[3]));
    return __any_sync(0xffffffffu, !(highest <= kSlack));
  }

  /// Whether some thread's sum of weights, infinity and NaN among them, exceeds the largest.
  static __device__ __forceinline__ bool exceeds_largest(const float (&sum)[2]) {
    return __any_sync(0xffffffffu, !(sum[0] <= kLargestSum) || !(sum[1] <= kLargestSum));
  }

  /// Moves the references up to the maxima and the exponents with them. The earlier output must
  /// be multiplied by `rescale`.
  template <int Count>
  __device__ __forceinline__ void raise(float (&exponent)[Count], float (&rescale)[2]) {
    float lift[2] = {exponent[0], exponent[2]};
#pragma unroll
    for (int i = 0; i < Count; ++i) lift[(i / 2) % 2] = fmaxf(lift[(i / 2) % 2], exponent[i]);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      lift[h] = quad_max(lift[h]);
      const bool first = reference[h] == -kInfinity;
      if (!first) lift[h] = fmaxf(lift[h], 0.0f);
      rescale[h] = first ? 1.0f : exp2_approx(-lift[h]);
      // A row that has seen no key keeps its reference, and its weights stay exp2(-inf) = 0.
      if (lift[h] == -kInfinity)
        lift[h] = 0.0f;
      else
        reference[h] = (first ? 0.0f : reference[h]) + lift[h];
      sum[h] *= rescale[h];
    }
#pragma unroll
    for (int i = 0; i < Count; ++i) exponent[i] -= lift[(i / 2) % 2];
  }

  /// Turns exponents into weights in place and adds them up.
  template <int Count>
  __device__ __forceinline__ void weigh(float (&exponent)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      exponent[i] = exp2_approx(exponent[i]);
      sum[(i / 2) % 2] += exponent[i];
    }
  }

  /// Completes `sum` over the quad.
  __device__ __forceinline__ void finish() {
    sum[0] = quad_sum(sum[0]);
    sum[1] = quad_sum(sum[1]);
  }
};

/// Multiplies the two rows of a thread's output fragment.
template <int Count>
__device__ __forceinline__ void scale_rows(float (&fragment)[Count], const float (&factor)[2]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) fragment[i] *= factor[(i / 2) % 2];
}

}  // namespace tapalab::attention
