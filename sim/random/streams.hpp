// The stream format: which Philox counter serves which random number. Version 1.
//
//   key      = seed: word 0 its low half, word 1 its high half
//   counter  = (sample low, sample high, draw, tag)
//   tag      = version << 24 | stream << 16 | retry
//
// `sample` is the 64-bit number of the sample, so that sample i is the same for any split of the
// work; `draw` counts the blocks of four words within it. Consecutive samples differ in word 0
// alone (aligned runs of up to 2^32 samples), which is what vector code takes as its lanes. `retry`
// counts the words refused by draws from a bounded range. A change of any of this, or of how words
// become numbers (sim/random/normal.hpp, sim/random/bounded.hpp), is a new version.
#pragma once

#include <cstdint>

#include "sim/random/philox.hpp"

namespace tapalab {

inline constexpr std::uint32_t kStreamVersion = 1;

enum class Stream : std::uint32_t {
  gaussian = 1,     ///< normals 2 draw and 2 draw + 1 of a sample of x
  token_pair = 2,   ///< the pair of tokens of a sample; draw is 0, or the distance for at-distance
  shuffle = 3,      ///< step `sample` of the permutation of pairs=shuffled
  product = 4,      ///< coordinate c of a sample of x with independent coordinates: draw 2c, 2c + 1
  distance = 5,     ///< the distances of a sample of score differences: near is draw 0, far draw 1
  conditional = 7,  ///< coordinates 2 draw and 2 draw + 1 of a conditional sample; retry 1: pilot;
                    ///< retry 2: a device's, normals 4 draw .. 4 draw + 3 in float
  retrieval = 8,    ///< distractors of a trial, draw their distance; retry 1: query and needle
  component = 9,    ///< the component of a sample of a mixture: draw 0
  scale = 10,       ///< the random scale of a sample: draws 0 and 1, tries by retry
  gaussian_single = 6,  ///< normals 4 draw .. 4 draw + 3 of a sample of x, in float
  scramble = 11,  ///< the key of dimension `draw` of the replica `sample` of the Sobol sequence
  sobol_rest =
      12,  ///< bits below the scrambled ones of dimensions 2 draw and 2 draw + 1 of a sample
};

TAPALAB_HD TAPALAB_INLINE constexpr std::uint32_t stream_tag(Stream stream,
                                                             std::uint32_t retry = 0) {
  return kStreamVersion << 24 | static_cast<std::uint32_t>(stream) << 16 | retry;
}

TAPALAB_HD TAPALAB_INLINE constexpr PhiloxKey stream_key(std::uint64_t seed) {
  return {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
}

TAPALAB_HD TAPALAB_INLINE constexpr PhiloxCounter stream_counter(std::uint64_t sample,
                                                                 std::uint32_t draw,
                                                                 std::uint32_t tag) {
  return {
      {static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(sample >> 32), draw, tag}};
}

}  // namespace tapalab
