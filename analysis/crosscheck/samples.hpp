// Queries and keys in the io type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/density.hpp"
#include "sim/io/float_formats.hpp"

namespace tapalab {

/// Row by row, head_dim values each; every value is one of the io type.
struct PairSamples {
  std::uint32_t head_dim = 0;
  std::size_t count = 0;
  std::vector<double> q, k;
};

/// Draws of a density, those that the sampling engines see.
class PairDrawer {
 public:
  /// Throws InputError for pairs=at-distance and for sizes that do not fit.
  PairDrawer(const Density& density, const Encoding& encoding, std::uint32_t head_dim,
             std::uint64_t seed, FloatFormat io);
  ~PairDrawer();
  PairDrawer(const PairDrawer&) = delete;
  PairDrawer& operator=(const PairDrawer&) = delete;

  /// Draws first .. first + count - 1, each rounded to `io`. Throws InputError where a value leaves
  /// the range of `io`.
  PairSamples draw(std::uint64_t first, std::size_t count) const;

 private:
  struct Source;
  std::unique_ptr<const Source> source_;
};

}  // namespace tapalab
