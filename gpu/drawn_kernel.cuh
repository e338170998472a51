// Moments of any score under any density: samples in double, with the values that the host's engine
// draws, scored by the lines that the host's scores come from. The loops over samples are those of
// the other kernels.
#pragma once

#include "gpu/drawn_samples.cuh"
#include "gpu/rotary_kernel.cuh"

namespace tapalab::gpu {

static_assert(kDrawThreads == kFusedThreads);

template <class Samples>
__device__ __forceinline__ auto open_sample(const FusedArguments& arguments, std::uint64_t sample) {
  const DrawnArguments& drawn = arguments.drawn;
  double* scratch = nullptr;
  if constexpr (Samples::kScratch) {
    scratch = drawn.scratch + std::size_t{blockIdx.x} * 2 * drawn.draw.head_dim * kDrawThreads +
              threadIdx.x;
  }
  return Samples::open(drawn.draw, scratch, {sample, drawn.distance, drawn.single});
}

/// Scores a cos(2 pi s phi), phi in two terms at every distance.
template <class Samples>
struct DrawnPhase {
  using Feature = DoublePhase::Feature;
  static __device__ __forceinline__ std::uint32_t draws(const FusedArguments&) { return 0; }

  static __device__ __forceinline__ Feature draw(const FusedArguments& arguments, const uint4*,
                                                 std::uint64_t sample) {
    const auto pair = open_sample<Samples>(arguments, sample);
    const PairFeatures features = pair_features(arguments.drawn.phase, pair.q, pair.k);
    return {features.amplitude, features.phi};
  }

  static __device__ __forceinline__ void add(const Feature& feature, const FusedDistance& at,
                                             LeafSums& sums) {
    DoublePhase::add(feature, at, sums);
  }
};

/// Rotary scores in double, any pairs and weights.
template <class Samples>
class DrawnRotary {
 public:
  using Real = double;
  // More warps are worth a few registers in memory; sixteen scores in double are not.
  static constexpr int kBlocksPerProcessor = Samples::kScratch ? 4 : 3;

  __device__ __forceinline__ DrawnRotary(const FusedArguments&, uint4*) {}
  __device__ __forceinline__ void begin(const FusedArguments&, std::uint64_t) {}

  __device__ __forceinline__ void scores(const FusedArguments& arguments, std::uint64_t sample,
                                         double (&score)[kRotaryDistances]) const {
    const RotaryView& tables = arguments.drawn.rotary;
    const auto open = open_sample<Samples>(arguments, sample);
    const double plain = rotary_plain(tables, open.q, open.k);
#pragma unroll
    for (std::uint32_t i = 0; i < kRotaryDistances; ++i) score[i] = plain;
#pragma unroll 1
    for (std::size_t d = 0; d < tables.pair_count; ++d) {
      const RotaryProducts pair = rotary_pair(tables, d, open.q, open.k);
      const SinCos<double>* row = arguments.drawn.angles + d * kRotaryDistances;
#pragma unroll
      for (std::uint32_t i = 0; i < kRotaryDistances; ++i) {
        score[i] = add_rotary<DoublePrecision>(score[i], pair.A, pair.B, row[i]);
      }
    }
  }

  static __device__ __forceinline__ double centred(const FusedArguments&, double score,
                                                   double centre) {
    return score - centre;
  }
};

}  // namespace tapalab::gpu
