// The stationary-phase expansion of g(t) = E e^(i t x y) of one pair of coordinates for large t:
//   g(t) ~ (2 pi/|t|) sum_k (i/t)^k/k! (d/dx d/dy)^k p(0, 0),  p the joint density,
// which for independent coordinates is f^(k)(0) h^(k)(0). docs/theory/stationary-expansion.md.
#pragma once

#include <vector>

#include "analysis/product_transform.hpp"
#include "sim/density.hpp"
#include "sim/marginal.hpp"

namespace tapalab {

class StationaryPair {
 public:
  static constexpr int kOrders = 40;

  /// A Gaussian pair, |rho| < 1.
  explicit StationaryPair(const PairLaw& gaussian);
  /// Independent coordinates whose densities are analytic on the line (`applies`).
  StationaryPair(const Marginal& q, const Marginal& k, const PairLaw& law);

  /// gaussian, sech, logistic, hermite2 and student-t: the ends and breaks of the others give terms
  /// of their own, of which the expansion at 0 and its rest know nothing.
  static bool applies(const Marginal& law);

  /// The sum up to the order before the least rest. The rest is twice the largest of the next four
  /// terms (odd or even ones may vanish, and a shifted density's nearly so) and is the error: an
  /// estimate, no bound, and useless for t < 1. It must be below the largest term summed: where the
  /// terms still grow the result is 0 with error 1, since |g| <= 1. t != 0.
  PairTransform at(const Wide& t) const;

  /// T dg/dT by the same terms, k + 1 times each; the rest likewise.
  PairTransform slope(const Wide& t) const;

  /// The order, 1 to kOrders, that `at` stops before; 0 where the terms grow.
  int order(const Wide& t) const;

 private:
  Wide rest(std::size_t from, const Wide& T) const;
  PairTransform sum(const Wide& t, bool derivative) const;

  std::vector<WideComplex> terms_;  ///< coefficient of 1/|T|^(k+1), T = t scale, for T > 0
  Wide scale_;
};

}  // namespace tapalab
