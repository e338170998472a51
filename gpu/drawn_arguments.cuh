// What the kernels that know every score and every density read beside the other arguments.
#pragma once

#include <cstdint>

#include "sim/draw_tables.hpp"
#include "sim/pair_scores.hpp"

namespace tapalab::gpu {

struct DrawnArguments {
  DrawView draw;
  PhaseView phase;
  RotaryView rotary;
  const SinCos<double>* angles;  ///< rotary: [d * kRotaryDistances + i]
  /// Room for the coordinates of the samples in work: [block][coordinate][thread]; null where
  /// each coordinate is made where it is used.
  double* scratch;
  std::uint64_t distance;  ///< of token pairs at a distance
  bool single;             ///< normals in float
};

}  // namespace tapalab::gpu
