// Confidence intervals from sampled moments. Each is approximate for finite samples; its coverage
// is measured in tests/analysis/monte_carlo_test.cpp.
#pragma once

#include "sim/moments.hpp"

namespace tapalab {

struct Interval {
  double lower = 0;
  double upper = 0;
};

/// Student's interval for the mean: mean +- t_{n-1} sqrt(s^2/n). count >= 2, 0 < confidence < 1.
/// A sample without spread gives its one value.
Interval mean_interval(const Moments& moments, double confidence);

/// Interval for the variance from the fourth moment, on a log scale: s^2 exp(+- t_{n-1} e/s^2) with
///   e^2 = (mu_4 - s^4 (n-3)/(n-1))/n,
/// the variance of s^2 for any distribution. The logarithm takes out half of the skewness that
/// squares bring, and keeps the lower end positive. count >= 2.
Interval variance_interval(const Moments& moments, double confidence);

/// |z| of a complex z in the box re x im: from the nearest point to the farthest.
Interval modulus_interval(const Interval& re, const Interval& im);

/// y - m^2 for y and m in their intervals.
Interval minus_square_interval(const Interval& y, const Interval& m);

}  // namespace tapalab
