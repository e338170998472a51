// Attention forward without tensor cores or the copy engine: one warp a query row. For devices
// other than Hopper, for splits and alignments that the Hopper kernel does not take, and as the
// plain form of what that kernel computes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <limits>

#include "gpu/attention/launch.cuh"
#include "sim/score.hpp"

namespace tapalab::attention {
namespace {

constexpr int kWarps = 8;  // query rows of a block
constexpr int kKeys = 32;  // keys of a tile: one a lane
constexpr int kLargestHeadDim = 256;
constexpr int kColumns = kLargestHeadDim / 32;  // of the output, a lane
constexpr float kNone = -std::numeric_limits<float>::infinity();

struct PortableParams {
  Problem problem;
  const float* factors;
  std::int64_t origin;
  float score_scale;
};

__device__ float warp_max(float x) {
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, step));
  return x;
}
__device__ float warp_sum(float x) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

template <class Element>
__global__ void __launch_bounds__(kWarps * 32) attention_portable(PortableParams p) {
  // Rows padded by one word, so that the lanes of a warp read their keys from distinct banks.
  __shared__ Element key_tile[kKeys][kLargestHeadDim + 2];
  __shared__ Element value_tile[kKeys][kLargestHeadDim + 2];
  __shared__ float query_rows[kWarps][kLargestHeadDim];
  const Problem& a = p.problem;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t row_blocks = (a.rows + kWarps - 1) / kWarps;
  const int head = static_cast<int>(blockIdx.x / row_blocks % a.heads);
  const std::int64_t batch = blockIdx.x / row_blocks / a.heads;
  const std::int64_t first_row = blockIdx.x % row_blocks * kWarps;
  const std::int64_t row = first_row + warp;
  const int key_head = head / (a.heads / a.key_heads);
  const auto* query = static_cast<const Element*>(a.query) + batch * a.query_strides.batch +
                      head * a.query_strides.head;
  const auto* key = static_cast<const Element*>(a.key) + batch * a.key_strides.batch +
                    key_head * a.key_strides.head;
  const auto* value = static_cast<const Element*>(a.value) + batch * a.value_strides.batch +
                      key_head * a.value_strides.head;
  for (int c = lane; c < a.head_dim; c += 32)
    query_rows[warp][c] =
        row < a.rows ? static_cast<float>(query[row * a.query_strides.row + c]) : 0.0f;

  std::int64_t keys = a.keys;  // met by some row of the block
  if (a.causal) keys = max(std::int64_t{0}, min(keys, first_row + kWarps + a.offset));
  const std::int64_t visible = a.causal ? min(a.keys, row + a.offset + 1) : a.keys;
  const int amplitude_dim = a.amplitude_dim > 0 ? a.amplitude_dim : a.head_dim;
  float top = kNone, sum = 0.0f, out[kColumns] = {};
  for (std::int64_t first_key = 0; first_key < keys; first_key += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * a.head_dim; i += kWarps * 32) {
      const int n = i / a.head_dim, c = i % a.head_dim;
      const bool inside = first_key + n < a.keys;
      key_tile[n][c] = inside ? key[(first_key + n) * a.key_strides.row + c] : Element(0.0f);
      value_tile[n][c] = inside ? value[(first_key + n) * a.value_strides.row + c] : Element(0.0f);
    }
    __syncthreads();
    float amplitude = 0.0f, phase = 0.0f;
    for (int c = 0; c < amplitude_dim; ++c)
      amplitude = fmaf(query_rows[warp][c], static_cast<float>(key_tile[lane][c]), amplitude);
    for (int c = amplitude_dim; c < a.head_dim; ++c)
      phase = fmaf(query_rows[warp][c], static_cast<float>(key_tile[lane][c]), phase);
    float score = amplitude * p.score_scale;
    if (a.amplitude_dim > 0) {  // eq. 12
      // A row past the end may stand past the table too; it is never stored.
      const std::int64_t index = min(row, a.rows - 1) - first_key - lane + p.origin;
      score = tapalab::score<SinglePrecision>(score, phase, {p.factors[index], 0.0f});
    }
    if (first_key + lane >= visible) score = kNone;
    const float higher = fmaxf(top, warp_max(score));
    if (higher == kNone) continue;  // uniform over the warp, but every warp meets the barriers
    const float rescale = expf(top - higher), weight = expf(score - higher);
    sum = sum * rescale + warp_sum(weight);
    top = higher;
    for (int i = 0; i < kColumns; ++i) out[i] *= rescale;
    for (int n = 0; n < kKeys; ++n) {
      const float w = __shfl_sync(0xffffffffu, weight, n);
      for (int i = 0; i < kColumns; ++i)
        if (32 * i + lane < a.head_dim)
          out[i] = fmaf(w, static_cast<float>(value_tile[n][32 * i + lane]), out[i]);
    }
  }
  if (row >= a.rows) return;
  auto* target = static_cast<Element*>(a.out) + batch * a.out_strides.batch +
                 head * a.out_strides.head + row * a.out_strides.row;
  for (int i = 0; i < kColumns; ++i)
    if (32 * i + lane < a.head_dim)
      target[32 * i + lane] = Element(sum > 0.0f ? out[i] / sum : 0.0f);
  if (lane == 0 && a.log_sum_exp != nullptr)
    a.log_sum_exp[(batch * a.heads + head) * a.rows + row] = sum > 0.0f ? top + logf(sum) : kNone;
}

}  // namespace

void launch_portable(const Problem& problem, void* workspace, cudaStream_t stream) {
  const Workspace parts(problem, workspace);
  PortableParams p{problem, parts.factors, parts.origin, 0.0f};
  const int amplitude_dim = problem.amplitude_dim > 0 ? problem.amplitude_dim : problem.head_dim;
  p.score_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(amplitude_dim)));
  const auto blocks =
      static_cast<unsigned>((problem.rows + kWarps - 1) / kWarps * problem.heads * problem.batch);
  if (problem.precision == Precision::bf16)
    attention_portable<__nv_bfloat16><<<blocks, kWarps * 32, 0, stream>>>(p);
  else
    attention_portable<__half><<<blocks, kWarps * 32, 0, stream>>>(p);
  require(cudaGetLastError(), "launch");
}

}  // namespace tapalab::attention
