// Decay exponents of distance curves, measured and predicted.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/asymptote.hpp"
#include "analysis/distance_curve.hpp"

namespace tapalab {

/// How the sampling errors of different distances hang together. Engines that use one draw of x for
/// all distances correlate them in an unknown way: `unknown` adds their half-widths, which keeps
/// the level whatever the correlation; `independent` adds their squares.
enum class ErrorDependence { unknown, independent };

/// Which points of a curve are used: those with t_min <= t <= t_max, t = 2 pi s/sqrt(dP)
/// (DecayLaw::t_per_scale). Below t = 1 the envelope falls like a Gaussian, not like a power.
struct FitWindow {
  double t_min = 1;
  double t_max = std::numeric_limits<double>::infinity();
  ErrorDependence dependence = ErrorDependence::unknown;
};

/// A number with the interval that its inputs' errors leave: rounding, quadrature and ball errors
/// as bounds, confidence errors at their level.
struct FitNumber {
  double value = 0;
  double lower = 0;
  double upper = 0;
  ErrorKind kind = ErrorKind::rounding;
  bool rigorous = false;
  std::optional<double> level;  ///< confidence alone
};

/// A point in the window.
struct FitPoint {
  std::uint64_t distance = 0;
  double scale = 0;  ///< s, relative error below 1e-12
  double t = 0;      ///< t_per_scale * s, the same
  /// d ln|Phi_1| / d ln distance at this distance, from the law (docs/theory/fits.md).
  std::optional<FitNumber> predicted;
};

/// The exponent between neighbouring points: a difference quotient of ln|Phi_1|.
struct LocalExponent {
  std::uint64_t distance_low = 0, distance_high = 0;
  double t_low = 0, t_high = 0;
  FitNumber in_distance;               ///< by ln distance; negative for decay
  FitNumber in_scale;                  ///< by ln s
  std::optional<FitNumber> predicted;  ///< the law's over the same interval, by ln distance
};

struct FitResult {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 0;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> samples;
  std::vector<Engine> engines;  ///< of the points used
  FitWindow window;
  std::vector<FitPoint> points;      ///< by distance, one per distance
  std::vector<LocalExponent> local;  ///< points.size() - 1 of them
  /// Slope of the least-squares line of ln|Phi_1| against ln distance over the points, weighted by
  /// their sampling errors, or equally where some point has none; and the slope that the predicted
  /// envelope has with the same weights. The envelope is no exact power: this number belongs to its
  /// window.
  FitNumber overall;
  std::optional<FitNumber> overall_predicted;
  Asymptote asymptote;
  std::size_t outside_window = 0;  ///< points not used: distance 0 or t beyond the window
  std::size_t unresolved = 0;      ///< points not used: unresolved, or an interval that reaches 0
  std::size_t no_envelope = 0;     ///< points not used: the engine gave no envelope
};

/// Throws InputError for rotary encodings, a window that is empty, and fewer than two usable
/// points.
FitResult fit_decay(const DistanceCurve& curve, const FitWindow& window = {});

}  // namespace tapalab
