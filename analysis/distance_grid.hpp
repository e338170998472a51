// The distances of an experiment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapalab {

/// Integers from 0 to 2^63-1 in the order given.
struct DistanceGrid {
  std::string spec;
  std::vector<std::uint64_t> distances;
};

/// Reads `1,10,1000`, `log:LO:HI:N` (rounded, duplicates dropped), `lin:LO:HI:N`; numbers may be
/// written 2^40 or 2^40-1. Items separated by commas may mix the forms. At most 1e6 distances.
/// Throws InputError.
DistanceGrid parse_distances(std::string_view spec);

}  // namespace tapalab
