#include "analysis/pair_draws.hpp"

#include <omp.h>

#include "sim/block_kernels.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/monte_carlo.hpp"

namespace tapalab {
namespace {

DensitySource make_source(const Encoding& encoding, const Density& density, std::uint32_t head_dim,
                          std::uint64_t seed) {
  const std::uint32_t dictated = dictated_head_dim(density.law);
  if (dictated != 0 && dictated != head_dim)
    throw InputError("--head-dim: " + std::to_string(head_dim) + ", but the density has " +
                     std::to_string(dictated) + "; accepted: " + std::to_string(dictated));
  const auto* tokens = std::get_if<EmpiricalDensity>(&density.law);
  if (tokens != nullptr && tokens->pairs == PairRule::at_distance)
    throw InputError(
        "density empirical: pairs=at-distance ties each pair to one distance; accepted here: all, "
        "causal, shuffled");
  return make_density_source(density.law, encoding, head_dim, seed);
}

}  // namespace

struct PairDraws::Source {
  DensitySource any;
};

PairDraws::PairDraws(const Encoding& encoding, const Density& density, std::uint32_t head_dim,
                     std::uint64_t seed)
    : head_dim_(head_dim),
      source_(
          std::make_unique<const Source>(Source{make_source(encoding, density, head_dim, seed)})) {}
PairDraws::~PairDraws() = default;
PairDraws::PairDraws(PairDraws&&) noexcept = default;
PairDraws& PairDraws::operator=(PairDraws&&) noexcept = default;

void PairDraws::lanes(std::uint64_t first, double* x) const {
  draw_lanes(source_->any, block_kernels(simd_level()), first, 0, x);
}

void check_phases_resolved(const Encoding& encoding, const Density& density, std::uint32_t head_dim,
                           const std::vector<std::uint64_t>& distances) {
  // its constructor refuses
  ScoreSampler(lower(encoding, head_dim), density.law, encoding, distances, 0);
}

PhaseSamples draw_phase_samples(const PhaseTables& tables, const PairDraws& draws,
                                std::uint64_t count, unsigned threads) {
  const auto groups = static_cast<std::int64_t>((count + kLanes - 1) / kLanes);
  PhaseSamples samples;
  samples.amplitude.resize(static_cast<std::size_t>(groups) * kLanes);
  samples.phi.resize(samples.amplitude.size());
  const BlockKernels& kernels = block_kernels(simd_level());
  const int workers = threads != 0 ? static_cast<int>(threads) : omp_get_max_threads();
#pragma omp parallel num_threads(workers)
  {
    std::vector<double> x(2 * std::size_t{draws.head_dim()} * kLanes);
#pragma omp for schedule(static)
    for (std::int64_t group = 0; group < groups; ++group) {
      const auto first = static_cast<std::size_t>(group) * kLanes;
      draws.lanes(first, x.data());
      kernels.phase_features(tables, x.data(), samples.amplitude.data() + first,
                             samples.phi.data() + first);
    }
  }
  samples.amplitude.resize(count);
  samples.phi.resize(count);
  return samples;
}

}  // namespace tapalab
