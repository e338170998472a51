#include "sim/random/permutation.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/random/bounded.hpp"

namespace tapalab {

std::vector<std::uint32_t> shuffled_partner(std::size_t tokens, std::uint64_t seed) {
  if (tokens > std::size_t{std::numeric_limits<std::uint32_t>::max()} + 1) {
    throw std::length_error("shuffled_partner: more than 2^32 tokens");
  }
  std::vector<std::uint32_t> partner(tokens);
  std::iota(partner.begin(), partner.end(), std::uint32_t{0});
  const PhiloxKey key = stream_key(seed);
  for (std::size_t last = tokens; last-- > 1;) {
    const std::uint64_t chosen = bounded_uniform(last + 1, last, 0, Stream::shuffle, key);
    std::swap(partner[last], partner[chosen]);
  }
  return partner;
}

}  // namespace tapalab
