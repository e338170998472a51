// Philox blocks of one sample after another draw: what depends on the draw alone stands in a table
// in shared memory, what depends on the sample alone in registers, so that the first two of the ten
// rounds cost two instructions.
#pragma once

#include "sim/random/philox.hpp"

namespace tapalab::gpu {

/// The keys of the ten rounds, in constant memory as a kernel argument.
struct RoundKeys {
  std::uint32_t word[kPhiloxRounds][2];
};

inline RoundKeys round_keys(PhiloxKey key) {
  RoundKeys keys;
  for (int round = 0; round < kPhiloxRounds; ++round) {
    keys.word[round][0] = key.word[0] + static_cast<std::uint32_t>(round) * 0x9E3779B9u;
    keys.word[round][1] = key.word[1] + static_cast<std::uint32_t>(round) * 0xBB67AE85u;
  }
  return keys;
}

struct ProductWords {
  std::uint32_t high, low;
};
__device__ __forceinline__ ProductWords wide_product(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

inline constexpr std::uint32_t kPhiloxM0 = 0xD2511F53u, kPhiloxM1 = 0xCD9E8D57u;

/// What rounds 1 and 2 of the block (sample, draw, tag) take from the draw and the upper half of
/// the sample's number.
__device__ __forceinline__ uint3 draw_words(const RoundKeys& keys, std::uint32_t draw,
                                            std::uint32_t sample_high) {
  const ProductWords first = wide_product(kPhiloxM1, draw);
  const ProductWords second = wide_product(kPhiloxM0, first.high ^ sample_high ^ keys.word[0][0]);
  return make_uint3(first.low ^ keys.word[1][0], second.high ^ keys.word[1][1], second.low);
}

/// One sample's blocks.
class SamplePhilox {
 public:
  __device__ __forceinline__ SamplePhilox(const RoundKeys& keys, std::uint32_t sample_low,
                                          std::uint32_t tag) {
    const ProductWords first = wide_product(kPhiloxM0, sample_low);
    const ProductWords second = wide_product(kPhiloxM1, first.high ^ tag ^ keys.word[0][1]);
    high_ = second.high;
    low_ = second.low;
    first_low_ = first.low;
  }

  __device__ __forceinline__ PhiloxBlock block(const RoundKeys& keys, uint3 draw) const {
    std::uint32_t c0 = high_ ^ draw.x, c1 = low_, c2 = first_low_ ^ draw.y, c3 = draw.z;
#pragma unroll
    for (int round = 2; round < kPhiloxRounds; ++round) {
      const ProductWords p0 = wide_product(kPhiloxM0, c0), p1 = wide_product(kPhiloxM1, c2);
      c0 = p1.high ^ c1 ^ keys.word[round][0];
      c1 = p1.low;
      c2 = p0.high ^ c3 ^ keys.word[round][1];
      c3 = p0.low;
    }
    return {{c0, c1, c2, c3}};
  }

 private:
  std::uint32_t high_, low_, first_low_;
};

}  // namespace tapalab::gpu
