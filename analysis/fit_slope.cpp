#include "analysis/fit_slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapalab {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// ln(a/b) for positive a, b: through log1p where they are close, else through the exponent.
double log_ratio(const Wide& a, const Wide& b) {
  const Wide ratio = a / b;
  const Wide excess = (a - b) / b;
  if (abs(excess) < 0.5) return std::log1p(static_cast<double>(excess));
  long long exponent = 0;
  const Wide significand = frexp(ratio, &exponent);
  return std::log(static_cast<double>(significand)) +
         static_cast<double>(exponent) * 0.69314718055994530942;
}

/// The weakest of the kinds that enter a number.
ErrorKind weaker(ErrorKind a, ErrorKind b) {
  const auto rank = [](ErrorKind kind) {
    switch (kind) {
      case ErrorKind::confidence:
        return 3;
      case ErrorKind::quadrature:
        return 2;
      case ErrorKind::rounding:
        return 1;
      case ErrorKind::ball:
        break;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace

double log_ratio(std::uint64_t a, std::uint64_t b) {
  if (a < b) return -log_ratio(b, a);
  if (a - b < b) return std::log1p(static_cast<double>(a - b) / static_cast<double>(b));
  return std::log(static_cast<double>(a) / static_cast<double>(b));
}

LogPoint log_point(const Quantity& envelope, std::uint64_t distance, const Quantity& reference,
                   std::uint64_t reference_distance) {
  const Wide& estimate = envelope.estimate.wide();
  LogPoint point;
  point.x = log_ratio(distance, reference_distance);
  point.y = log_ratio(estimate, reference.estimate.wide());
  const double low = log_ratio(estimate, envelope.error.lower.wide());
  const double high = log_ratio(envelope.error.upper.wide(), estimate);
  const double rounding = 2 * kEpsilon * std::abs(point.y);
  point.bound_low = point.bound_high = rounding;
  point.kind = envelope.error.kind;
  if (point.kind == ErrorKind::confidence) {
    point.spread_low = low;
    point.spread_high = high;
    point.level = envelope.error.level;
  } else {
    point.bound_low += low;
    point.bound_high += high;
    point.rigorous = envelope.error.rigorous;
  }
  return point;
}

FitNumber secant(const LogPoint& a, const LogPoint& b, double step, ErrorDependence dependence) {
  return combine({a, b}, {-1 / step, 1 / step}, dependence);
}

std::vector<double> slope_coefficients(const std::vector<LogPoint>& points) {
  const auto spread = [](const LogPoint& p) { return (p.spread_low + p.spread_high) / 2; };
  const bool weighted =
      std::all_of(points.begin(), points.end(), [&](const LogPoint& p) { return spread(p) > 0; });
  std::vector<double> weights(points.size(), 1.0);
  if (weighted) {
    double least = std::numeric_limits<double>::infinity();
    for (const LogPoint& p : points) least = std::min(least, spread(p));
    for (std::size_t i = 0; i < points.size(); ++i) {
      weights[i] = std::pow(least / spread(points[i]), 2);
    }
  }
  double total = 0, centre = 0, moment = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    total += weights[i];
    centre += weights[i] * points[i].x;
  }
  centre /= total;
  for (std::size_t i = 0; i < points.size(); ++i) {
    moment += weights[i] * (points[i].x - centre) * (points[i].x - centre);
  }
  std::vector<double> coefficients(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    coefficients[i] = weights[i] * (points[i].x - centre) / moment;
  }
  return coefficients;
}

FitNumber combine(const std::vector<LogPoint>& points, const std::vector<double>& coefficients,
                  ErrorDependence dependence) {
  FitNumber result;
  result.kind = ErrorKind::ball;
  result.rigorous = true;
  double bound_low = 0, bound_high = 0, spread_low = 0, spread_high = 0, size = 0;
  const auto add = [dependence](double& total, double part) {
    total += dependence == ErrorDependence::independent ? part * part : part;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const LogPoint& p = points[i];
    const double c = coefficients[i];
    result.value += c * p.y;
    size += std::abs(c * p.y);
    bound_low += std::abs(c) * (c > 0 ? p.bound_low : p.bound_high);
    bound_high += std::abs(c) * (c > 0 ? p.bound_high : p.bound_low);
    add(spread_low, std::abs(c) * (c > 0 ? p.spread_low : p.spread_high));
    add(spread_high, std::abs(c) * (c > 0 ? p.spread_high : p.spread_low));
    result.kind = weaker(result.kind, p.kind);
    result.rigorous = result.rigorous && p.rigorous;
    // Of different levels the smallest holds for all together.
    if (p.level) result.level = result.level ? std::min(*result.level, *p.level) : *p.level;
  }
  if (dependence == ErrorDependence::independent) {
    spread_low = std::sqrt(spread_low);
    spread_high = std::sqrt(spread_high);
  }
  const double rounding = 4 * kEpsilon * static_cast<double>(points.size()) * size;
  result.lower = result.value - bound_low - spread_low - rounding;
  result.upper = result.value + bound_high + spread_high + rounding;
  return result;
}

}  // namespace tapalab
