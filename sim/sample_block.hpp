// A block of samples: drawn, reduced to features, measured at every distance. Internal to the
// sampler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/block_kernels.hpp"
#include "sim/normal_lanes.hpp"
#include "sim/sampling_plan.hpp"

namespace tapalab {

/// Arrays that one thread uses for block after block.
struct BlockWorkspace {
  std::vector<float> normals;
  std::vector<double> x, amplitude, phi, phi_hi, phi_lo;  // phase scores
  std::vector<double> A, B, plain;                        // rotary scores
  std::vector<double> scores, sines, excesses, squares;

  explicit BlockWorkspace(const ScoreSampler::Plan& plan)
      : x(2 * std::size_t{plan.head_dim} * kLanes) {
    if (const auto* gaussian = std::get_if<GaussianSource>(&plan.source)) {
      normals.resize(gaussian->single_normals());
    }
    if (const auto* rotary = std::get_if<RotaryTables>(&plan.tables)) {
      A.resize(rotary->pairs.size() * kBlockSamples);
      B.resize(A.size());
      plain.resize(kBlockSamples);
      scores.resize(kDistanceTile * kBlockSamples);
    } else {
      for (auto* array : {&amplitude, &phi, &phi_hi, &phi_lo, &scores, &sines, &excesses}) {
        array->resize(kBlockSamples);
      }
    }
    if (plan.mirrored()) squares.resize(kBlockSamples);
  }
};

struct SamplerKernels {
  const BlockKernels& block = block_kernels(simd_level());
  const NormalKernels& normal = normal_kernels(simd_level());
};

/// The samples of a block: `distance` matters to token pairs at a distance alone.
struct BlockRange {
  std::uint64_t first;
  std::size_t count;
  std::uint64_t distance = 0;
  bool mirrored = false;  ///< the mirror images of the samples
};

/// Draws the block's samples and reduces them to what scores at every distance are made of: with
/// normals in float where `single`, else in double.
void fill_features(const ScoreSampler::Plan& plan, const SamplerKernels& kernels,
                   const BlockRange& range, bool single, BlockWorkspace& work);

/// Moments of samples first .. first + count - 1 at every distance; `mirror` where each is averaged
/// with its mirror image.
CurveMoments sample_block(const ScoreSampler::Plan& plan, const SamplerKernels& kernels,
                          std::uint64_t first, std::size_t count, BlockWorkspace& work,
                          BlockWorkspace* mirror);

}  // namespace tapalab
