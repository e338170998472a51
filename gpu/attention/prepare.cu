#include <cuda_runtime.h>

#include <cmath>

#include "gpu/attention/launch.cuh"
#include "sim/encoding.hpp"

namespace tapalab::attention {
namespace {

/// factors[i] = s(|i - origin + offset|)/sqrt(dP), eq. 9 and 12, in double, rounded once.
__global__ void fill_factors(float* factors, float* radians, std::int64_t count,
                             std::int64_t origin, std::int64_t offset, double alpha, bool linear,
                             double root) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const double distance = static_cast<double>(::llabs(i - origin + offset));
  const double turns = (linear ? alpha * distance : ::pow(distance, alpha)) / root;
  factors[i] = static_cast<float>(turns);
  radians[i] = static_cast<float>(6.283185307179586477 * turns);
}

}  // namespace

void prepare(const Problem& problem, void* workspace, cudaStream_t stream) {
  (void)workspace_bytes(problem);  // refuses what forward would refuse
  if (workspace == nullptr) throw InputError("attention: workspace is a null pointer");
  const Workspace parts(problem, workspace);
  require(cudaMemsetAsync(parts.counters, 0, 2 * sizeof(int), stream), "counters");
  if (problem.amplitude_dim == 0) return;
  constexpr int kBlock = 256;
  fill_factors<<<static_cast<unsigned>((parts.count + kBlock - 1) / kBlock), kBlock, 0, stream>>>(
      parts.factors, parts.factors_radians, parts.count, parts.origin, problem.offset,
      problem.alpha, problem.law == PhaseLaw::linear,
      std::sqrt(static_cast<double>(problem.head_dim - problem.amplitude_dim)));
  require(cudaGetLastError(), "phase factors");
}

}  // namespace tapalab::attention
