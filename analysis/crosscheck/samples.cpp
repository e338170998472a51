#include "analysis/crosscheck/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/rounding.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

DensitySource make_source(const Density& density, const Encoding& encoding, std::uint32_t head_dim,
                          std::uint64_t seed) {
  const auto* tokens = std::get_if<EmpiricalDensity>(&density.law);
  if (tokens != nullptr && tokens->pairs == PairRule::at_distance) {
    throw InputError(
        "crosscheck: pairs=at-distance has other pairs at each distance; accepted: all, causal, "
        "shuffled");
  }
  return make_density_source(density.law, encoding, head_dim, seed);
}

}  // namespace

struct PairDrawer::Source {
  DensitySource source;
  std::uint32_t head_dim;
  FloatFormat io;
  std::string spec;
};

PairDrawer::PairDrawer(const Density& density, const Encoding& encoding, std::uint32_t head_dim,
                       std::uint64_t seed, FloatFormat io)
    : source_(
          new Source{make_source(density, encoding, head_dim, seed), head_dim, io, density.spec}) {}

PairDrawer::~PairDrawer() = default;

PairSamples PairDrawer::draw(std::uint64_t first, std::size_t count) const {
  const std::size_t dim = source_->head_dim;
  PairSamples samples{source_->head_dim, count, std::vector<double>(count * dim),
                      std::vector<double>(count * dim)};
  const BlockKernels& kernels = block_kernels(simd_level());
  std::vector<double> x(2 * dim * kLanes);
  for (std::size_t begin = 0; begin < count; begin += kLanes) {
    if (begin % (32 * kLanes) == 0) throw_if_interrupted();
    draw_lanes(source_->source, kernels, first + begin, 0, x.data());
    const std::size_t lanes = std::min<std::size_t>(kLanes, count - begin);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t c = 0; c < 2 * dim; ++c) {
        const double value = round_to(source_->io, x[c * kLanes + lane]);
        if (!std::isfinite(value)) {
          throw InputError(fmt::format(
              "density {}: draw {} holds {}, out of the range of {}; accepted: a density "
              "within it, or a wider --io",
              source_->spec, first + begin + lane, x[c * kLanes + lane],
              precision_name(source_->io)));
        }
        (c < dim ? samples.q : samples.k)[(begin + lane) * dim + c % dim] = value;
      }
    }
  }
  return samples;
}

}  // namespace tapalab
