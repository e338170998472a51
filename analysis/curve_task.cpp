#include "analysis/curve_task.hpp"

namespace tapalab {

CurveTask curve_task(const std::string& encoding, const std::string& density,
                     std::uint32_t head_dim, const std::string& distances, Engine engine) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances = parse_distances(distances);
  task.engine = engine;
  return task;
}

}  // namespace tapalab
