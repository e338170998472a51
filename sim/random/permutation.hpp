// The one permutation that pairs=shuffled means, shared by the exact sums and the sampling engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tapalab {

/// The seed of that permutation: the pairing is part of the density, not of a run, so that exact
/// and sampled results speak of the same pairs.
inline constexpr std::uint64_t kPairingSeed = 0;

/// A permutation pi of 0 .. tokens-1, a pure function of its arguments (Fisher-Yates over the
/// stream `shuffle` of sim/random/streams.hpp; every permutation equally likely, up to the quality
/// of Philox): query m is paired with key pi(m). tokens <= 2^32. Throws std::length_error above.
std::vector<std::uint32_t> shuffled_partner(std::size_t tokens, std::uint64_t seed);

}  // namespace tapalab
