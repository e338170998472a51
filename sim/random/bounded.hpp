// Uniform integers below a bound, without bias. Host and device.
#pragma once

#include <cstdint>

#include "sim/random/streams.hpp"

namespace tapalab {

/// A uniform integer in [0, bound), bound >= 1: the high word of a 64-bit word times `bound`,
/// refused where the low word shows that a value would be drawn too often (Lemire, ACM TOMACS 29
/// (2019)). Exactly uniform if the words are. A word is refused with probability below bound /
/// 2^64.
TAPALAB_HD inline std::uint64_t bounded_uniform(std::uint64_t bound, std::uint64_t sample,
                                                std::uint32_t draw, Stream stream, PhiloxKey key) {
  __extension__ using Product = unsigned __int128;
  const std::uint64_t threshold = (0 - bound) % bound;  // 2^64 mod bound
  for (std::uint32_t retry = 0;; ++retry) {
    const PhiloxBlock block = philox(stream_counter(sample, draw, stream_tag(stream, retry)), key);
    for (int half = 0; half < 2; ++half) {
      const std::uint64_t word =
          std::uint64_t{block.word[2 * half]} << 32 | block.word[2 * half + 1];
      const Product product = Product{word} * bound;
      if (static_cast<std::uint64_t>(product) >= threshold) {
        return static_cast<std::uint64_t>(product >> 64);
      }
    }
  }
}

}  // namespace tapalab
