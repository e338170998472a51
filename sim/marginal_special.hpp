// The two laws whose characteristic functions are not elementary: student-t (a Bessel function K)
// and bump. Both are integrals of smooth functions over a line on which nothing cancels, taken by
// the trapezoidal rule, whose error is proved in docs/theory/product.md.
#pragma once

#include "sim/numbers/exact_decimal.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// nu - 2, formed from the decimal: near 2 a rounded nu has few digits of it left. Relative error
/// 2^-192.
Wide student_excess(const ExactDecimal& nu);

/// e^u - 1 - u >= 0 with a relative error of a few units: by its series where it would cancel.
Wide exp_beyond_tangent(const Wide& u);
/// ln(m^m e^-m/Gamma(m)), m > 0: absolute error below 2^-180, whatever m.
Wide log_gamma_peak(const Wide& m);

/// Student's t with nu > 2 degrees of freedom at unit variance; nu - 2 from 1e-100 to nu = 1e100.
/// Relative errors do not grow with nu, nor near 2. As nu -> infinity the law tends to the
/// Gaussian, F/e^(-w^2/2) - 1 to w^4/(4 nu); as nu -> 2 to a point mass at 0 that leaves the
/// variance to its tails.
template <class Real>
class StudentT {
 public:
  StudentT() = default;
  explicit StudentT(const ExactDecimal& nu);

  /// C (1 + x^2/(nu - 2))^(-(nu + 1)/2), x >= 0.
  Real density(const Real& x) const;
  /// (2/Gamma(m)) (z/2)^m K_m(z), m = nu/2, z = w sqrt(nu - 2) >= 0.
  /// About 60 exponentials in double, 300 in Wide.
  Real characteristic(const Real& w) const;
  /// The same times e^z, which does not underflow.
  Real scaled_characteristic(const Real& w) const;

 private:
  Real transform(const Real& w, bool scaled) const;

  Real nu_{0}, norm_{0};
  Real inverse_root_{0};  ///< 1/sqrt(nu - 2)
  Real peak_{0};          ///< m^m e^-m/Gamma(m)
  Real ratio_{0};         ///< sqrt(nu - 2)/m
};

extern template class StudentT<double>;
extern template class StudentT<long double>;
extern template class StudentT<Wide>;

/// 1/sqrt(0.158113636...): the support of exp(-1/(1-x^2)) scaled to unit variance.
template <class Real>
Real bump_half_width();
template <class Real>
Real bump_density(const Real& x);
/// w >= 0; about 100 complex exponentials in double.
template <class Real>
Real bump_characteristic(const Real& w);

template <>
double bump_half_width<double>();
template <>
long double bump_half_width<long double>();
template <>
Wide bump_half_width<Wide>();
extern template double bump_density<double>(const double&);
extern template long double bump_density<long double>(const long double&);
extern template Wide bump_density<Wide>(const Wide&);
extern template double bump_characteristic<double>(const double&);
extern template long double bump_characteristic<long double>(const long double&);
extern template Wide bump_characteristic<Wide>(const Wide&);

}  // namespace tapalab
