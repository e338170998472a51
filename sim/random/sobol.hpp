// Replicas of the Sobol sequence under nested uniform (Owen) scrambling.
//
// Direction numbers are those of Joe and Kuo (SIAM J. Sci. Comput. 30 (2008)), from Boost.Random.
// Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences" (1995): bit k of a coordinate is
// flipped by a random bit that belongs to the k bits above it. Each point is then uniform, and any
// 2^m consecutive points from a multiple of 2^m are a net of the quality of the sequence's own.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/random/philox.hpp"

namespace tapalab {

/// Bits of a coordinate that are scrambled with memory. Points that agree in so many bits would
/// have the same further flips: the bits below are independent instead, which is the same law for
/// the first 2^24 points of a replica.
inline constexpr unsigned kScrambledBits = 24;
/// Dimensions of the table; further ones are independent random numbers.
inline constexpr std::uint32_t kSobolDimensions = 3667;

class SobolReplicas {
 public:
  /// Keys of every replica and dimension from the stream `scramble` of the seed.
  SobolReplicas(std::uint32_t dimensions, std::uint32_t replicas, std::uint64_t seed);

  /// At most kSobolDimensions.
  std::uint32_t dimensions() const { return dimensions_; }

  struct Key {
    std::uint32_t first, second;
  };
  Key key(std::uint32_t replica, std::uint32_t dimension) const {
    return keys_[std::size_t{replica} * dimensions_ + dimension];
  }
  /// Bit k of the point's number adds direction(dimension)[k]; most significant bit first.
  const std::uint32_t* direction(std::uint32_t dimension) const {
    return directions_.data() + std::size_t{32} * dimension;
  }

 private:
  std::uint32_t dimensions_;
  std::vector<std::uint32_t> directions_;
  std::vector<Key> keys_;
};

namespace detail {

// A bijection of 32 bits that mixes well (C. Wellons, "lowbias32", bias 0.17).
TAPALAB_HD TAPALAB_INLINE std::uint32_t mixed(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x7FEB352Du;
  h ^= h >> 15;
  h *= 0x846CA68Bu;
  return h ^ (h >> 16);
}

}  // namespace detail

/// Coordinates `word` (of 32 bits, the most significant first) with their upper kScrambledBits
/// flipped as the key says; the bits below are as in `low`. The result takes the place of `low`.
template <int Lanes>
TAPALAB_HD TAPALAB_INLINE void owen_scramble(const std::uint32_t* word, SobolReplicas::Key key,
                                             std::uint32_t* low) {
  std::uint32_t flips[Lanes] = {};
  for (unsigned k = 0; k < kScrambledBits; ++k) {
    for (int lane = 0; lane < Lanes; ++lane) {
      // The node of the binary tree that the k bits above lead to, numbered from 1.
      const std::uint32_t node = 1u << k | (word[lane] >> 1) >> (31 - k);
      const std::uint32_t random = detail::mixed(detail::mixed(node ^ key.first) + key.second);
      flips[lane] |= (random & 0x80000000u) >> k;
    }
  }
  constexpr std::uint32_t rest = 0xFFFFFFFFu >> kScrambledBits;
  for (int lane = 0; lane < Lanes; ++lane) {
    low[lane] = ((word[lane] ^ flips[lane]) & ~rest) | (low[lane] & rest);
  }
}

}  // namespace tapalab
