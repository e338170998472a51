// Philox 4x32-10: random words as a pure function of a counter and a key (Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Host and device.
#pragma once

#include <cstdint>

#include "sim/host_device.hpp"

namespace tapalab {

struct PhiloxCounter {
  std::uint32_t word[4];
};
struct PhiloxKey {
  std::uint32_t word[2];
};
struct PhiloxBlock {
  std::uint32_t word[4];
};

inline constexpr int kPhiloxRounds = 10;

/// Four random words. Known answers: tests/data/philox_kat.txt.
TAPALAB_HD TAPALAB_INLINE PhiloxBlock philox(PhiloxCounter counter, PhiloxKey key) {
  std::uint32_t c0 = counter.word[0], c1 = counter.word[1];
  std::uint32_t c2 = counter.word[2], c3 = counter.word[3];
  std::uint32_t k0 = key.word[0], k1 = key.word[1];
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9;  // the golden ratio
    k1 += 0xBB67AE85;  // sqrt(3) - 1
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace tapalab
