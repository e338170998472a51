#include "analysis/intervals.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace tapalab {
namespace {

// Two-sided quantile of Student's distribution with count - 1 degrees of freedom.
double student_quantile(std::uint64_t count, double confidence) {
  const boost::math::students_t student(static_cast<double>(count - 1));
  return boost::math::quantile(boost::math::complement(student, 0.5 * (1.0 - confidence)));
}

}  // namespace

bool overlap(const Quantity& first, const Quantity& second) {
  return first.error.lower.wide() <= second.error.upper.wide() &&
         second.error.lower.wide() <= first.error.upper.wide();
}

Wide standard_error_towards(const Wide& towards, const Wide& estimate, const Wide& lower,
                            const Wide& upper, double level) {
  const Wide half = towards >= estimate ? Wide(upper - estimate) : Wide(estimate - lower);
  if (half <= 0) return 0;
  return half / Wide(boost::math::quantile(boost::math::normal(), 0.5 + 0.5 * level));
}

Quantity with_confidence(double estimate, const Interval& interval, double level) {
  Quantity quantity;
  quantity.estimate = LogNumber(estimate);
  quantity.error.kind = ErrorKind::confidence;
  quantity.error.level = level;
  quantity.error.lower = LogNumber(interval.lower);
  quantity.error.upper = LogNumber(interval.upper);
  quantity.error.absolute =
      LogNumber(std::max({0.0, interval.upper - estimate, estimate - interval.lower}));
  quantity.sign_resolved =
      interval.lower > 0 || interval.upper < 0 || (interval.lower == 0 && interval.upper == 0);
  return quantity;
}

Interval mean_interval(const Moments& moments, double confidence) {
  const double n = static_cast<double>(moments.count);
  const double half =
      student_quantile(moments.count, confidence) * std::sqrt(sample_variance(moments) / n);
  return {moments.mean - half, moments.mean + half};
}

Interval bounded_mean_interval(const Moments& moments, double confidence) {
  const double n = static_cast<double>(moments.count);
  const double log_odds = std::log(4 / (1 - confidence));
  const double half =
      std::sqrt(2 * sample_variance(moments) * log_odds / n) + 7 * log_odds / (3 * (n - 1));
  return {std::max(0.0, moments.mean - half), std::min(1.0, moments.mean + half)};
}

Interval share_interval(double count, double n, double confidence) {
  const double z = boost::math::quantile(
      boost::math::complement(boost::math::normal(), 0.5 * (1.0 - confidence)));
  const double p = count / n, z2 = z * z;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = z / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  return {count == 0 ? 0.0 : std::max(0.0, middle - half),
          count == n ? 1.0 : std::min(1.0, middle + half)};
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

Interval modulus_interval(const Moments& score, const CompanionMoments& sine, double confidence) {
  const double n = static_cast<double>(score.count);
  const double scale = 1 / (n * (n - 1));
  const double vc = score.m2 * scale, vs = sine.m2 * scale, cross = sine.cross * scale;
  const double size = std::hypot(score.mean, sine.mean);
  const double widest = 0.5 * (vc + vs) + std::hypot(0.5 * (vc - vs), cross);
  if (size > 0 && size >= 6 * std::sqrt(widest)) {
    const double c = score.mean / size, s = sine.mean / size;
    const double along = std::max(0.0, c * c * vc + 2 * c * s * cross + s * s * vs);
    const double across = std::max(0.0, vc + vs - along);
    const double center = size - across / (2 * size);
    const double half = student_quantile(score.count, confidence) * std::sqrt(along);
    return {std::max(0.0, center - half), center + half};
  }
  // Hotelling's T^2 with two means: 2 (n - 1)/(n - 2) times the quantile of F(2, n - 2), closed.
  const double rest = std::max(1.0, n - 2);
  const double squared = (n - 1) * std::expm1(-2 / rest * std::log1p(-confidence));
  const double radius = std::sqrt(squared * widest);
  return {std::max(0.0, size - radius), size + radius};
}

double excess_estimate(const Moments& score, const CompanionMoments& excess) {
  const double n = static_cast<double>(score.count);
  return excess.mean - (score.mean * score.mean - sample_variance(score) / n);
}

Interval excess_interval(const Moments& score, const CompanionMoments& excess, double confidence) {
  const double n = static_cast<double>(score.count);
  const double square = sample_variance(score) / n;
  const double first =
      (excess.m2 - 4 * score.mean * excess.cross + 4 * score.mean * score.mean * score.m2) /
      (n * (n - 1));
  const double half = student_quantile(score.count, confidence) *
                      std::sqrt(std::max(0.0, first) + 2 * square * square);
  const double estimate = excess_estimate(score, excess);
  return {estimate - half, estimate + half};
}

}  // namespace tapalab
