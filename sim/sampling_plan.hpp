// What a ScoreSampler draws and computes, fixed before the first sample. Internal to the sampler.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "sim/arranged_source.hpp"
#include "sim/density_source.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/score_tables.hpp"

namespace tapalab {

/// How the phases at a distance are computed.
enum class Resolution {
  single,  // normals in float, phi a plain sum
  plain,   // normals in double, phi a plain sum
  fine,    // normals in double, phi in two terms
};

using SampleSource = std::variant<GaussianSource, TokenSource, ProductSource, MixtureSource,
                                  RadialSource, SobolSource>;

struct ScoreSampler::Plan {
  std::uint32_t head_dim;
  ScoreTables tables;
  std::vector<std::uint64_t> distances;
  SampleSource source;
  Arrangement arrangement = Arrangement::independent;
  /// Of each distance, by the turns of its phases. What a distance needs does not depend on the
  /// others: where they differ, each kind has its own draws.
  std::vector<Resolution> resolution{};

  bool mirrored() const { return arrangement == Arrangement::mirrored; }
  /// Points of CurveMoments.
  std::size_t points() const {
    return distances.size() * (mirrored()                          ? 2
                               : arrangement == Arrangement::sobol ? std::size_t{kSobolReplicas}
                                                                   : 1);
  }
  bool any(Resolution kind) const {
    return std::find(resolution.begin(), resolution.end(), kind) != resolution.end();
  }
};

}  // namespace tapalab
