#include "analysis/intervals.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace tapalab {
namespace {

// Two-sided quantile of Student's distribution with count - 1 degrees of freedom.
double student_quantile(std::uint64_t count, double confidence) {
  const boost::math::students_t student(static_cast<double>(count - 1));
  return boost::math::quantile(boost::math::complement(student, 0.5 * (1.0 - confidence)));
}

// Smallest and largest |x| over the interval.
Interval magnitudes(const Interval& x) {
  const double far = std::max(std::abs(x.lower), std::abs(x.upper));
  const bool spans_zero = x.lower <= 0 && x.upper >= 0;
  return {spans_zero ? 0.0 : std::min(std::abs(x.lower), std::abs(x.upper)), far};
}

}  // namespace

Interval mean_interval(const Moments& moments, double confidence) {
  const double n = static_cast<double>(moments.count);
  const double half =
      student_quantile(moments.count, confidence) * std::sqrt(sample_variance(moments) / n);
  return {moments.mean - half, moments.mean + half};
}

Interval variance_interval(const Moments& moments, double confidence) {
  const double n = static_cast<double>(moments.count);
  const double variance = sample_variance(moments);
  if (variance == 0) return {0, 0};
  const double kurtosis = moments.m4 / n / variance / variance;
  const double relative_error = std::sqrt(std::max(0.0, kurtosis - (n - 3) / (n - 1)) / n);
  const double half = student_quantile(moments.count, confidence) * relative_error;
  return {variance * std::exp(-half), variance * std::exp(half)};
}

Interval modulus_interval(const Interval& re, const Interval& im) {
  const Interval a = magnitudes(re), b = magnitudes(im);
  return {std::hypot(a.lower, b.lower), std::hypot(a.upper, b.upper)};
}

Interval minus_square_interval(const Interval& y, const Interval& m) {
  const Interval size = magnitudes(m);
  return {y.lower - size.upper * size.upper, y.upper - size.lower * size.lower};
}

}  // namespace tapalab
