// Scores on a CUDA device.
#pragma once

#include <memory>

#include "sim/backend.hpp"

namespace tapalab {

struct CudaOptions {
  /// Which of the process's devices, modulo their number: ranks of one host take one each.
  unsigned device = 0;
  /// Samples with normals in float have the host's bits, at half the speed.
  bool exact_normals = false;
};

/// One device of the process. Its scores have the bits of the CPU backend's: both run the lines
/// of sim/pair_scores.hpp, in IEEE double with fused multiply-add only where it is written, and
/// results do not depend on the launch shape. Pairs go through the device in batches that fit its
/// memory. `unavailable_reason` names a missing device or a driver that is too old; `scores` then
/// throws UnavailableError.
std::unique_ptr<Backend> make_cuda_backend(CudaOptions options = {});

}  // namespace tapalab
