// The task of one curve by the engine ball, for its tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proofs-check/ball_curve.hpp"

namespace tapalab {

inline CurveTask ball_task(const std::string& encoding, const std::string& density,
                           std::uint32_t head_dim, std::vector<std::uint64_t> distances) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances.distances = std::move(distances);
  task.engine = Engine::ball;
  task.certify = ball_curve;
  return task;
}

}  // namespace tapalab
