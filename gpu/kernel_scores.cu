#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu/cuda_error.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/kernel_scores.hpp"
#include "sim/elementary.hpp"

namespace tapalab::gpu {
namespace {

constexpr int kKernelThreads = 128;

// Arithmetic of one format on its values, which are held in doubles. The format is the same for a
// whole launch, so that the branches are uniform.
struct Native {
  FloatFormat format;

  static __device__ __nv_bfloat16 brain(double x) { return __double2bfloat16(x); }
  static __device__ __half half(double x) { return __double2half(x); }
  static __device__ double value(__nv_bfloat16 x) { return double{__bfloat162float(x)}; }
  static __device__ double value(__half x) { return double{__half2float(x)}; }

  __device__ double convert(double x) const {
    switch (format) {
      case FloatFormat::bf16:
        return value(brain(x));
      case FloatFormat::f16:
        return value(half(x));
      case FloatFormat::f32:
        return double{__double2float_rn(x)};
      default:
        return x;
    }
  }
  __device__ double integer(std::uint64_t n) const {
    switch (format) {
      case FloatFormat::bf16:
        return value(__ull2bfloat16_rn(n));
      case FloatFormat::f16:
        return value(__ull2half_rn(n));
      case FloatFormat::f32:
        return double{__ull2float_rn(n)};
      default:
        return __ull2double_rn(n);
    }
  }
  __device__ double multiply(double a, double b) const {
    switch (format) {
      case FloatFormat::bf16:
        return value(__hmul_rn(brain(a), brain(b)));
      case FloatFormat::f16:
        return value(__hmul_rn(half(a), half(b)));
      case FloatFormat::f32:
        return double{__fmul_rn(static_cast<float>(a), static_cast<float>(b))};
      default:
        return __dmul_rn(a, b);
    }
  }
  __device__ double add(double a, double b) const {
    switch (format) {
      case FloatFormat::bf16:
        return value(__hadd_rn(brain(a), brain(b)));
      case FloatFormat::f16:
        return value(__hadd_rn(half(a), half(b)));
      case FloatFormat::f32:
        return double{__fadd_rn(static_cast<float>(a), static_cast<float>(b))};
      default:
        return __dadd_rn(a, b);
    }
  }
  __device__ double fused(double a, double b, double c) const {
    switch (format) {
      case FloatFormat::bf16:
        return value(__hfma(brain(a), brain(b), brain(c)));
      case FloatFormat::f16:
        return value(__hfma(half(a), half(b), half(c)));
      case FloatFormat::f32:
        return double{
            __fmaf_rn(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))};
      default:
        return __fma_rn(a, b, c);
    }
  }
};

// The trigonometric format's cosine: the shared function in float, or in double for fp64.
__device__ double cosine_of_turns(FloatFormat format, double turns) {
  if (format == FloatFormat::f64) return cos_2pi(turns);
  return Native{format}.convert(double{cos_2pi(static_cast<float>(turns))});
}

struct RowView {
  KernelFormats formats;
  std::uint32_t head_dim;
  std::size_t count;
  const double *q, *k;
};

__global__ void phase_score_kernel(RowView rows, std::uint32_t amplitude_dim, bool linear,
                                   double amplitude_factor, double phase_factor, double scale,
                                   double* scores, double* cosines, double* turns_out) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows.count) return;
  const double *q = rows.q + row * rows.head_dim, *k = rows.k + row * rows.head_dim;
  const Native accum{rows.formats.accum}, phase{rows.formats.phase}, trig{rows.formats.trig};
  double a = 0, phi = 0, keys = 0;
  for (std::uint32_t i = 0; i < amplitude_dim; ++i) a = accum.fused(q[i], k[i], a);
  for (std::uint32_t i = amplitude_dim; i < rows.head_dim; ++i) {
    if (linear) {
      phi = accum.add(phi, q[i]);
      keys = accum.add(keys, k[i]);
    } else {
      phi = accum.fused(q[i], k[i], phi);
    }
  }
  if (linear) phi = accum.add(phi, keys);
  const double amplitude = accum.multiply(a, amplitude_factor);
  const double turns = phase.multiply(scale, phase.convert(accum.multiply(phi, phase_factor)));
  const double reduced = trig.convert(turns - round_even(turns));
  const double cosine = accum.convert(cosine_of_turns(rows.formats.trig, reduced));
  cosines[row] = cosine;
  turns_out[row] = reduced;
  scores[row] = accum.multiply(amplitude, cosine);
}

// cos and sin of both positions, pair by pair: the query's first.
__global__ void rotary_table_kernel(KernelFormats formats, const RotaryBatch::Pair* pairs,
                                    std::uint32_t count, std::uint64_t query_position,
                                    std::uint64_t key_position, double* cosines, double* sines,
                                    double* angles) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * count) return;
  const RotaryBatch::Pair pair = pairs[i % count];
  const Native phase{formats.phase}, table{formats.table}, trig{formats.trig};
  const double angle =
      phase.multiply(phase.integer(i < count ? query_position : key_position), pair.frequency);
  // The library reduces its argument by 2 pi of as many bits as that takes.
  const double reduced = trig.convert(fabs(angle) > 3.14 ? atan2(sin(angle), cos(angle)) : angle);
  angles[i] = reduced;
  const bool wide = formats.trig == FloatFormat::f64;
  const auto stored = [&](double exact) {
    double value = trig.convert(exact);
    if (pair.factor != 1) value = trig.multiply(value, pair.factor);
    return table.convert(value);
  };
  cosines[i] = stored(wide ? cos(reduced) : double{cosf(static_cast<float>(reduced))});
  sines[i] = stored(wide ? sin(reduced) : double{sinf(static_cast<float>(reduced))});
}

__global__ void rotary_score_kernel(RowView rows, const RotaryBatch::Pair* pairs,
                                    std::uint32_t count, const double* cosines, const double* sines,
                                    double scale, double* rotated, double* scores) {
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= rows.count) return;
  const Native accum{rows.formats.accum}, io{rows.formats.io};
  double* x[2] = {rotated + 2 * row * rows.head_dim, rotated + (2 * row + 1) * rows.head_dim};
  for (std::uint32_t side = 0; side < 2; ++side) {
    const double* source = (side == 0 ? rows.q : rows.k) + row * rows.head_dim;
    for (std::uint32_t i = 0; i < rows.head_dim; ++i) x[side][i] = source[i];
    for (std::uint32_t p = 0; p < count; ++p) {
      const double c = cosines[side * count + p], s = sines[side * count + p];
      const double first = source[pairs[p].first], second = source[pairs[p].second];
      x[side][pairs[p].first] = io.convert(accum.fused(first, c, accum.multiply(-second, s)));
      x[side][pairs[p].second] = io.convert(accum.fused(second, c, accum.multiply(first, s)));
    }
  }
  double sum = 0;
  for (std::uint32_t i = 0; i < rows.head_dim; ++i) sum = accum.fused(x[0][i], x[1][i], sum);
  scores[row] = accum.multiply(sum, scale);
}

unsigned blocks_for(std::size_t threads) {
  return static_cast<unsigned>((threads + kKernelThreads - 1) / kKernelThreads);
}

struct DeviceRows {
  explicit DeviceRows(const KernelRows& rows)
      : q(rows.count * rows.head_dim),
        k(rows.count * rows.head_dim),
        view{rows.formats, rows.head_dim, rows.count, q.data(), k.data()} {
    q.upload(rows.q, q.size());
    k.upload(rows.k, k.size());
  }
  DeviceBuffer<double> q, k;
  RowView view;
};

std::vector<double> downloaded(const DeviceBuffer<double>& buffer) {
  std::vector<double> values(buffer.size());
  buffer.download(values.data(), values.size());
  return values;
}

}  // namespace

PhaseOutputs phase_scores(const PhaseBatch& batch) {
  if (batch.rows.count == 0) return {};
  const DeviceRows rows(batch.rows);
  DeviceBuffer<double> scores(batch.rows.count), cosines(batch.rows.count), turns(batch.rows.count);
  phase_score_kernel<<<blocks_for(batch.rows.count), kKernelThreads>>>(
      rows.view, batch.amplitude_dim, batch.linear, batch.amplitude_factor, batch.phase_factor,
      batch.scale, scores.data(), cosines.data(), turns.data());
  check(cudaGetLastError(), "launching the kernel of phase scores");
  return {downloaded(scores), downloaded(cosines), downloaded(turns)};
}

RotaryOutputs rotary_scores(const RotaryBatch& batch) {
  if (batch.rows.count == 0) return {};
  const DeviceRows rows(batch.rows);
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  const DeviceBuffer<RotaryBatch::Pair> pairs(batch.pairs);
  DeviceBuffer<double> scores(batch.rows.count), cosines(2 * std::size_t{count}),
      sines(2 * std::size_t{count}), angles(2 * std::size_t{count}),
      rotated(2 * batch.rows.count * batch.rows.head_dim);
  if (count > 0) {
    rotary_table_kernel<<<blocks_for(2 * std::size_t{count}), kKernelThreads>>>(
        batch.rows.formats, pairs.data(), count, batch.query_position, batch.key_position,
        cosines.data(), sines.data(), angles.data());
    check(cudaGetLastError(), "launching the kernel of rotary tables");
  }
  rotary_score_kernel<<<blocks_for(batch.rows.count), kKernelThreads>>>(
      rows.view, pairs.data(), count, cosines.data(), sines.data(), batch.scale, rotated.data(),
      scores.data());
  check(cudaGetLastError(), "launching the kernel of rotary scores");
  return {downloaded(scores), downloaded(cosines), downloaded(sines), downloaded(angles)};
}

}  // namespace tapalab::gpu
