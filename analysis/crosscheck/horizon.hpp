// The largest distance up to which something that grows stays within a limit.
#pragma once

#include <cstdint>
#include <functional>

#include "analysis/crosscheck/scores.hpp"

namespace tapalab {

/// `bound` must not decrease from distance 1 to 2^63-1. By doubling, then bisection.
Horizon find_horizon(double turns, const std::function<double(std::uint64_t)>& bound);

}  // namespace tapalab
