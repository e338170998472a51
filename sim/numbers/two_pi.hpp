#pragma once

#include <numbers>

namespace tapalab {

/// Radians in a turn, to the nearest double.
inline constexpr double kTwoPi = 2 * std::numbers::pi;

}  // namespace tapalab
