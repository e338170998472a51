#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gpu/attention/launch.cuh"
#include "sim/encoding.hpp"

namespace tapalab::attention {
namespace {

void accept(bool condition, const std::string& message) {
  if (!condition) throw InputError("attention: " + message);
}

void validate(const Problem& p) {
  accept(p.batch > 0 && p.heads > 0, "batch and heads must be positive");
  accept(p.key_heads > 0 && p.heads % p.key_heads == 0,
         "key_heads = " + std::to_string(p.key_heads) +
             " must divide heads = " + std::to_string(p.heads));
  accept(p.rows >= 0 && p.keys >= 0, "rows and keys must not be negative");
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;
  accept(p.rows <= kLongest && p.keys <= kLongest, "at most 2^30 rows and keys");
  constexpr double kMostRows = 2147483648.0;  // blocks of a launch are counted in 31 bits
  accept(static_cast<double>(p.batch) * static_cast<double>(p.heads) *
                 static_cast<double>(std::max<std::int64_t>(p.rows, 1)) <
             kMostRows,
         "batch x heads x rows must be below 2^31");
  accept(p.head_dim > 0 && p.head_dim <= 256,
         "head_dim = " + std::to_string(p.head_dim) + " must be from 1 to 256");
  accept(p.amplitude_dim >= 0 && p.amplitude_dim < p.head_dim,
         "amplitude_dim = " + std::to_string(p.amplitude_dim) +
             " must be at least 0 and below head_dim");
  accept(std::isfinite(p.alpha) && (p.amplitude_dim == 0 || p.alpha > 0.0),
         "alpha must be positive");
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max() / 4;
  accept(p.offset >= -kFarthest && p.offset <= kFarthest, "offset must be within 2^61");
}

/// s of the largest distance of the problem.
double largest_scale(const Problem& p) {
  const double first = std::fabs(static_cast<double>(p.offset - p.keys + 1));
  const double last = std::fabs(static_cast<double>(p.offset + p.rows - 1));
  const double distance = std::fmax(first, last);
  return p.law == PhaseLaw::linear ? p.alpha * distance : std::pow(distance, p.alpha);
}

/// The copy engine reads rows of 16-byte units.
bool copy_engine_takes(const void* data, const Strides& s) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && s.batch % 8 == 0 && s.head % 8 == 0 &&
         s.row % 8 == 0;
}

bool hopper_takes(const Problem& p) {
  int device = 0, major = 0, minor = 0;
  require(cudaGetDevice(&device), "device");
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "device");
  const bool dims = (p.head_dim == 64 || p.head_dim == 128 || p.head_dim == 256) &&
                    p.amplitude_dim % (p.head_dim / 4) == 0;
  return major == 9 && minor == 0 && dims && p.keys > 0 &&
         copy_engine_takes(p.query, p.query_strides) && copy_engine_takes(p.key, p.key_strides) &&
         copy_engine_takes(p.value, p.value_strides) && copy_engine_takes(p.out, p.out_strides);
}

template <class Element>
void forward_hopper(const Problem& p, void* workspace, cudaStream_t stream) {
  const Reduction reduction =
      largest_scale(p) <= kLargestScaleInRadians ? Reduction::radians : Reduction::turns;
  if (p.head_dim == 64) return launch_hopper<Element, 64>(p, reduction, workspace, stream);
  if (p.head_dim == 128) return launch_hopper<Element, 128>(p, reduction, workspace, stream);
  return launch_hopper<Element, 256>(p, reduction, workspace, stream);
}

}  // namespace

std::size_t workspace_bytes(const Problem& problem) {
  validate(problem);
  return Workspace(problem, nullptr).bytes();
}

void forward(const Problem& problem, void* workspace, cudaStream_t stream) {
  validate(problem);
  if (problem.rows == 0) return;
  accept(problem.query != nullptr && problem.out != nullptr && workspace != nullptr &&
             (problem.keys == 0 || (problem.key != nullptr && problem.value != nullptr)),
         "query, key, value, out and workspace must not be null");
  if (!hopper_takes(problem)) return launch_portable(problem, workspace, stream);
  if (problem.precision == Precision::bf16)
    forward_hopper<__nv_bfloat16>(problem, workspace, stream);
  else
    forward_hopper<__half>(problem, workspace, stream);
}

}  // namespace tapalab::attention
