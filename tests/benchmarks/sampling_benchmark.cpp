// Normals and TAPA samples a second on one core, beside GSL's ziggurat and the C++ library in the
// same run. Processor time; the medians of the repetitions are the figures to quote:
//   sampling_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
// Two threads and NumPy beside it: scripts/sampling-speed.sh.
#include <benchmark/benchmark.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "sim/block_kernels.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/normal_lanes.hpp"
#include "sim/random/streams.hpp"

using namespace tapalab;

namespace {

constexpr std::uint32_t kNormals = 256;  // of one sample at D = 128

// Normals or samples; one name for all, as tables of comma-separated values need.
void rate(benchmark::State& state, double items) {
  state.counters["items/s"] = benchmark::Counter(items * static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}

void normals_float(benchmark::State& state, SimdLevel level) {
  const NormalKernels& kernels = normal_kernels(level);
  std::vector<float> z(std::size_t{kNormals} * kLanes);
  std::uint64_t first = 0;
  for (auto _ : state) {
    kernels.single(stream_key(1), first, kNormals / 4, z.data());
    benchmark::DoNotOptimize(z.data());
    benchmark::ClobberMemory();
    first += kLanes;
  }
  rate(state, static_cast<double>(z.size()));
}

void normals_double(benchmark::State& state, SimdLevel level) {
  SparseRoot root;
  root.begin = {0};
  for (std::uint32_t c = 0; c < kNormals; ++c) {
    root.mean.push_back(0);
    root.entries.push_back({c, 0, 1.0});
    root.begin.push_back(c + 1);
  }
  const BlockKernels& kernels = block_kernels(level);
  std::vector<double> x(std::size_t{kNormals} * kLanes);
  std::uint64_t first = 0;
  for (auto _ : state) {
    kernels.gaussian_lanes(root, stream_key(1), first, x.data());
    benchmark::DoNotOptimize(x.data());
    benchmark::ClobberMemory();
    first += kLanes;
  }
  rate(state, static_cast<double>(x.size()));
}

void normals_gsl_ziggurat(benchmark::State& state) {
  const std::unique_ptr<gsl_rng, void (*)(gsl_rng*)> rng(gsl_rng_alloc(gsl_rng_mt19937),
                                                         gsl_rng_free);
  std::vector<double> z(4096);
  for (auto _ : state) {
    for (double& value : z) value = gsl_ran_gaussian_ziggurat(rng.get(), 1.0);
    benchmark::DoNotOptimize(z.data());
    benchmark::ClobberMemory();
  }
  rate(state, static_cast<double>(z.size()));
}

void normals_std(benchmark::State& state) {
  std::mt19937_64 rng(1);
  std::normal_distribution<float> normal;
  std::vector<float> z(4096);
  for (auto _ : state) {
    for (float& value : z) value = normal(rng);
    benchmark::DoNotOptimize(z.data());
    benchmark::ClobberMemory();
  }
  rate(state, static_cast<double>(z.size()));
}

std::vector<std::uint64_t> sixteen_distances() {
  std::vector<std::uint64_t> distances;
  for (int i = 0; i < 16; ++i) distances.push_back(std::uint64_t{1} << i);
  return distances;
}

// Samples of TAPA at D = 128, each scored at 16 distances: means, variances, sine and excess parts.
void tapa_samples(benchmark::State& state, unsigned threads,
                  Arrangement arrangement = Arrangement::independent) {
  const Encoding encoding = parse_encoding("tapa");
  const Density density = parse_density("gaussian:rho=0.25");
  const ScoreSampler sampler(lower(encoding, 128),
                             lower(std::get<GaussianDensity>(density.law), encoding, 128),
                             sixteen_distances(), 1, arrangement);
  constexpr std::uint64_t kSamples = 400 * kBlockSamples;
  for (auto _ : state) {
    SamplingState samples;
    sampler.add(0, kSamples, threads, {}, samples);
    benchmark::DoNotOptimize(samples.total().points.data());
  }
  rate(state, static_cast<double>(kSamples));
}

// The same with the tools at hand: GSL's normals, sums and cosines of the C library.
void tapa_samples_gsl(benchmark::State& state) {
  const std::unique_ptr<gsl_rng, void (*)(gsl_rng*)> rng(gsl_rng_alloc(gsl_rng_mt19937),
                                                         gsl_rng_free);
  std::vector<double> scales;
  for (const std::uint64_t distance : sixteen_distances()) {
    scales.push_back(std::pow(static_cast<double>(distance), 0.1) / 8.0);
  }
  std::vector<double> sum(16), square(16);
  for (auto _ : state) {
    double amplitude = 0, phi = 0;
    for (int c = 0; c < 128; ++c) {
      const double q = gsl_ran_gaussian_ziggurat(rng.get(), 1.0);
      const double k = 0.25 * q + std::sqrt(0.9375) * gsl_ran_gaussian_ziggurat(rng.get(), 1.0);
      (c < 64 ? amplitude : phi) += q * k;
    }
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const double score = amplitude / 8.0 * std::cos(6.283185307179586 * scales[i] * phi);
      sum[i] += score;
      square[i] += score * score;
    }
    benchmark::DoNotOptimize(sum.data());
    benchmark::DoNotOptimize(square.data());
  }
  rate(state, 1);
}

}  // namespace

BENCHMARK_CAPTURE(normals_float, widest, simd_level());
BENCHMARK_CAPTURE(normals_float, avx2, SimdLevel::avx2);
BENCHMARK_CAPTURE(normals_double, widest, simd_level());
BENCHMARK(normals_gsl_ziggurat);
BENCHMARK(normals_std);
BENCHMARK_CAPTURE(tapa_samples, one_thread, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tapa_samples, two_threads, 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(tapa_samples, one_thread_real_time, 1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(tapa_samples, antithetic, 1, Arrangement::mirrored)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tapa_samples, qmc, 1, Arrangement::sobol)->Unit(benchmark::kMillisecond);
BENCHMARK(tapa_samples_gsl);

BENCHMARK_MAIN();
