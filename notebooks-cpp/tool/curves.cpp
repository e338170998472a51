#include "notebooks-cpp/tool/curves.hpp"

#include <algorithm>
#include <stdexcept>

namespace tapalab::notebook {

CurveTask sampled(CurveTask task, std::uint64_t samples, double confidence, std::uint64_t seed) {
  task.engine = Engine::mc;
  task.sampling.samples = samples;
  task.sampling.confidence = confidence;
  task.sampling.seed = seed;
  return task;
}

std::string with_error(const Quantity& quantity, int digits) {
  return quantity.estimate.decimal(digits) + " \u00b1 " +
         quantity.error.absolute.decimal(2, Rounding::up);
}

const CurvePoint& point_at(const DistanceCurve& curve, std::uint64_t distance) {
  const auto found =
      std::find_if(curve.points.begin(), curve.points.end(),
                   [&](const CurvePoint& point) { return point.distance == distance; });
  if (found == curve.points.end()) {
    throw std::out_of_range("no point at distance " + std::to_string(distance));
  }
  return *found;
}

}  // namespace tapalab::notebook
