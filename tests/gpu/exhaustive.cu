#include <cmath>
#include <vector>

#include "exhaustive.hpp"
#include "gpu/attention/phase.cuh"
#include "gpu/attention/softmax.cuh"
#include "gpu/cuda_error.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/fast_normal.cuh"
#include "sim/elementary.hpp"
#include "sim/score.hpp"

namespace tapalab::gpu {
namespace {

constexpr int kBlocks = 1056, kBlockThreads = 256;
constexpr std::size_t kWorkers = std::size_t{kBlocks} * kBlockThreads;

__device__ void note(LargestError& largest, double error, float at) {
  if (error > largest.error || error != error) largest = {error, at};
}

LargestError worse(const LargestError& a, const LargestError& b) {
  return b.error > a.error || std::isnan(b.error) ? b : a;
}

// Runs one thread's share of the work on each worker; their results, in order.
template <class Result>
std::vector<Result> on_workers(void (*kernel)(Result*)) {
  DeviceBuffer<Result> buffer(kWorkers);
  kernel<<<kBlocks, kBlockThreads>>>(buffer.data());
  check(cudaGetLastError(), "launching an exhaustive test");
  std::vector<Result> results(kWorkers);
  buffer.download(results.data(), kWorkers);
  return results;
}

__device__ std::uint64_t worker() {
  return blockIdx.x * std::uint64_t{kBlockThreads} + threadIdx.x;
}

// Calls `use` with the floats low, low + 1 unit, ... , high of equal sign that are this worker's.
template <class Use>
__device__ void for_floats(float low, float high, Use use) {
  const std::uint64_t end = detail::bits_of(high);
  for (std::uint64_t bits = detail::bits_of(low) + worker(); bits <= end; bits += kWorkers) {
    use(detail::from_bits(static_cast<std::uint32_t>(bits)));
  }
}

__global__ void cosine_kernel(CosineErrors* results) {
  CosineErrors errors;
  const auto measure = [&](float x) {
    const SinCos<double> exact = sincos_2pi(double{x});
    const SinCos<float> wave = sincos_2pi(x);
    note(errors.sine, fabs(wave.sin - exact.sin), x);
    note(errors.cosine, fabs(wave.cos - exact.cos), x);
    note(errors.special, fabs(attention::cos_turns_special(x) - exact.cos), x);
    note(errors.polynomial, fabs(attention::cos_turns_polynomial(x) - exact.cos), x);
    errors.sum_of_bits += std::uint64_t{detail::bits_of(wave.sin)} + detail::bits_of(wave.cos);
  };
  for_floats(0.0f, 0.5f, measure);
  for_floats(-0.0f, -0.5f, measure);
  results[worker()] = errors;
}

__global__ void exponential_kernel(ExponentialErrors* results) {
  ExponentialErrors errors;
  const auto into = [](LargestError& largest) {
    return [&](float x) {
      const double exact = exp2(double{x});
      note(largest, fabs(attention::exp2_approx(x) / exact - 1), x);
    };
  };
  for_floats(0.0f, 0.5f, into(errors.near_zero));
  for_floats(-0.0f, -0.5f, into(errors.near_zero));
  for_floats(0.0f, 6.0f, into(errors.weights));
  for_floats(-0.0f, -126.0f, into(errors.weights));
  results[worker()] = errors;
}

__global__ void far_cosine_kernel(FarCosineErrors* results) {
  FarCosineErrors errors;
  // 1/(2 pi) in two floats
  const TwoTerm<float> turn{0.15915494f, 6.4206383e-9f};
  for (std::uint64_t n = worker(); n < 131072; n += kWorkers) {
    const double exact = cos(static_cast<double>(n));
    const auto x = static_cast<float>(n);
    note(errors.direct, fabs(__cosf(x) - exact), x);
    const float turns = phase_turns<SinglePrecision>(x, turn);
    note(errors.reduced, fabs(attention::cos_turns_special(turns) - exact), x);
  }
  results[worker()] = errors;
}

// Sums over a worker's words, of exact values and of those of FastNormals.
struct NormalSumsOfWords {
  double radius = 0, radius_from_tenth = 0, wave = 0;
  double radius2 = 0, radius4 = 0, exact_radius2 = 0, exact_radius4 = 0;
  double wave2 = 0, wave4 = 0;
  std::uint32_t not_finite = 0;
};

__global__ void normal_kernel(NormalSumsOfWords* results) {
  NormalSumsOfWords sums;
  // A radius alone: at angle word 0 the cosine is that of 2^-33 turns, which is 1.
  for (std::uint64_t n = worker(); n < std::uint64_t{1} << 31; n += kWorkers) {
    const SingleNormalPair pair = FastNormals::pair(static_cast<std::uint32_t>(n << 1), 0);
    const double r = pair.first;
    const double square = -2 * log1p(-((2147483647.0 - static_cast<double>(n)) + 0.5) * 0x1p-31);
    const double exact = sqrt(square), error = fabs(r - exact);
    if (!isfinite(r)) ++sums.not_finite;
    sums.radius = fmax(sums.radius, error);
    if (exact >= 0.1) sums.radius_from_tenth = fmax(sums.radius_from_tenth, error);
    sums.radius2 += r * r;
    sums.radius4 += (r * r) * (r * r);
    sums.exact_radius2 += square;
    sums.exact_radius4 += square * square;
  }
  // An angle alone: radius word 0 has radius sqrt(64 ln 2), divided out.
  const double radius = FastNormals::pair(0, 0).first;
  for (std::uint64_t word = worker(); word < std::uint64_t{1} << 30; word += kWorkers) {
    const SingleNormalPair pair = FastNormals::pair(0, static_cast<std::uint32_t>(word));
    const double c = pair.first / radius, s = pair.second / radius;
    const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) * 4 + 2);
    const SinCos<double> exact = sincos_2pi(static_cast<double>(offset) * 0x1p-34);
    sums.wave = fmax(sums.wave, fmax(fabs(c - exact.cos), fabs(s - exact.sin)));
    sums.wave2 += 0.5 * (c * c + s * s) - 0.5;
    sums.wave4 += 0.5 * ((c * c) * (c * c) + (s * s) * (s * s)) - 0.375;
  }
  results[worker()] = sums;
}

}  // namespace

CosineErrors cosine_errors() {
  CosineErrors all;
  for (const CosineErrors& one : on_workers<CosineErrors>(cosine_kernel)) {
    all.sine = worse(all.sine, one.sine);
    all.cosine = worse(all.cosine, one.cosine);
    all.special = worse(all.special, one.special);
    all.polynomial = worse(all.polynomial, one.polynomial);
    all.sum_of_bits += one.sum_of_bits;
  }
  return all;
}

ExponentialErrors exponential_errors() {
  ExponentialErrors all;
  for (const ExponentialErrors& one : on_workers<ExponentialErrors>(exponential_kernel)) {
    all.near_zero = worse(all.near_zero, one.near_zero);
    all.weights = worse(all.weights, one.weights);
  }
  return all;
}

FarCosineErrors far_cosine_errors() {
  FarCosineErrors all;
  for (const FarCosineErrors& one : on_workers<FarCosineErrors>(far_cosine_kernel)) {
    all.direct = worse(all.direct, one.direct);
    all.reduced = worse(all.reduced, one.reduced);
  }
  return all;
}

NormalErrors normal_errors() {
  NormalErrors all;
  double radius2 = 0, radius4 = 0, exact2 = 0, exact4 = 0, wave2 = 0, wave4 = 0;
  for (const NormalSumsOfWords& one : on_workers<NormalSumsOfWords>(normal_kernel)) {
    all.radius = std::fmax(all.radius, one.radius);
    all.radius_from_tenth = std::fmax(all.radius_from_tenth, one.radius_from_tenth);
    all.wave = std::fmax(all.wave, one.wave);
    all.finite = all.finite && one.not_finite == 0;
    radius2 += one.radius2, radius4 += one.radius4;
    exact2 += one.exact_radius2, exact4 += one.exact_radius4;
    wave2 += one.wave2, wave4 += one.wave4;
  }
  all.square_bias = radius2 / exact2 * (1 + 2 * wave2 * 0x1p-30) - 1;
  all.fourth_bias = radius4 / exact4 * (1 + wave4 * 0x1p-30 / 0.375) - 1;
  all.exact_square = 0.5 * exact2 * 0x1p-31;
  return all;
}

}  // namespace tapalab::gpu
