// Running moments of one quantity, to order 4, merged without cancellation. Host and device.
#pragma once

#include <cstdint>

#include "sim/host_device.hpp"

namespace tapalab {

/// Count, mean and central sums sum (x - mean)^j, j = 2, 3, 4 (Welford; merging after Chan et al.
/// and Pebay, SAND2008-6212).
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0;
  double m3 = 0;
  double m4 = 0;

  TAPALAB_HD void add(double x) { merge({1, x, 0, 0, 0}); }

  /// The moments of both samples together; an empty side changes no bit of the other. Not
  /// associative in floating point: callers merge in one fixed order (sim/dyadic_sum.hpp).
  TAPALAB_HD void merge(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    // Pebay, SAND2008-6212, eq. 3.1 for p = 2, 3, 4, with delta = mean_B - mean_A.
    const double na = static_cast<double>(count);
    const double nb = static_cast<double>(other.count);
    const double n = na + nb;
    const double delta = other.mean - mean;
    const double a = na / n;
    const double b = nb / n;
    const double delta2 = delta * delta;
    const double new_m4 = m4 + other.m4 + delta2 * delta2 * na * b * (a * a - a * b + b * b) +
                          6.0 * delta2 * (a * a * other.m2 + b * b * m2) +
                          4.0 * delta * (a * other.m3 - b * m3);
    const double new_m3 =
        m3 + other.m3 + delta2 * delta * na * b * (a - b) + 3.0 * delta * (a * other.m2 - b * m2);
    m2 = m2 + other.m2 + delta2 * na * b;
    m3 = new_m3;
    m4 = new_m4;
    mean = mean + delta * b;
    count += other.count;
  }

  friend bool operator==(const Moments&, const Moments&) = default;
};

/// A second quantity of the same samples beside one whose Moments are kept: its mean and central
/// sum of squares, and the sum of (x - mean)(score - mean of the score).
struct CompanionMoments {
  double mean = 0;
  double m2 = 0;
  double cross = 0;

  friend bool operator==(const CompanionMoments&, const CompanionMoments&) = default;
};

/// `a` merged with `b`, which stand beside moments with these counts and means.
TAPALAB_HD inline CompanionMoments merged(const CompanionMoments& a, const CompanionMoments& b,
                                          const Moments& beside_a, const Moments& beside_b) {
  if (beside_b.count == 0) return a;
  if (beside_a.count == 0) return b;
  // As above for p = 2, and the same for the product of two deviations.
  const double na = static_cast<double>(beside_a.count);
  const double nb = static_cast<double>(beside_b.count);
  const double n = na + nb;
  const double delta = b.mean - a.mean;
  const double weight = na * (nb / n);
  return {a.mean + delta * (nb / n), a.m2 + b.m2 + delta * delta * weight,
          a.cross + b.cross + delta * (beside_b.mean - beside_a.mean) * weight};
}

/// What a sample records at one distance. For rotary scores only `score` is filled.
struct ScoreMoments {
  Moments score;            ///< a cos(2 pi s phi): its mean is Re Phi_1
  CompanionMoments sine;    ///< a sin(2 pi s phi): its mean is Im Phi_1
  CompanionMoments excess;  ///< a^2 cos(4 pi s phi)/2, which is score^2 - a^2/2

  TAPALAB_HD void merge(const ScoreMoments& other) {
    sine = merged(sine, other.sine, score, other.score);
    excess = merged(excess, other.excess, score, other.score);
    score.merge(other.score);
  }
  friend bool operator==(const ScoreMoments&, const ScoreMoments&) = default;
};

/// m2/(count - 1), the unbiased variance. count >= 2.
inline double sample_variance(const Moments& moments) {
  return moments.m2 / static_cast<double>(moments.count - 1);
}

}  // namespace tapalab
