// Slopes of ln|Phi_1| against ln distance, with intervals propagated from the points' errors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/fit.hpp"

namespace tapalab {

/// ln of an envelope and of its distance, each relative to a reference point of the same curve, and
/// how far the truth may lie below and above: as a bound, or statistically at `level`.
struct LogPoint {
  double x = 0;
  double y = 0;
  double bound_low = 0, bound_high = 0;
  double spread_low = 0, spread_high = 0;
  ErrorKind kind = ErrorKind::rounding;
  bool rigorous = false;
  std::optional<double> level;
};

/// `envelope.error.lower` must be positive. Differences are taken before the logarithm: 1e-9000 and
/// distances of 2^63 lose no digit.
LogPoint log_point(const Quantity& envelope, std::uint64_t distance, const Quantity& reference,
                   std::uint64_t reference_distance);

/// ln(a/b) for positive integers, accurate also where they are neighbours.
double log_ratio(std::uint64_t a, std::uint64_t b);

/// (b.y - a.y)/step.
FitNumber secant(const LogPoint& a, const LogPoint& b, double step, ErrorDependence dependence);

/// c with slope = sum c_i y_i for the weighted least-squares line; weights 1/spread^2, or equal
/// where some point has no statistical error.
std::vector<double> slope_coefficients(const std::vector<LogPoint>& points);

/// sum c_i y_i. The statistical parts add in squares (independent) or in size (unknown), bounds
/// always in size.
FitNumber combine(const std::vector<LogPoint>& points, const std::vector<double>& coefficients,
                  ErrorDependence dependence);

}  // namespace tapalab
