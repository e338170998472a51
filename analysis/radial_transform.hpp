// Phi_1 and Phi_2 under radial densities (student-t-joint, quartic): one-dimensional integrals over
// the scale of a Gaussian. Proofs: docs/theory/dependence.md.
#pragma once

#include "analysis/gaussian_form.hpp"
#include "sim/density.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// Value, error (the difference of two trapezoidal sums of steps h and 2h, and the rounding of all
/// terms) and the integral of the modulus, beside which digits may cancel.
struct RadialIntegral {
  WideComplex value;
  Wide error{0}, absolute{0};
  bool underflow = false;  ///< every term is below the range of Wide
};

class RadialTransform {
 public:
  /// Phases and amplitudes of a Gaussian with the density's means and covariance, whose scale is
  /// then integrated. Throws InputError as GaussianTransform does.
  RadialTransform(const RadialDensity& density, const GaussianModel& moments,
                  const SparseForm& amplitude, const SparseForm& phase);

  /// Phi_order(t), order 1 or 2, t not 0; order 2 asks for E a^2 finite. Throws InputError where
  /// |t| is beyond 2^1000000.
  RadialIntegral at(const Wide& t, int order) const;

  const GaussianTransform& gaussian() const { return gaussian_; }

 private:
  RadialIntegral student(const Wide& t, int order) const;
  RadialIntegral quartic(const Wide& t, int order) const;

  RadialShape shape_;
  Wide half_nu_{0}, excess_{0};
  Wide width_squared_{0};  ///< b^2 of quartic
  std::uint32_t coordinates_ = 0;
  GaussianTransform gaussian_;
};

/// E R^4 - 1 where R^2 is the scale of a Gaussian with the covariance of the density:
/// 2/(nu - 4), and b^4/(8 (D + 1)) - 1 for quartic, whose R^2 is not a random variable but has
/// moments all the same. Absolute error. nu > 4.
struct ScaleSpread {
  Wide value{0}, error{0};
};
ScaleSpread scale_spread(const RadialDensity& density, std::uint32_t head_dim);

/// E a^2 is finite.
bool has_second_moment(const RadialDensity& density);

}  // namespace tapalab
