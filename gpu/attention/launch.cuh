// Launching one shape of the Hopper kernel: tensor maps, workspace, grid.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <string>

#include "gpu/attention/attention.hpp"
#include "gpu/attention/forward_kernel.cuh"
#include "gpu/attention/workspace.hpp"
#include "sim/errors.hpp"

namespace tapalab::attention {

inline void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw UnavailableError(std::string("attention: ") + what + ": " + cudaGetErrorString(status));
}

/// Boxes of `box_rows` rows and 64 columns, 128-byte swizzled; rows past the end read as zero.
CUtensorMap tensor_map(const void* data, Precision precision, int head_dim, std::int64_t rows,
                       int heads, int batch, const Strides& strides, int box_rows);

/// Runs the Hopper kernel of one shape; `forward` has checked that the problem fits it.
template <class S>
void launch(const Problem& problem, void* workspace, cudaStream_t stream) {
  KernelParams p;
  p.q = tensor_map(problem.query, problem.precision, S::kHeadDim, problem.rows, problem.heads,
                   problem.batch, problem.query_strides, kQueryRows);
  p.k = tensor_map(problem.key, problem.precision, S::kHeadDim, problem.keys, problem.key_heads,
                   problem.batch, problem.key_strides, S::kKeyRows);
  p.v = tensor_map(problem.value, problem.precision, S::kHeadDim, problem.keys, problem.key_heads,
                   problem.batch, problem.value_strides, S::kKeyRows);
  const Workspace parts(problem, workspace);
  p.factors = S::kReduction == Reduction::radians ? parts.factors_radians : parts.factors;
  p.factor_origin = static_cast<int>(parts.origin);
  p.next_tile = parts.counters;
  p.finished_blocks = parts.counters + 1;
  p.out = problem.out;
  p.out_strides = problem.out_strides;
  p.log_sum_exp = problem.log_sum_exp;
  p.batch = problem.batch;
  p.heads = problem.heads;
  p.heads_per_key_head = problem.heads / problem.key_heads;
  p.rows = static_cast<int>(problem.rows);
  p.keys = static_cast<int>(problem.keys);
  p.offset = problem.offset;
  p.causal = problem.causal;
  p.score_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(S::kAmplitudeDim)));

  constexpr std::size_t kShared = sizeof(SharedStorage<S>);
  static_assert(kShared <= 227 * 1024, "the tiles of a block must fit its shared memory");
  int device = 0, processors = 0;
  require(cudaGetDevice(&device), "device");
  require(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "device");
  require(cudaFuncSetAttribute(attention_forward<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               kShared),
          "shared memory");
  const std::int64_t tiles =
      (problem.rows + kQueryRows - 1) / kQueryRows * problem.heads * problem.batch;
  attention_forward<S><<<static_cast<unsigned>(std::min<std::int64_t>(tiles, processors)), kThreads,
                         kShared, stream>>>(p);
  require(cudaGetLastError(), "launch");
}

/// Runs the Hopper kernel for this element type and head dimension, whichever the split. Defined
/// in one translation unit each (hopper_*.cu), so that they compile side by side.
template <class Element, int HeadDim>
void launch_hopper(const Problem& problem, Reduction reduction, void* workspace,
                   cudaStream_t stream);

/// The portable kernel: any split and alignment, any device of compute capability 8.0 or more.
void launch_portable(const Problem& problem, void* workspace, cudaStream_t stream);

}  // namespace tapalab::attention
