#include "sim/random/sobol.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>

#include "sim/random/streams.hpp"

namespace tapalab {

SobolReplicas::SobolReplicas(std::uint32_t dimensions, std::uint32_t replicas, std::uint64_t seed)
    : dimensions_(std::min(dimensions, kSobolDimensions)) {
  // Boost's points are in the order of Gray codes, and its sequence begins with the second: number
  // n is the sum of the directions of the bits of Gray(n + 1), and Gray(2^(k+1) - 1) = 2^k.
  boost::random::sobol_engine<std::uint32_t, 32> engine(dimensions_);
  directions_.resize(std::size_t{32} * dimensions_);
  for (unsigned k = 0; k < 32; ++k) {
    engine.seed(static_cast<std::uint32_t>((std::uint64_t{1} << (k + 1)) - 2));
    for (std::uint32_t d = 0; d < dimensions_; ++d) {
      directions_[std::size_t{32} * d + k] = static_cast<std::uint32_t>(engine());
    }
  }
  keys_.reserve(std::size_t{replicas} * dimensions_);
  for (std::uint32_t r = 0; r < replicas; ++r) {
    for (std::uint32_t d = 0; d < dimensions_; ++d) {
      const PhiloxBlock block =
          philox(stream_counter(r, d, stream_tag(Stream::scramble)), stream_key(seed));
      keys_.push_back({block.word[0], block.word[1]});
    }
  }
}

}  // namespace tapalab
