// Every CUDA call's result is looked at.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace tapalab::gpu {

/// Throws std::runtime_error that says what was being done and what CUDA answered.
inline void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(result));
}

}  // namespace tapalab::gpu
