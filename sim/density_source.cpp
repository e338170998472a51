#include "sim/density_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

// A coordinate with fewer than about 30 random bits makes products with no more of them.
bool varies(double mean, double scale) { return scale >= 0x1p-20 * std::abs(mean); }

double largest_modulus(const TokenTable& table) {
  double largest = 0;
  for (const auto* values : {&table.queries, &table.keys}) {
    for (const double value : *values) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

std::vector<bool> random_coordinates(const GaussianModel& model) {
  std::vector<bool> random(model.mean.size(), false);
  for (const auto& term : model.covariance) {
    if (term.row != term.col) continue;
    random[term.row] = varies(static_cast<double>(model.mean[term.row]),
                              static_cast<double>(Wide(sqrt(term.value))));
  }
  return random;
}

std::vector<bool> random_coordinates(const ProductModel& model) {
  std::vector<bool> random;
  for (std::size_t c = 0; c < model.mean.size(); ++c) {
    const Marginal& law = c < model.head_dim ? model.query : model.key;
    // Two values have no random bits, but +-1 are exact.
    random.push_back(law.family == MarginalFamily::rademacher
                         ? model.mean[c] == 0 && model.scale[c] == 1
                         : varies(model.mean[c], model.scale[c]));
  }
  return random;
}

namespace {

struct FindRandom {
  const Encoding& encoding;
  std::uint32_t head_dim;

  std::vector<bool> operator()(const GaussianDensity& law) const {
    return random_coordinates(lower(law, encoding, head_dim));
  }
  std::vector<bool> operator()(const FullGaussianDensity& law) const {
    return random_coordinates(lower(law, head_dim));
  }
  std::vector<bool> operator()(const ProductDensity& law) const {
    return random_coordinates(lower(law, encoding, head_dim));
  }
  std::vector<bool> operator()(const RadialDensity& law) const {
    return random_coordinates(moment_model(law, encoding, head_dim));
  }
  std::vector<bool> operator()(const MixtureDensity& law) const {
    std::vector<bool> all(2 * std::size_t{head_dim}, true);
    for (const WeightedGaussian& component : lower(law, encoding, head_dim)) {
      const std::vector<bool> one = random_coordinates(component.model);
      for (std::size_t c = 0; c < all.size(); ++c) all[c] = all[c] && one[c];
    }
    return all;
  }
  std::vector<bool> operator()(const EmpiricalDensity& law) const {
    if (law.bandwidth.compare(0) == 0 || !law.table) return {};
    return std::vector<bool>(2 * std::size_t{head_dim},
                             varies(largest_modulus(*law.table), law.bandwidth.value()));
  }
};

struct MakeSource {
  const Encoding& encoding;
  std::uint32_t head_dim;
  std::uint64_t seed;

  DensitySource operator()(const GaussianDensity& law) const {
    return GaussianSource(lower(law, encoding, head_dim), seed);
  }
  DensitySource operator()(const FullGaussianDensity& law) const {
    return GaussianSource(lower(law, head_dim), seed);
  }
  DensitySource operator()(const ProductDensity& law) const {
    return ProductSource(lower(law, encoding, head_dim), seed);
  }
  DensitySource operator()(const MixtureDensity& law) const {
    return MixtureSource(lower(law, encoding, head_dim), seed);
  }
  DensitySource operator()(const RadialDensity& law) const {
    return RadialSource(lower(law, encoding, head_dim), seed);
  }
  DensitySource operator()(const EmpiricalDensity& law) const { return TokenSource(law, seed); }
};

struct DrawLanes {
  const BlockKernels& kernels;
  std::uint64_t first, distance;
  double* x;

  void operator()(const GaussianSource& source) const { source.lanes(kernels, first, x); }
  void operator()(const MixtureSource& source) const { source.lanes(kernels, first, x); }
  void operator()(const RadialSource& source) const { source.lanes(kernels, first, x); }
  void operator()(const ProductSource& source) const { source.lanes(first, x); }
  void operator()(const TokenSource& source) const { source.lanes(first, distance, x); }
};

}  // namespace

std::vector<bool> random_coordinates(const DensityLaw& law, const Encoding& encoding,
                                     std::uint32_t head_dim) {
  return std::visit(FindRandom{encoding, head_dim}, law);
}

DensitySource make_density_source(const DensityLaw& law, const Encoding& encoding,
                                  std::uint32_t head_dim, std::uint64_t seed) {
  return std::visit(MakeSource{encoding, head_dim, seed}, law);
}

void draw_lanes(const DensitySource& source, const BlockKernels& kernels, std::uint64_t first,
                std::uint64_t distance, double* x) {
  std::visit(DrawLanes{kernels, first, distance, x}, source);
}

bool has_atoms(const DensityLaw& law) {
  const auto* product = std::get_if<ProductDensity>(&law);
  return product != nullptr && (product->query.family == MarginalFamily::rademacher ||
                                product->key.family == MarginalFamily::rademacher);
}

void require_pairs(const DensitySource& source, const std::vector<std::uint64_t>& distances) {
  const auto* tokens = std::get_if<TokenSource>(&source);
  for (const std::uint64_t distance : distances) {
    if (tokens == nullptr || tokens->has_pairs(distance)) continue;
    throw InputError(
        fmt::format("--distances: no pair of tokens is at distance {}; accepted with "
                    "pairs=at-distance and --engine gpu: less than the number of tokens",
                    distance));
  }
}

DrawTables draw_tables(const DensitySource& source) {
  return std::visit([](const auto& one) { return one.tables(); }, source);
}

}  // namespace tapalab
