// Standard normals of kLanes samples at a time, for each vector width: the bits of
// normal_pair_single (sim/random/normal_single.hpp).
#pragma once

#include <cstdint>

#include "sim/gaussian_sampler.hpp"
#include "sim/random/philox.hpp"
#include "sim/score_tables.hpp"
#include "sim/simd_level.hpp"

namespace tapalab {

struct NormalKernels {
  /// Normals 4d .. 4d + 3 of samples first .. first + kLanes - 1 for draws d < draws of the stream
  /// `gaussian_single`: z[(4d + i) * kLanes + lane]. kLanes divides `first`.
  void (*single)(PhiloxKey key, std::uint64_t first, std::uint32_t draws, float* z);
  /// x[row] = mean[row] + L z of those samples, from one normal a coordinate: what
  /// BlockKernels::gaussian_lanes computes from normals in double.
  void (*rows)(const SparseRoot& root, const float* z, double* x);
  /// BlockKernels::phase_features of that x, which is not stored: for scores that use each row once
  /// or twice.
  void (*features)(const SparseRoot& root, const PhaseTables& tables, const float* z,
                   double* amplitude, double* phi);
};

/// The kernels of that width, or of the widest one below it that this build has.
const NormalKernels& normal_kernels(SimdLevel level);

}  // namespace tapalab
