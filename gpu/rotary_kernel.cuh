// Moments of rotary scores: each thread scores a sample at all distances of the pass, then each
// half-warp sums a distance. How samples are drawn, and in which arithmetic they are scored, is
// `Rotary`: FastRotary here, DrawnRotary in gpu/drawn_kernel.cuh.
#pragma once

#include "gpu/fused_kernel.cuh"

namespace tapalab::gpu {

inline constexpr std::uint32_t kScoreRow = kFusedThreads + kSumLanes;  // no bank conflicts

/// Gaussians with one law for all pairs of coordinates (eq. 2), in float: eight coordinates of q
/// and of k at a time, which are four pairs.
template <class Normals, bool Adjacent>
class FastRotary {
 public:
  using Real = float;
  static constexpr int kBlocksPerProcessor = 3;

  /// `room`: head_dim/2 words for the table of draws, then head_dim/2 kRotaryDistances angles.
  __device__ __forceinline__ FastRotary(const FusedArguments& arguments, uint4* room)
      : table_(room), angles_(reinterpret_cast<SinCos<float>*>(room + arguments.head_dim / 2)) {
    const std::uint32_t rows = arguments.head_dim / 2 * kRotaryDistances;
    for (std::uint32_t i = threadIdx.x; i < rows; i += kFusedThreads) {
      angles_[i] = arguments.angles[i];
    }
  }

  /// Samples from `first` on have the same upper half.
  __device__ __forceinline__ void begin(const FusedArguments& arguments, std::uint64_t first) {
    fill_draw_table(arguments, arguments.head_dim / 2, first, table_);
  }

  __device__ __forceinline__ void scores(const FusedArguments& arguments, std::uint64_t sample,
                                         float (&score)[kRotaryDistances]) const {
    const SamplePhilox philox(arguments.keys, static_cast<std::uint32_t>(sample),
                              stream_tag(Stream::gaussian_single));
    const auto normals = [&](std::uint32_t draw, float* z) {
      const uint4 words = table_[draw];
      const PhiloxBlock block = philox.block(arguments.keys, make_uint3(words.x, words.y, words.z));
      const SingleNormalPair a = Normals::pair(block.word[0], block.word[1]);
      const SingleNormalPair b = Normals::pair(block.word[2], block.word[3]);
      z[0] = a.first, z[1] = a.second, z[2] = b.first, z[3] = b.second;
    };
    const std::uint32_t blocks = arguments.head_dim / 4;
    const auto mean_q = static_cast<float>(arguments.phase_law.mean_q);
    const auto scale_q = static_cast<float>(arguments.phase_law.scale_q);
    const auto mean_k = static_cast<float>(arguments.phase_law.mean_k);
    const auto slope = static_cast<float>(arguments.phase_law.slope);
    const auto spread = static_cast<float>(arguments.phase_law.spread);
#pragma unroll
    for (std::uint32_t i = 0; i < kRotaryDistances; ++i) score[i] = 0;
#pragma unroll 1
    for (std::uint32_t g = 0; g < blocks / 2; ++g) {
      const std::uint32_t one = Adjacent ? 2 * g : g;
      const std::uint32_t two = Adjacent ? 2 * g + 1 : g + blocks / 2;
      float q[8], k[8];
      normals(one, q);
      normals(two, q + 4);
      normals(blocks + one, k);
      normals(blocks + two, k + 4);
#pragma unroll
      for (int c = 0; c < 8; ++c) {
        k[c] = __fmaf_rn(spread, k[c], __fmaf_rn(slope, q[c], mean_k));
        q[c] = __fmaf_rn(scale_q, q[c], mean_q);
      }
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        const int a = Adjacent ? 2 * p : p, b = Adjacent ? 2 * p + 1 : p + 4;
        const float A = __fmaf_rn(q[b], k[b], q[a] * k[a]);
        const float B = __fmaf_rn(-q[b], k[a], q[a] * k[b]);
        const SinCos<float>* row =
            angles_ + (4 * g + static_cast<std::uint32_t>(p)) * kRotaryDistances;
#pragma unroll
        for (std::uint32_t i = 0; i < kRotaryDistances; ++i) {
          score[i] = add_rotary<SinglePrecision>(score[i], A, B, row[i]);
        }
      }
    }
  }

  static __device__ __forceinline__ double centred(const FusedArguments& arguments, float score,
                                                   double centre) {
    return detail::fused(arguments.scale, double{score}, -centre);
  }

 private:
  uint4* table_;
  SinCos<float>* angles_;
};

template <class Rotary>
__global__ void __launch_bounds__(kFusedThreads, Rotary::kBlocksPerProcessor)
    rotary_moments(const __grid_constant__ FusedArguments arguments) {
  using Real = typename Rotary::Real;
  extern __shared__ uint4 shared[];
  auto* scores = reinterpret_cast<Real*>(shared);
  Rotary rotary(arguments, shared + kRotaryDistances * kScoreRow * sizeof(Real) / sizeof(uint4));
  const std::uint32_t lane = threadIdx.x % kSumLanes, d = threadIdx.x / kSumLanes;
  while (true) {
    const std::uint32_t number = take_unit(arguments);
    if (number >= arguments.unit_count) return;
    const FusedUnit unit = arguments.units[number];
    const std::uint32_t leaves = 1u << unit.level;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint64_t first = (unit.first_leaf + leaf) * kLeafSamples;
      const auto count =
          static_cast<std::uint32_t>(min(std::uint64_t{kLeafSamples}, arguments.end - first));
      if (leaf == 0 || static_cast<std::uint32_t>(first) == 0) rotary.begin(arguments, first);
      LeafSums sums;
      const double centre = d < arguments.distances ? arguments.distance[d].centre.score : 0.0;
      for (std::uint32_t begin = 0; begin < kLeafSamples; begin += kFusedThreads) {
        __syncthreads();
        if (begin + threadIdx.x < count) {
          Real score[kRotaryDistances];
          rotary.scores(arguments, first + begin + threadIdx.x, score);
#pragma unroll
          for (std::uint32_t i = 0; i < kRotaryDistances; ++i) {
            scores[i * kScoreRow + threadIdx.x] = score[i];
          }
        }
        __syncthreads();
        if (d < arguments.distances) {
#pragma unroll 1
          for (std::uint32_t i = lane; i < kFusedThreads && begin + i < count; i += kSumLanes) {
            sums.add_score(Rotary::centred(arguments, scores[d * kScoreRow + i], centre));
          }
        }
      }
      sums = half_warp_sum(sums);
      if (lane == 0 && d < arguments.distances) {
        ScoreMoments value = moments_of(sums, count, {centre, 0, 0});
        value.sine = value.excess = {};
        merge_leaf(arguments, number, unit.level, leaf, d, value);
      }
      __syncthreads();
    }
  }
}

}  // namespace tapalab::gpu
