// The source of samples of any density: what every sampler draws from.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "sim/coupled_sampler.hpp"
#include "sim/pair_source.hpp"
#include "sim/product_sampler.hpp"

namespace tapalab {

using DensitySource =
    std::variant<GaussianSource, TokenSource, ProductSource, MixtureSource, RadialSource>;

/// Throws InputError where the density does not fit the encoding or the head dimension.
DensitySource make_density_source(const DensityLaw& law, const Encoding& encoding,
                                  std::uint32_t head_dim, std::uint64_t seed);

/// Samples first .. first + kLanes - 1, kLanes dividing `first`: coordinate c of lane l is
/// x[c * kLanes + l]. Normals are in double. `distance` matters for pairs=at-distance alone.
void draw_lanes(const DensitySource& source, const BlockKernels& kernels, std::uint64_t first,
                std::uint64_t distance, double* x);

/// Throws InputError where pairs=at-distance has none at one of the distances, which a device does
/// not leave out.
void require_pairs(const DensitySource& source, const std::vector<std::uint64_t>& distances);

/// What a device draws the same samples from.
DrawTables draw_tables(const DensitySource& source);

/// Whether each coordinate of q and k has random bits down to its last: those of products of phases
/// of many turns. Empty for the values of a file: exact, whatever their bits.
std::vector<bool> random_coordinates(const DensityLaw& law, const Encoding& encoding,
                                     std::uint32_t head_dim);
std::vector<bool> random_coordinates(const GaussianModel& model);
std::vector<bool> random_coordinates(const ProductModel& model);

/// Whether single values of a coordinate have probabilities of their own: rademacher.
bool has_atoms(const DensityLaw& law);

}  // namespace tapalab
