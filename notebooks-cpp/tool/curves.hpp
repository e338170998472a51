// What most notebooks do with curves.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/curve_task.hpp"
#include "analysis/intervals.hpp"

namespace tapalab::notebook {

/// The same task, sampled: the engine mc with this many samples and this level of its intervals.
CurveTask sampled(CurveTask task, std::uint64_t samples, double confidence, std::uint64_t seed = 1);

/// "8.091e-18 ± 2.1e-33".
std::string with_error(const Quantity& quantity, int digits = 4);

/// The point at a distance. Throws std::out_of_range where the curve has none.
const CurvePoint& point_at(const DistanceCurve& curve, std::uint64_t distance);

}  // namespace tapalab::notebook
