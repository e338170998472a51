// Confidence intervals from sampled moments. Each is approximate for finite samples; its coverage
// is measured in tests/analysis/monte_carlo_test.cpp.
#pragma once

#include "analysis/quantity.hpp"
#include "sim/moments.hpp"

namespace tapalab {

struct Interval {
  double lower = 0;
  double upper = 0;
};

/// The estimate with its interval at `level`; the sign is resolved where the interval leaves 0 out
/// or is 0 alone. Finite arguments.
Quantity with_confidence(double estimate, const Interval& interval, double level);

/// Whether the intervals of the two have a point in common.
bool overlap(const Quantity& first, const Quantity& second);

/// What a standard error would be to give an interval [lower, upper] at `level`, seen on the side
/// of the estimate on which `towards` lies: the half-width there over the normal quantile, 0 where
/// there is none.
Wide standard_error_towards(const Wide& towards, const Wide& estimate, const Wide& lower,
                            const Wide& upper, double level);

/// Student's interval for the mean: mean +- t_{n-1} sqrt(s^2/n). count >= 2, 0 < confidence < 1.
/// A sample without spread gives its one value.
Interval mean_interval(const Moments& moments, double confidence);

/// Wilson's interval for a probability from `count` successes among n: z standard deviations wide,
/// z the normal quantile of `confidence`. Its ends at no success and at n are 0 and 1, which
/// rounding must not move past the share. n > 0.
Interval share_interval(double count, double n, double confidence);

/// For variables in [0, 1], whatever their law: the empirical Bernstein bound of Maurer and Pontil,
///   mean +- (sqrt(2 V ln(4/p)/n) + 7 ln(4/p)/(3 (n - 1))), V = s^2, p = 1 - confidence,
/// clipped to [0, 1]. It holds for every n, and is wide where few samples carry the mean. count
/// >= 2.
Interval bounded_mean_interval(const Moments& moments, double confidence);

/// Interval for the variance from the fourth moment, on a log scale: s^2 exp(+- t_{n-1} e/s^2) with
///   e^2 = (mu_4 - s^4 (n-3)/(n-1))/n,
/// the variance of s^2 for any distribution. The logarithm takes out half of the skewness that
/// squares bring, and keeps the lower end positive. count >= 2.
Interval variance_interval(const Moments& moments, double confidence);

/// Interval for |Phi_1| from the means C and S of score and sine, by the delta method: with R =
/// hypot(C, S), v_r and v_t the variances of (C, S) along and across its direction,
///   R - v_t/(2 R) +- t_{n-1} sqrt(v_r),
/// the shift being the bias of R to second order. Where R is not above six standard errors of (C,
/// S) that expansion does not hold, and the interval is R +- the largest radius of Hotelling's
/// ellipse of (C, S), which covers more than `confidence`. Never below 0. count >= 2.
Interval modulus_interval(const Moments& score, const CompanionMoments& sine, double confidence);

/// Var - E[a^2]/2 = E[a^2 cos(4 pi s phi)]/2 - C^2, C the mean score, its square estimated without
/// bias; interval +- t_{n-1} sqrt(v), v the variance of excess - 2 C score over n (the delta
/// method) plus 2 (s^2/n)^2, the second order of C^2. count >= 2.
double excess_estimate(const Moments& score, const CompanionMoments& excess);
Interval excess_interval(const Moments& score, const CompanionMoments& excess, double confidence);

}  // namespace tapalab
