// s(distance) in double, at distances that need not be whole.
#pragma once

#include <cmath>

#include "sim/score_model.hpp"

namespace tapalab {

/// distance^alpha or distance alpha (eq. 9), 0 at 0: relative error below 2^-50 up to 2^63. Sums
/// and fits over many distances take it; scores that must keep their phase take
/// PhaseScore::phase_scale.
struct PhaseScaleDouble {
  double alpha = 0;
  bool linear = false;

  static PhaseScaleDouble of(const PhaseScore& score) {
    return {score.alpha.value(), score.law == PhaseLaw::linear};
  }
  double operator()(double distance) const {
    return linear ? alpha * distance : distance == 0 ? 0.0 : std::pow(distance, alpha);
  }
};

}  // namespace tapalab
