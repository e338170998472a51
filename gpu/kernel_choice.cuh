// Which kernel serves a request, and what it needs.
#pragma once

#include <cstddef>

#include "gpu/fused_kernel.cuh"
#include "gpu/fused_moments.hpp"

namespace tapalab::gpu {

struct KernelChoice {
  FusedKernel kernel;
  std::size_t shared_bytes;
  bool scratch = false;  ///< DrawnArguments::scratch
};

/// Whether the score uses each coordinate about once, so that it can be drawn where it is used.
bool uses_each_once(const DrawnPlan& plan);

KernelChoice drawn_kernel(const DrawnPlan& plan);

}  // namespace tapalab::gpu
