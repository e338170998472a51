// Tables of the two characteristic functions that are integrals, for quadratures that need
// thousands of values: Chebyshev polynomials on short pieces, from values in long double.
// Truncation bounds are proved in docs/theory/product.md; costs are measured by
// tests/benchmarks/product_benchmark.cpp.
#pragma once

#include <vector>

#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

/// F(w) e^z = sum of Chebyshev polynomials on pieces [c, sqrt(2) c], z = w sqrt(nu - 2).
/// Relative truncation error below 1e-17; with rounding, F has relative error (8 + z) 2^-53.
/// Making it takes about 20 ms, an evaluation about 60 ns. nu up to 16.
class StudentTable {
 public:
  static constexpr double kLargestNu = 16;
  explicit StudentTable(const ExactDecimal& nu);
  double characteristic(double w) const;

 private:
  double root_;  // sqrt(nu - 2)
  int degree_;
  std::vector<double> coefficients_;
};

/// F on pieces of length 4 in w' = half-width * w, up to w' = kEnd. Truncation and rounding error
/// below 2^-51 times the local size, at most 16 e^-sqrt(w'), of F. Beyond kEnd, where
/// |F| <= 16 e^-49 and the integral of |F| from there is below 1e-18, the value is 0. Made once a
/// process, in about 0.3 s; an evaluation takes about 50 ns.
class BumpTable {
 public:
  static constexpr double kEnd = 2400;
  static const BumpTable& instance();
  double characteristic(double w) const;
  /// The same before rounding to double: error below 2^-58 times the local size.
  long double precise(long double w) const;

 private:
  BumpTable();
  std::vector<double> coefficients_;
  std::vector<long double> precise_;
};

}  // namespace tapalab
