// Distances that break Theorem 2.2 read uniformly, beyond what a scan reaches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proofs-check/rope_gap.hpp"

namespace tapalab {

struct ViolationSearch {
  RopeSetting setting;
  std::uint64_t near_distance = 2;
  std::string bound = "0.125";
  long first_bits = 24;  ///< sizes of distances tried: 2^first_bits .. 2^last_bits
  long last_bits = 240;
  std::uint32_t trials = 6;  ///< targets tried for each lattice
  std::uint64_t seed = 1;
};

/// A distance above the base whose gap to the near distance is certainly below the bound, among the
/// smallest that lattice reduction on the slowest frequencies finds; not the smallest there is.
std::optional<std::string> violation_by_reduction(const ViolationSearch& search);

/// Whether the gap between the two distances (decimals) is certainly below the bound.
bool gap_certainly_below(const RopeSetting& setting, std::uint64_t near_distance,
                         const std::string& distance, const std::string& bound);

}  // namespace tapalab
