#include <algorithm>

#include "gpu/cuda_error.hpp"
#include "gpu/device_scores.hpp"
#include "gpu/device_tables.hpp"
#include "sim/errors.hpp"

namespace tapalab::gpu {
namespace {

constexpr int kThreads = 128;
constexpr std::size_t kMostBlocks = 65535;
// Pairs in flight at once: their queries, keys and scores stay within this much device memory.
constexpr std::size_t kBatchBytes = std::size_t{512} << 20;

// One thread a pair; offsets in 64 bits.
template <class View>
__global__ void scores_kernel(View tables, std::size_t distances, std::size_t head_dim,
                              std::size_t count, const double* queries, const double* keys,
                              double* scores) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t pair = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; pair < count;
       pair += stride) {
    pair_scores(tables, queries + pair * head_dim, keys + pair * head_dim, distances,
                scores + pair * distances);
  }
}

template <class Tables>
void run(const Tables& tables, std::size_t distances, std::size_t head_dim, std::size_t count,
         const double* queries, const double* keys, double* scores) {
  const std::size_t pair_bytes = (2 * head_dim + distances) * sizeof(double);
  const std::size_t batch = std::clamp<std::size_t>(kBatchBytes / pair_bytes, 1, count);
  DeviceBuffer<double> device_queries(batch * head_dim), device_keys(batch * head_dim),
      device_scores(batch * distances);
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t size = std::min(batch, count - first);
    device_queries.upload(queries + first * head_dim, size * head_dim);
    device_keys.upload(keys + first * head_dim, size * head_dim);
    const std::size_t blocks = std::min((size + kThreads - 1) / kThreads, kMostBlocks);
    scores_kernel<<<static_cast<unsigned>(blocks), kThreads>>>(
        tables.view, distances, head_dim, size, device_queries.data(), device_keys.data(),
        device_scores.data());
    check(cudaGetLastError(), "launching the scores kernel");
    device_scores.download(scores + first * distances, size * distances);
  }
}

}  // namespace

std::string unavailable_reason() {
  int devices = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted == cudaErrorInsufficientDriver) {
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "no CUDA driver is installed";
    return "the CUDA driver supports version " + std::to_string(driver / 1000) + "." +
           std::to_string(driver % 1000 / 10) + "; this build needs " +
           std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10);
  }
  if (counted == cudaErrorNoDevice || (counted == cudaSuccess && devices == 0)) {
    return "no CUDA device";
  }
  if (counted != cudaSuccess) {
    return std::string("no usable CUDA device: ") + cudaGetErrorString(counted);
  }
  cudaFuncAttributes attributes;
  const cudaError_t loaded = cudaFuncGetAttributes(&attributes, scores_kernel<PhaseView>);
  if (loaded != cudaSuccess) {
    cudaGetLastError();  // take it back, so that it does not show up in a later call
    return std::string("the CUDA device cannot run this build's kernels: ") +
           cudaGetErrorString(loaded);
  }
  return {};
}

void choose_device(unsigned number) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return;
  check(cudaSetDevice(static_cast<int>(number % static_cast<unsigned>(devices))),
        "choosing a device");
}

void device_scores(const ScoreTables& tables, std::size_t distances, std::size_t head_dim,
                   std::size_t count, const double* queries, const double* keys, double* scores) {
  const std::string reason = unavailable_reason();
  if (!reason.empty()) throw UnavailableError("backend cuda: " + reason);
  if (count == 0 || distances == 0) return;
  if (const auto* phase = std::get_if<PhaseTables>(&tables)) {
    run(DevicePhaseTables(*phase), distances, head_dim, count, queries, keys, scores);
  } else {
    run(DeviceRotaryTables(std::get<RotaryTables>(tables)), distances, head_dim, count, queries,
        keys, scores);
  }
}

}  // namespace tapalab::gpu
