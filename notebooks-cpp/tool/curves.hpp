// What most notebooks do with curves.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/experiment.hpp"

namespace tapalab::notebook {

/// The task of one curve, by the texts that the command line takes. Throws InputError.
CurveTask curve_task(const std::string& encoding, const std::string& density,
                     std::uint32_t head_dim, const std::string& distances,
                     Engine engine = Engine::automatic);

/// The same task, sampled: the engine mc with this many samples and this level of its intervals.
CurveTask sampled(CurveTask task, std::uint64_t samples, double confidence, std::uint64_t seed = 1);

/// "8.091e-18 ± 2.1e-33".
std::string with_error(const Quantity& quantity, int digits = 4);

/// Whether the intervals of the two have a point in common.
bool overlap(const Quantity& first, const Quantity& second);

/// The point at a distance. Throws std::out_of_range where the curve has none.
const CurvePoint& point_at(const DistanceCurve& curve, std::uint64_t distance);

}  // namespace tapalab::notebook
