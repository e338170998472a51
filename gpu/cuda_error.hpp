// Every CUDA call's result is looked at.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "sim/errors.hpp"

namespace tapalab::gpu {

/// Throws UnavailableError that says what was being done and what CUDA answered: a device without
/// enough memory, or one that fails, is none.
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw UnavailableError(std::string("backend cuda: ") + what + ": " + cudaGetErrorString(result));
}

}  // namespace tapalab::gpu
