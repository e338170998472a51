// Samples of x = (q, k) that are arranged instead of independent: mirrored pairs, and points of
// scrambled Sobol sequences.
#pragma once

#include <cstdint>
#include <variant>

#include "sim/block_kernels.hpp"
#include "sim/gaussian_sampler.hpp"
#include "sim/product_sampler.hpp"
#include "sim/random/sobol.hpp"

namespace tapalab {

/// How the samples of a run lie to each other.
///   independent  sample i is drawn by itself
///   mirrored     sample i is a pair: a draw, and the draw with the part of k that q does not
///                determine reflected at its mean, which has the same law (antithetic)
///   sobol        block b of samples is block b / kSobolReplicas of the points of replica
///                b % kSobolReplicas of a scrambled Sobol sequence
enum class Arrangement { independent, mirrored, sobol };

inline constexpr std::uint32_t kSobolReplicas = 16;
/// Points of a replica have numbers of 32 bits.
inline constexpr std::uint64_t kMostSobolSamples = (std::uint64_t{1} << 32) * kSobolReplicas;

struct SobolPlace {
  std::uint32_t replica;
  std::uint32_t point;
};
/// Of a sample below kMostSobolSamples.
inline SobolPlace sobol_place(std::uint64_t sample) {
  const std::uint64_t block = sample / kBlockSamples;
  return {
      static_cast<std::uint32_t>(block % kSobolReplicas),
      static_cast<std::uint32_t>(block / kSobolReplicas * kBlockSamples + sample % kBlockSamples)};
}

/// x[row * kLanes + lane] = mean[row] + L z of samples first .. first + kLanes - 1, with the
/// normals of BlockKernels::gaussian_lanes, those of coordinates from `reflected` on with the other
/// sign (the number of coordinates: none). The same bits for each vector width.
void reflected_gaussian_lanes(const SparseRoot& root, PhiloxKey key, std::uint64_t first,
                              std::size_t reflected, double* x);

/// Points of scrambled Sobol sequences as samples. Each normal takes one dimension (two of them the
/// radius and angle of Box and Muller); each coordinate of a product law as many as its draw has
/// uniform numbers. Refused tries of bump are tried again with independent numbers.
class SobolSource {
 public:
  SobolSource(SparseRoot root, std::uint64_t seed);
  SobolSource(ProductModel model, std::uint64_t seed);

  /// Samples first .. first + kLanes - 1, below kMostSobolSamples; kLanes divides `first`.
  void lanes(std::uint64_t first, double* x) const;

  /// Dimensions of the sequence that a sample takes.
  std::uint32_t dimensions() const { return dimensions_; }

  struct Product {
    ProductModel model;
    StudentShape query_student, key_student;
  };

 private:
  friend struct SobolLanes;
  std::variant<SparseRoot, Product> law_;
  std::uint64_t seed_;
  std::uint32_t dimensions_;
  SobolReplicas points_;
};

}  // namespace tapalab
