// Samples drawn and reduced to moments in one kernel: nothing is stored but the moments of units.
//
// A unit is a node of the dyadic sum (sim/dyadic_sum.hpp). A thread block takes one unit after
// another, and in a unit one leaf of kLeafSamples samples after another: its threads draw the
// samples into shared memory, then each of its half-warps takes a distance, lane l of 16 the
// samples l, l + 16, ... The lanes' sums are added in one order, become the leaf's moments, and
// leaves merge as the dyadic sum does. So moments depend on the samples alone, and not on the
// launch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/drawn_arguments.cuh"
#include "gpu/fast_normal.cuh"
#include "gpu/philox_draws.cuh"
#include "sim/fused_plan.hpp"
#include "sim/leaf_sums.hpp"
#include "sim/random/normal.hpp"
#include "sim/random/streams.hpp"
#include "sim/score_tables.hpp"

namespace tapalab::gpu {

inline constexpr int kFusedThreads = 256;
inline constexpr std::uint32_t kLeafSamples = 1024;
inline constexpr std::uint32_t kSumLanes = 16;
/// Distances of one pass.
inline constexpr std::uint32_t kPhaseDistances = 64, kRotaryDistances = 16;
/// Units have at most 2^this leaves.
inline constexpr unsigned kMostUnitLevel = 10;

struct FusedUnit {
  std::uint64_t first_leaf;
  std::uint32_t level;
  std::uint32_t unused = 0;
};

struct FusedDistance {
  TwoTerm<double> scale;
  Centres centre;
  ConditionalForm form;  ///< conditional samples alone
};

struct FusedArguments {
  RoundKeys keys;
  PhiloxKey key;
  std::uint32_t head_dim, amplitude_dim, distances;
  std::uint32_t unit_count;
  bool linear;        ///< phi is a sum of coordinates
  std::uint64_t end;  ///< samples from here on are not drawn
  NormalForm amplitude, phase;
  FusedLaw amplitude_law, phase_law;
  double scale;
  const FusedUnit* units;
  const FusedDistance* distance;
  const SinCos<float>* angles;  ///< rotary: [d * kRotaryDistances + i]
  std::uint32_t* next_unit;
  ScoreMoments* pending;  ///< [block][level][distance]
  ScoreMoments* results;  ///< [unit][distance]
  DrawnArguments drawn;   ///< kernels of any score and density alone
};
using FusedKernel = void (*)(FusedArguments);

/// The part of a leaf that every kernel shares: sums of the lanes of a half-warp become moments.
__device__ inline LeafSums half_warp_sum(LeafSums sums) {
  const unsigned lanes = 0xFFFFu << (threadIdx.x & 16);
  const auto from = [&](double x, int step) {
    return __shfl_down_sync(lanes, x, static_cast<unsigned>(step), kSumLanes);
  };
  for (int step = kSumLanes / 2; step > 0; step /= 2) {
    sums += {from(sums.x1, step), from(sums.x2, step), from(sums.x3, step), from(sums.x4, step),
             from(sums.y1, step), from(sums.y2, step), from(sums.xy, step), from(sums.e1, step),
             from(sums.e2, step), from(sums.xe, step)};
  }
  return sums;
}

/// Merges leaf `leaf` of a unit at a distance with what is pending; the last one is the result.
static __device__ __noinline__ void merge_leaf(const FusedArguments& arguments, std::uint32_t unit,
                                               std::uint32_t level, std::uint32_t leaf,
                                               std::uint32_t distance, ScoreMoments value) {
  ScoreMoments* pending =
      arguments.pending +
      (std::size_t{blockIdx.x} * kMostUnitLevel * arguments.distances + distance);
  std::uint32_t done = 0;
  for (; (leaf >> done) & 1; ++done) {
    ScoreMoments left = pending[std::size_t{done} * arguments.distances];
    left.merge(value);
    value = left;
  }
  if (done == level) {
    arguments.results[std::size_t{unit} * arguments.distances + distance] = value;
  } else {
    pending[std::size_t{done} * arguments.distances] = value;
  }
}

__device__ inline double value_of(const NormalForm& form, double z, double w, double zz,
                                  double zw) {
  using detail::fused;
  return fused(form.c12, zw, fused(form.c11, zz, fused(form.c2, w, fused(form.c1, z, form.c0))));
}

/// Sums over the pairs of blocks begin .. end-1 of z, z', z^2 and z z', in float.
template <class Normals, bool Means>
struct NormalSums {
  float z = 0, w = 0, zz = 0, zw = 0;

  __device__ __forceinline__ void add(float a, float b) {
    if constexpr (Means) {
      z += a;
      w += b;
    }
    zz = __fmaf_rn(a, a, zz);
    zw = __fmaf_rn(a, b, zw);
  }

  __device__ __forceinline__ void add(PhiloxBlock query, PhiloxBlock key) {
    const SingleNormalPair q0 = Normals::pair(query.word[0], query.word[1]);
    const SingleNormalPair k0 = Normals::pair(key.word[0], key.word[1]);
    const SingleNormalPair q1 = Normals::pair(query.word[2], query.word[3]);
    const SingleNormalPair k1 = Normals::pair(key.word[2], key.word[3]);
    add(q0.first, k0.first);
    add(q0.second, k0.second);
    add(q1.first, k1.first);
    add(q1.second, k1.second);
  }
};

/// Amplitude and phi of samples with normals in float.
template <class Normals, bool Means>
struct SinglePhase {
  struct Feature {
    double amplitude, phi;
  };
  static constexpr Stream kStream = Stream::gaussian_single;
  static __device__ __forceinline__ std::uint32_t draws(const FusedArguments& arguments) {
    return arguments.head_dim / 2;
  }

  static __device__ __forceinline__ Feature draw(const FusedArguments& arguments,
                                                 const uint4* table, std::uint64_t sample) {
    const SamplePhilox philox(arguments.keys, static_cast<std::uint32_t>(sample),
                              stream_tag(kStream));
    const std::uint32_t blocks = arguments.head_dim / 4;
    const auto block = [&](std::uint32_t draw) {
      const uint4 words = table[draw];
      return philox.block(arguments.keys, make_uint3(words.x, words.y, words.z));
    };
    double value[2];
    std::uint32_t b = 0, end = arguments.amplitude_dim / 4;
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      NormalSums<Normals, Means> sums;
#pragma unroll 1
      for (; b < end; ++b) sums.add(block(b), block(blocks + b));
      end = blocks;
      value[part] = value_of(part == 0 ? arguments.amplitude : arguments.phase, double{sums.z},
                             double{sums.w}, double{sums.zz}, double{sums.zw});
    }
    return {arguments.scale * value[0], value[1]};
  }

  /// Phases below 2^12 turns or so: one product, rounded by 2^-53 of it.
  static __device__ __forceinline__ void add(const Feature& feature, const FusedDistance& at,
                                             LeafSums& sums) {
    sums.add(feature.amplitude, sincos_2pi(at.scale.hi * feature.phi), at.centre);
  }
};

/// The same with normals in double and phi in two terms: the bits of the host's samples.
struct DoublePhase {
  struct Feature {
    double amplitude;
    TwoTerm<double> phi;
  };
  static constexpr Stream kStream = Stream::gaussian;
  static __device__ __forceinline__ std::uint32_t draws(const FusedArguments& arguments) {
    return arguments.head_dim;
  }

  static __device__ __forceinline__ double coordinate(double mean, double weight, double normal) {
    return detail::fused(weight, normal, mean);
  }

  static __device__ __forceinline__ Feature draw(const FusedArguments& arguments,
                                                 const uint4* table, std::uint64_t sample) {
    const SamplePhilox philox(arguments.keys, static_cast<std::uint32_t>(sample),
                              stream_tag(kStream));
    const std::uint32_t blocks = arguments.head_dim / 2;
    const auto block = [&](std::uint32_t draw) {
      const uint4 words = table[draw];
      return normal_pair(philox.block(arguments.keys, make_uint3(words.x, words.y, words.z)));
    };
    double amplitude = 0, hi = 0, lo = 0;
#pragma unroll 1
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const bool is_phase = 2 * b >= arguments.amplitude_dim;
      const FusedLaw law = is_phase ? arguments.phase_law : arguments.amplitude_law;
      const NormalPair query = block(b), key = block(blocks + b);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const double z = half == 0 ? query.first : query.second;
        const double q = coordinate(law.mean_q, law.scale_q, z);
        const double k = coordinate(coordinate(law.mean_k, law.slope, z), law.spread,
                                    half == 0 ? key.first : key.second);
        if (!is_phase) {
          amplitude = detail::fused(q, k, amplitude);
        } else if (arguments.linear) {
          detail::add_two_term(q, 0.0, hi, lo);
          detail::add_two_term(k, 0.0, hi, lo);
        } else {
          const double product = q * k;
          detail::add_two_term(product, detail::fused(q, k, -product), hi, lo);
        }
      }
    }
    const double sum = hi + lo;
    return {arguments.scale * amplitude, {sum, lo - (sum - hi)}};
  }

  static __device__ __forceinline__ void add(const Feature& feature, const FusedDistance& at,
                                             LeafSums& sums) {
    sums.add(feature.amplitude, sincos_2pi(phase_turns<DoublePrecision>(feature.phi, at.scale)),
             at.centre);
  }
};

/// Conditional samples (ConditionalForm): of a sample's normals, one a pair of the phase part,
/// their sum and their sum of squares, each sum of four in float and the rest in double.
struct ConditionalPhase {
  struct Feature {
    double sum, squares;
  };
  static constexpr Stream kStream = Stream::conditional;
  static __device__ __forceinline__ std::uint32_t draws(const FusedArguments& arguments) {
    return (arguments.head_dim - arguments.amplitude_dim) / 4;
  }

  static __device__ __forceinline__ Feature draw(const FusedArguments& arguments,
                                                 const uint4* table, std::uint64_t sample) {
    const SamplePhilox philox(arguments.keys, static_cast<std::uint32_t>(sample),
                              stream_tag(kStream, kConditionalDevice));
    const std::uint32_t blocks = draws(arguments);
    Feature feature{0, 0};
#pragma unroll 1
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const uint4 words = table[b];
      const PhiloxBlock block = philox.block(arguments.keys, make_uint3(words.x, words.y, words.z));
      const SingleNormalPair one = FastNormals::pair(block.word[0], block.word[1]);
      const SingleNormalPair two = FastNormals::pair(block.word[2], block.word[3]);
      feature.sum += (one.first + one.second) + (two.first + two.second);
      feature.squares +=
          __fmaf_rn(one.first, one.first,
                    __fmaf_rn(one.second, one.second,
                              __fmaf_rn(two.first, two.first, two.second * two.second)));
    }
    return feature;
  }

  static __device__ __forceinline__ void add(const Feature& feature, const FusedDistance& at,
                                             LeafSums& sums) {
    const ConditionalForm& form = at.form;
    const double log_size = detail::fused(form.log2, feature.squares, form.log1 * feature.sum);
    const double turns = detail::fused(form.turns2, feature.squares,
                                       detail::fused(form.turns1, feature.sum, form.turns0));
    sums.add(exp(log_size), sincos_2pi(turns), at.centre);
  }
};

// Words of draws 0 .. count-1 for samples with this upper half.
__device__ inline void fill_draw_table(const FusedArguments& arguments, std::uint32_t count,
                                       std::uint64_t sample, uint4* table) {
  for (std::uint32_t d = threadIdx.x; d < count; d += kFusedThreads) {
    const uint3 words = draw_words(arguments.keys, d, static_cast<std::uint32_t>(sample >> 32));
    table[d] = make_uint4(words.x, words.y, words.z, 0);
  }
}

// The next unit of this block; unit_count or more where there is none.
__device__ inline std::uint32_t take_unit(const FusedArguments& arguments) {
  __shared__ std::uint32_t unit;
  __syncthreads();
  if (threadIdx.x == 0) unit = atomicAdd(arguments.next_unit, 1u);
  __syncthreads();
  return unit;
}

/// A sample's feature is 16-byte aligned words of shared memory: features first, then the table of
/// draws.
template <class Draw>
__host__ __device__ constexpr std::size_t feature_bytes() {
  return kLeafSamples * sizeof(typename Draw::Feature);
}

template <class Draw, int BlocksPerProcessor>
__global__ void __launch_bounds__(kFusedThreads, BlocksPerProcessor)
    phase_moments(const __grid_constant__ FusedArguments arguments) {
  extern __shared__ uint4 shared[];
  auto* features = reinterpret_cast<typename Draw::Feature*>(shared);
  uint4* table = shared + feature_bytes<Draw>() / sizeof(uint4);
  while (true) {
    const std::uint32_t number = take_unit(arguments);
    if (number >= arguments.unit_count) return;
    const FusedUnit unit = arguments.units[number];
    const std::uint32_t leaves = 1u << unit.level;
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::uint64_t first = (unit.first_leaf + leaf) * kLeafSamples;
      const auto count =
          static_cast<std::uint32_t>(min(std::uint64_t{kLeafSamples}, arguments.end - first));
      // 2^32 is a multiple of kLeafSamples: a leaf has one upper half.
      if (leaf == 0 || static_cast<std::uint32_t>(first) == 0) {
        fill_draw_table(arguments, Draw::draws(arguments), first, table);
      }
      __syncthreads();
#pragma unroll 1
      for (std::uint32_t i = threadIdx.x; i < count; i += kFusedThreads) {
        features[i] = Draw::draw(arguments, table, first + i);
      }
      __syncthreads();
      const std::uint32_t lane = threadIdx.x % kSumLanes;
#pragma unroll 1
      for (std::uint32_t d = threadIdx.x / kSumLanes; d < arguments.distances;
           d += kFusedThreads / kSumLanes) {
        const FusedDistance at = arguments.distance[d];
        LeafSums sums;
#pragma unroll 1
        for (std::uint32_t i = lane; i < count; i += kSumLanes) {
          const typename Draw::Feature feature = features[i];
          Draw::add(feature, at, sums);
        }
        sums = half_warp_sum(sums);
        if (lane == 0) {
          merge_leaf(arguments, number, unit.level, leaf, d, moments_of(sums, count, at.centre));
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace tapalab::gpu
