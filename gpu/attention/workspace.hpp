// The parts of the workspace: two counters, then the phase factors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/attention/attention.hpp"

namespace tapalab::attention {

/// factors[i] = s(|i - origin + offset|)/sqrt(dP) for i - origin = m - n. The table reaches one
/// tile past both ends, so that a tile's window never leaves it, and starts at a multiple of 16
/// bytes of every window.
struct Workspace {
  static constexpr std::int64_t kLargestTile = 256;
  static constexpr std::size_t kCounterBytes = 256;

  int* counters;           ///< next tile, finished blocks; zero between launches
  float* factors;          ///< in turns
  float* factors_radians;  ///< the same times 2 pi
  std::int64_t origin, count;

  Workspace(const Problem& problem, void* workspace)
      : counters(static_cast<int*>(workspace)),
        factors(reinterpret_cast<float*>(static_cast<char*>(workspace) + kCounterBytes)),
        origin(round_up(problem.keys) + kLargestTile),
        count(origin + round_up(problem.rows) + kLargestTile) {
    factors_radians = factors + count;
  }

  std::size_t bytes() const { return kCounterBytes + static_cast<std::size_t>(count) * 8; }

 private:
  static std::int64_t round_up(std::int64_t x) {
    return (x + kLargestTile - 1) / kLargestTile * kLargestTile;
  }
};

}  // namespace tapalab::attention
