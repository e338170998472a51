// Where samples of (query, key) come from, as the sampling loop sees it: kLanes of them at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "sim/arranged_source.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density.hpp"
#include "sim/draw_tables.hpp"
#include "sim/gaussian_sampler.hpp"
#include "sim/normal_lanes.hpp"

namespace tapalab {

/// Puts component `root` of x = mean + L z at the end of the tables (sim/draw_tables.hpp).
void add_root(const SparseRoot& root, DrawTables& tables);

/// Sample i is L z_i + mean with the normals z_i of the stream `gaussian`, or with those of the
/// stream `gaussian_single`, which take a quarter of the time and have 24 bits each: enough where
/// phases are of few turns (sim/monte_carlo.hpp).
class GaussianSource {
 public:
  GaussianSource(const GaussianModel& model, std::uint64_t seed);
  void lanes(const BlockKernels& kernels, std::uint64_t first, double* x) const {
    kernels.gaussian_lanes(root_, key_, first, x);
  }
  /// The mirror images of those samples (sim/arranged_source.hpp).
  void mirrored_lanes(std::uint64_t first, double* x) const {
    reflected_gaussian_lanes(root_, key_, first, root_.mean.size() / 2, x);
  }
  /// `z` is room for single_normals() floats; kLanes divides `first`.
  void single_lanes(const NormalKernels& kernels, std::uint64_t first, float* z, double* x,
                    bool mirrored = false) const {
    single_draw(kernels, first, mirrored, z);
    kernels.rows(root_, z, x);
  }
  /// Amplitude and phi of those samples.
  void single_features(const NormalKernels& kernels, const PhaseTables& tables, std::uint64_t first,
                       float* z, double* amplitude, double* phi, bool mirrored = false) const {
    single_draw(kernels, first, mirrored, z);
    kernels.features(root_, tables, z, amplitude, phi);
  }
  std::size_t single_normals() const { return std::size_t{4} * single_draws() * kLanes; }
  DrawTables tables() const;

 private:
  std::uint32_t single_draws() const {
    return static_cast<std::uint32_t>((root_.mean.size() + 3) / 4);
  }
  void single_draw(const NormalKernels& kernels, std::uint64_t first, bool mirrored,
                   float* z) const {
    kernels.single(key_, first, single_draws(), z);
    if (!mirrored) return;
    const std::size_t size = root_.mean.size() * kLanes;
    for (std::size_t i = size / 2; i < size; ++i) z[i] = -z[i];
  }

  SparseRoot root_;
  PhiloxKey key_;
};

/// Sample i is a pair of tokens drawn with replacement (sim/token_pairs.hpp), shuffled ones by
/// shuffled_partner(tokens, kPairingSeed). With a bandwidth h, h z is added, z the normals of the
/// stream `gaussian`.
class TokenSource {
 public:
  /// Throws InputError for an empty table or one of 2^32 tokens or more.
  TokenSource(const EmpiricalDensity& density, std::uint64_t seed);

  /// True where every distance has pairs, and so draws, of its own.
  bool per_distance() const { return rule_ == TokenRule::at_distance; }
  /// False for at_distance and a distance of at least the number of tokens.
  bool has_pairs(std::uint64_t distance) const;
  /// `distance` matters for at_distance alone.
  void lanes(std::uint64_t first, std::uint64_t distance, double* x) const;
  DrawTables tables() const;

 private:
  TokenPair pair(std::uint64_t sample, std::uint64_t distance) const;

  std::shared_ptr<const TokenTable> table_;
  TokenRule rule_;
  PhiloxKey key_;
  std::vector<std::uint32_t> partner_;
  SparseRoot blur_;  ///< h times the identity; empty where h = 0
};

}  // namespace tapalab
