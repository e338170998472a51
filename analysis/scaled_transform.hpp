// Phi_1 and Phi_2 of a Gaussian whose deviation from its mean is multiplied by a random scale:
// what laws with one scale for all coordinates are integrals of. docs/theory/dependence.md.
#pragma once

#include <vector>

#include "analysis/gaussian_form.hpp"

namespace tapalab {

/// At a fixed t: Phi_j = E[a^j e^(i t phi)], j = 1 or 2, for x = mean + R y, y ~ N(0, Sigma), as a
/// function of rho = R^2. It is analytic in rho where no 1 - 2 i t e_j rho vanishes, and so for
/// rho = b/zeta, Re zeta > 0: then the value is that of a Gaussian of complex variance.
class ScaledTransform {
 public:
  /// `gaussian` must outlive it.
  ScaledTransform(const GaussianTransform& gaussian, const Wide& t)
      : blocks_(gaussian.blocks()), t_(t) {}

  struct Value {
    WideComplex value;
    /// Rounding relative to the modulus of the terms that `value` is a sum of, of which `size` is a
    /// bound: error <= size * relative. `relative` of 1 or more: no digit is left.
    Wide size{0}, relative{0};
    Wide log_size{0};  ///< ln of `size`, where that is below the range of Wide too
  };
  /// Times e^log_weight. Value and size are 0 where size is below 2^-(2^57).
  Value at(const WideComplex& rho, int order, const WideComplex& log_weight) const;

  /// All blocks add exactly 0 to Phi_1.
  bool odd_amplitude() const;

 private:
  const std::vector<GaussianTransform::Block>& blocks_;
  Wide t_;
};

}  // namespace tapalab
