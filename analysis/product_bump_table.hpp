// g(T) = E e^(i T x y) for two centered coordinates of the law bump, tabulated: its integral takes
// some hundred values of a function that oscillates. Proof of the bounds: docs/theory/product.md.
#pragma once

#include <vector>

#include "sim/numbers/wide.hpp"

namespace tapalab {

/// Chebyshev pieces of g in T up to 50, and of T g in 1/T beyond, where it tends to 2 pi f(0)^2.
/// Truncation below 8e-18 of g, values in long double: with rounding a relative error of at most
/// kError. Made once a process, in about 0.2 s beside the BumpTable it takes its values from.
class BumpPairTable {
 public:
  static constexpr double kError = 1.8e-15;  ///< 2^-49
  static const BumpPairTable& instance();
  /// g(T), T >= 0, any T.
  Wide transform(const Wide& T) const;

 private:
  BumpPairTable();
  std::vector<double> near_, far_;
};

}  // namespace tapalab
