// Densities and characteristic functions of the laws of sim/marginal.hpp, for double and Wide.
//
// Bounds for double, asserted by tests/sim/marginal_test.cpp against 40-digit values:
//   density          relative (4 + |ln density|) 2^-52; near the ends of the bump's support, where
//                    it is below e^-30, of the exponent's own conditioning
//   characteristic   relative (4 + |ln F|) 2^-52 for gaussian, sech, logistic, laplace, singular
//                    and student-t (twice that, nu <= 200); uniform, hermite2, rademacher, bump:
//                    absolute, the same times the local size of the function
// Wide: the same with 2^-180 in the place of 2^-52.
#pragma once

#include <cmath>

#include "sim/marginal.hpp"
#include "sim/marginal_special.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {
namespace detail {

// e^-x for x >= 0; beyond the exponent range of the type 0.
inline double decay(double x) { return std::exp(-x); }
inline Wide decay(const Wide& x) {
  static const Wide largest("7e17");
  return x > largest ? Wide(0) : Wide(exp(Wide(-x)));
}
inline double sine(double x) { return std::sin(x); }
inline double cosine(double x) { return std::cos(x); }
// The angle reduced with 192 bits: absolute error |x| 2^-190.
inline Wide sine(const Wide& x) { return sin_turns(Wide(x / wide_two_pi())); }
inline Wide cosine(const Wide& x) { return cos_turns(Wide(x / wide_two_pi())); }
inline double log_of_one_plus(double x) { return std::log1p(x); }
inline Wide log_of_one_plus(const Wide& x) {
  if (x > Wide(1e-3)) return log(Wide(1 + x));
  // 2 atanh(x/(2 + x))
  const Wide s = x / (2 + x), square = s * s;
  Wide term = s, sum = s;
  for (int k = 3; term > sum * wide_epsilon(); k += 2) {
    term *= square;
    sum += term / k;
  }
  return 2 * sum;
}
inline double absolute(double x) { return std::fabs(x); }
inline Wide absolute(const Wide& x) { return abs(x); }
inline double root(double x) { return std::sqrt(x); }
inline Wide root(const Wide& x) { return sqrt(x); }

// sum of y^(2k)/(2k+1)!, alternating for sin(y)/y, |y| <= 1.
template <class Real>
Real sinc_series(const Real& y, bool alternating) {
  const Real square = alternating ? Real(-(y * y)) : Real(y * y);
  Real term = 1, sum = 1;
  for (int k = 2;; k += 2) {
    term *= square / (k * (k + 1));
    const Real next = sum + term;
    if (next == sum) return sum;
    sum = next;
  }
}

}  // namespace detail

template <class Real>
class MarginalLaw {
 public:
  explicit MarginalLaw(const Marginal& law)
      : family_(law.family),
        root3_(detail::root(Real(3))),
        root2_(detail::root(Real(2))),
        pi_(static_cast<Real>(wide_pi())) {
    if (family_ == MarginalFamily::student_t) student_ = StudentT<Real>(law.nu);
    if (family_ == MarginalFamily::gaussian) norm_ = 1 / detail::root(Real(2 * pi_));
    if (family_ == MarginalFamily::hermite2) norm_ = 3 * root3_ / detail::root(Real(2 * pi_));
    if (family_ == MarginalFamily::singular) {
      norm_ = detail::root(Real(root3_ / 2)) / (2 * detail::root(pi_));
    }
  }

  MarginalFamily family() const { return family_; }
  /// Half of the support's width; 0 stands for the whole line.
  Real half_width() const {
    if (family_ == MarginalFamily::bump) return bump_half_width<Real>();
    if (family_ == MarginalFamily::uniform) return root3_;
    return Real(0);
  }

  /// The density at x. Undefined for rademacher; infinite at 0 for singular.
  Real density(const Real& x) const {
    const Real y = detail::absolute(x);
    switch (family_) {
      case MarginalFamily::gaussian:
        return norm_ * detail::decay(Real(y * y / 2));
      case MarginalFamily::sech: {
        const Real e = detail::decay(Real(pi_ * y / 2));
        return e / (1 + e * e);
      }
      case MarginalFamily::logistic: {
        const Real rate = pi_ / root3_;
        const Real e = detail::decay(Real(rate * y));
        return rate * e / ((1 + e) * (1 + e));
      }
      case MarginalFamily::bump:
        return bump_density(y);
      case MarginalFamily::hermite2:
        return norm_ * y * y * detail::decay(Real(3 * y * y / 2));
      case MarginalFamily::laplace:
        return detail::decay(Real(root2_ * y)) / root2_;
      case MarginalFamily::uniform:
        return y <= root3_ ? Real(1 / (2 * root3_)) : Real(0);
      case MarginalFamily::student_t:
        return student_.density(y);
      case MarginalFamily::singular:
        return norm_ * detail::decay(Real(root3_ / 2 * y)) / detail::root(y);
      case MarginalFamily::rademacher:
        break;
    }
    return Real(0);
  }

  /// E cos(w X); the sine part is 0, the laws being symmetric.
  Real characteristic(const Real& w) const {
    const Real y = detail::absolute(w);
    switch (family_) {
      case MarginalFamily::gaussian:
        return detail::decay(Real(y * y / 2));
      case MarginalFamily::sech: {
        const Real e = detail::decay(y);
        return 2 * e / (1 + e * e);
      }
      case MarginalFamily::logistic: {  // z/sinh z
        const Real z = root3_ * y;
        if (z < Real(1)) return 1 / detail::sinc_series(z, false);
        const Real e = detail::decay(z);
        return 2 * z * e / (1 - e * e);
      }
      case MarginalFamily::bump:
        return bump_characteristic(y);
      case MarginalFamily::hermite2:
        return (1 - y * y / 3) * detail::decay(Real(y * y / 6));
      case MarginalFamily::laplace:
        return 1 / (1 + y * y / 2);
      case MarginalFamily::uniform: {
        const Real z = root3_ * y;
        if (z < Real(1)) return detail::sinc_series(z, true);
        return detail::sine(z) / z;
      }
      case MarginalFamily::student_t:
        return student_.characteristic(y);
      case MarginalFamily::rademacher:
        return detail::cosine(y);
      case MarginalFamily::singular: {
        // Re (1 - iz)^(-1/2) = sqrt((r + 1)/2)/r, r = |1 - iz|
        const Real z = 2 * y / root3_;
        const Real r = detail::root(Real(1 + z * z));
        return detail::root(Real((r + 1) / 2)) / r;
      }
    }
    return Real(0);
  }

  /// What errors of F near w are relative to: |F| where F has one sign, else the size of its swing.
  Real size(const Real& w) const {
    const Real y = detail::absolute(w);
    switch (family_) {
      case MarginalFamily::hermite2:
        return (1 + y * y / 3) * detail::decay(Real(y * y / 6));
      case MarginalFamily::uniform:
        return root3_ * y < 1 ? Real(1) : Real(1 / (root3_ * y));
      case MarginalFamily::rademacher:
        return Real(1);
      case MarginalFamily::bump:
        // docs/theory/product.md: |F| <= 16 e^-sqrt(w), w the frequency before scaling
        return 16 * detail::decay(detail::root(Real(y * half_width())));
      default:
        return characteristic(y);
    }
  }

 private:
  MarginalFamily family_;
  Real root3_, root2_, pi_;
  Real norm_{0};
  StudentT<Real> student_;
};

}  // namespace tapalab
