// Bounds on the error of a score, by the stage of the kernel that made it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "analysis/crosscheck/rounding.hpp"

namespace tapalab {

enum class Stage : unsigned {
  scale,         ///< TAPA: s(distance). Rotary: inverse frequencies
  phase,         ///< TAPA: phi to the phase type, s phi. Rotary: positions, position * frequency
  reduction,     ///< the fraction of a turn, in the type of the trigonometric function
  cosine,        ///< cosines and sines, and their tables
  accumulation,  ///< products and sums of dot products, and the logit's factors
  softmax,       ///< exponentials, weights and the weighted sum of values
  output,        ///< what is stored in the io type: rotated vectors, outputs
};
inline constexpr std::size_t kStages = 7;
inline constexpr std::array<std::string_view, kStages> kStageNames{
    "scale", "phase", "reduction", "cosine", "accumulation", "softmax", "output"};

/// Non-negative absolute errors whose sum bounds the error of a value.
struct Budget {
  std::array<double, kStages> part{};

  double& operator[](Stage stage) { return part[static_cast<unsigned>(stage)]; }
  double operator[](Stage stage) const { return part[static_cast<unsigned>(stage)]; }
  /// Covers the rounding of the bounds' own arithmetic; infinity where a part is no number.
  double total() const {
    double sum = 0;
    for (const double x : part) sum += x;
    return std::isfinite(sum) ? sum * (1 + 1e-12) : std::numeric_limits<double>::infinity();
  }
};

/// One score of a kernel beside the exact one.
struct ScoreSample {
  double value = 0;        ///< the kernel's
  double error = 0;        ///< value less the exact score
  Budget budget;           ///< of |error|; infinite where the kernel left the finite numbers
  double phase_error = 0;  ///< turns, at most 1/2; 1/2 where the phase is not finite
  double phase_bound = 0;  ///< of phase_error, at most 1/2
};

/// What the largest phase error can be at a distance, before any value is known: for horizons.
/// u (1 + u) x covers a rounding of x and of a value that was rounded from x before.
inline double rounding_bound(FloatFormat format, double magnitude) {
  return std::max(unit_roundoff(format) * magnitude, underflow_error(format));
}

}  // namespace tapalab
