// States of sampling as bytes: what ranks send and checkpoints hold.
#pragma once

#include <string>
#include <string_view>

#include "sim/monte_carlo.hpp"

namespace tapalab {

/// Little-endian: u64 nodes; per node u64 level, u64 index, u64 points; per point u64 count and ten
/// doubles (score mean, m2, m3, m4; sine mean, m2, cross; excess mean, m2, cross), bit for bit.
std::string to_bytes(const SamplingState& state);

/// Throws std::invalid_argument for bytes that to_bytes did not write.
SamplingState state_from_bytes(std::string_view bytes);

/// 64-bit FNV-1a: one changed byte always changes it.
std::uint64_t checksum(std::string_view bytes);

}  // namespace tapalab
