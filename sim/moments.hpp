// Running moments of one quantity, to order 4, merged without cancellation.
#pragma once

#include <cstdint>

namespace tapalab {

/// Count, mean and central sums sum (x - mean)^j, j = 2, 3, 4 (Welford; merging after Chan et al.
/// and Pebay, SAND2008-6212).
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0;
  double m3 = 0;
  double m4 = 0;

  void add(double x);
  /// The moments of both samples together; an empty side changes no bit of the other. Not
  /// associative in floating point: callers merge in one fixed order (sim/dyadic_sum.hpp).
  void merge(const Moments& other);

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
CompanionMoments merged(const CompanionMoments& a, const CompanionMoments& b,
                        const Moments& beside_a, const Moments& beside_b);

/// m2/(count - 1), the unbiased variance. count >= 2.
double sample_variance(const Moments& moments);

}  // namespace tapalab
