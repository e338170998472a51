#include "sim/marginal_special.hpp"

#include <algorithm>
#include <boost/math/special_functions/bernoulli.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/numbers/decimal_parts.hpp"

namespace tapalab {
namespace {

// -ln of the relative error that the trapezoidal sums are laid out for: 4e-18, 4e-21
// and 2^-200.
double target(double) { return 40; }
double target(long double) { return 47; }
double target(const Wide&) { return 139; }

double to_double(double x) { return x; }
double to_double(long double x) { return static_cast<double>(x); }
double to_double(const Wide& x) { return static_cast<double>(x); }

double exp_or_zero(double x) { return std::exp(x); }
long double exp_or_zero(long double x) { return std::exp(x); }
Wide exp_or_zero(const Wide& x) {
  static const Wide least("-7e17");
  return x < least ? Wide(0) : Wide(exp(x));
}
double log_of_one_plus(double x) { return std::log1p(x); }
long double log_of_one_plus(long double x) { return std::log1p(x); }
Wide log_of_one_plus(const Wide& x) {
  if (x > Wide(1e-3)) return log(Wide(1 + x));
  // 2 atanh(x/(2 + x)), x >= 0
  const Wide s = x / (2 + x), square = s * s;
  Wide term = s, sum = s;
  for (int k = 3; term > sum * wide_epsilon() / 4; k += 2) {
    term *= square;
    sum += term / k;
  }
  return 2 * sum;
}

// e^u - 1 - u >= 0 with a relative error of a few units: by its series where it would cancel.
template <class Real>
Real beyond_tangent(const Real& u) {
  using std::abs;
  if (abs(u) > Real(0.5)) return exp_or_zero(u) - 1 - u;
  Real term = u * u / 2, sum = term;
  for (int k = 3; k < 60; ++k) {
    term *= u / k;
    const Real next = sum + term;
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

double cosine(double x) { return std::cos(x); }
long double cosine(long double x) { return std::cos(x); }
double sine(double x) { return std::sin(x); }
long double sine(long double x) { return std::sin(x); }
Wide cosine(const Wide& x) { return cos_turns(Wide(x / wide_two_pi())); }
Wide sine(const Wide& x) { return sin_turns(Wide(x / wide_two_pi())); }

// The step h at which e^(growth theta^2 - 2 pi theta/h) meets the target, theta <= most.
double step(double digits, double growth, double most) {
  const double theta = std::min(most, std::sqrt(digits / growth));
  return 2 * 3.141592653589793 * theta / (digits + growth * theta * theta + 4);
}

// ln Gamma(x) - ((x - 1/2) ln x - x + ln(2 pi)/2), x >= 64: Stirling's series, its error below the
// first term left out, which is below 2^-200 for 40 terms.
Wide stirling_rest(const Wide& x) {
  Wide sum = 0, power = 1 / x;
  const Wide inverse_square = power * power;
  for (int k = 1; k <= 40; ++k) {
    const Wide term = boost::math::bernoulli_b2n<Wide>(k) * power / (2 * k * (2 * k - 1));
    sum += term;
    if (abs(term) < abs(sum) * wide_epsilon() / 16) break;
    power *= inverse_square;
  }
  return sum;
}

// Gamma(m + 1/2)/(Gamma(m) sqrt(m))
Wide gamma_ratio(const Wide& m) {
  if (m < 64) return 1 / (boost::math::tgamma_delta_ratio(m, Wide(0.5)) * sqrt(m));
  return exp(Wide(m * log_of_one_plus(Wide(1 / (2 * m))) - Wide(0.5) +
                  stirling_rest(m + Wide(0.5)) - stirling_rest(m)));
}

}  // namespace

Wide exp_beyond_tangent(const Wide& u) { return beyond_tangent(u); }

Wide log_gamma_peak(const Wide& m) {
  if (m < 64) return m * log(m) - m - boost::math::lgamma(m);
  return log(Wide(m / wide_two_pi())) / 2 - stirling_rest(m);
}

Wide student_excess(const ExactDecimal& nu) {
  DecimalParts parts = parse_decimal_parts(nu.text(), "nu");
  if (parts.exponent >= 0) return nu.wide() - 2;
  // digits 10^exponent - 2 = (digits - 2 10^-exponent) 10^exponent
  parts.digits -=
      2 * pow(boost::multiprecision::cpp_int(10), static_cast<unsigned>(-parts.exponent));
  if (parts.digits < 0) {
    parts.digits = -parts.digits;
    parts.negative = !parts.negative;
  }
  return nearest<Wide>(parts);
}

template <class Real>
StudentT<Real>::StudentT(const ExactDecimal& nu) : nu_(static_cast<Real>(nu.wide())) {
  const Wide m = nu.wide() / 2;
  const Wide excess = student_excess(nu);
  // Gamma(m + 1/2)/(Gamma(m) sqrt(pi (nu - 2)))
  norm_ = static_cast<Real>(Wide(gamma_ratio(m) * sqrt(Wide(m / (wide_pi() * excess)))));
  inverse_root_ = static_cast<Real>(Wide(1 / sqrt(excess)));
  peak_ = static_cast<Real>(Wide(exp(log_gamma_peak(m))));
  ratio_ = static_cast<Real>(Wide(sqrt(excess) / m));
}

template <class Real>
Real StudentT<Real>::density(const Real& x) const {
  const Real scaled = x * inverse_root_;
  if (scaled * scaled * (nu_ + 1) < std::numeric_limits<Real>::epsilon()) return norm_;
  return norm_ * exp_or_zero(Real(-(nu_ + 1) / 2 * log_of_one_plus(Real(scaled * scaled))));
}

// F = 1/Gamma(m) int s^(m-1) e^(-s - z^2/(4 s)) ds; with s = m e^y the exponent is
// m (y - (e^y - 1)) - z^2/(4 m) e^-y, concave in y, with its peak at e^y = (1 + r)/2,
// r = sqrt(1 + x^2), x = z/m. There it is -m [(r - 1) - ln(1 + (r - 1)/2)], and u away from there
// lower by m (1 + r)/2 (e^u - 1 - u) + m (r - 1)/2 (e^-u - 1 + u): nothing cancels, at any m.
template <class Real>
Real StudentT<Real>::transform(const Real& w, bool scaled) const {
  using std::sqrt;
  const Real m = nu_ / 2;
  const Real x = w * ratio_;
  const Real r = sqrt(Real(1 + x * x));
  const Real beyond = x * (x / (1 + r));  // r - 1
  const Real top = -m * (beyond - log_of_one_plus(Real(beyond / 2)));
  const double digits = target(m);
  const Real growth = m * x / 2 + Real(0.62) * m;
  if (!(growth < Real(1e300))) return Real(0);
  const Real h(step(digits, to_double(growth), 1.0));
  const Real right = m * (1 + r) / 2, left = m * beyond / 2;
  Real sum = 1;
  for (const int direction : {-1, 1}) {
    for (int k = 1;; ++k) {
      const Real u = direction * k * h;
      const Real drop = right * beyond_tangent(u) + left * beyond_tangent(Real(-u));
      if (!(to_double(drop) < digits + 4)) break;
      sum += exp_or_zero(Real(-drop));
    }
  }
  return h * sum * peak_ * exp_or_zero(Real(top + (scaled ? Real(m * x) : Real(0))));
}

template <class Real>
Real StudentT<Real>::characteristic(const Real& w) const {
  return transform(w, false);
}
template <class Real>
Real StudentT<Real>::scaled_characteristic(const Real& w) const {
  return transform(w, true);
}

template class StudentT<double>;
template class StudentT<long double>;
template class StudentT<Wide>;

namespace {

// int exp(-1/(1-x^2)) dx over (-1, 1) = e^(-1/2) (K_1(1/2) - K_0(1/2))
const Wide& bump_norm_wide() {
  static const Wide norm("0.443993816168079437823048921170552663761201789045697497307484553947041");
  return norm;
}
template <class Real>
const Real& bump_norm() {
  static const Real norm = static_cast<Real>(bump_norm_wide());
  return norm;
}

// Moments E x^(2k) of the density on (-1, 1), divided by (2k)!: the trapezoidal rule with step 1/n.
// Its error is the characteristic function at 2 pi n, below e^-sqrt(2 pi n).
template <class Real>
const std::vector<Real>& bump_taylor() {
  static const std::vector<Real> terms = [] {
    using std::exp;
    const int n = target(Real(0)) < 100 ? 400 : 3400;
    const int count = target(Real(0)) < 100 ? 10 : 26;
    std::vector<Real> sums(count, Real(0));
    for (int j = 1; j < n; ++j) {
      const Real x = Real(j) / n, square = x * x;
      Real term = 2 * exp(Real(-1 / (1 - square)));
      for (Real& sum : sums) {
        sum += term;
        term *= square;
      }
    }
    sums[0] += exp(Real(-1));
    Real factorial = Real(n) * bump_norm<Real>();
    for (int k = 0; k < count; ++k) {
      if (k > 0) factorial *= (2 * k - 1) * (2 * k);
      sums[k] /= factorial;
    }
    return sums;
  }();
  return terms;
}

}  // namespace

template <>
double bump_half_width<double>() {
  return 2.514868821655911;
}
template <>
long double bump_half_width<long double>() {
  return 2.51486882165591102937153072542638465921516899673452L;
}
template <>
Wide bump_half_width<Wide>() {
  static const Wide width("2.51486882165591102937153072542638465921516899673452414046153486439941");
  return width;
}

template <class Real>
Real bump_density(const Real& x) {
  const Real r = x / bump_half_width<Real>();
  if (!(r < 1)) return Real(0);
  return exp_or_zero(Real(-1 / ((1 - r) * (1 + r)))) /
         (bump_norm<Real>() * bump_half_width<Real>());
}

// int e^(-1/(1-x^2) + iwx) dx = -2 Re J, J the integral over the ray x = 1 - z, z = s e^(-i pi/4):
// there both 1/(1-x^2) = (1/z + 1/(2-z))/2 and iwx damp, and with s = e^y nothing cancels.
template <class Real>
Real bump_characteristic(const Real& frequency) {
  using std::log;
  using std::sqrt;
  const Real w = frequency * bump_half_width<Real>();
  if (w < 1) {
    const Real square = -(w * w);
    Real power = 1, sum = 0;
    for (const Real& term : bump_taylor<Real>()) {
      sum += term * power;
      power *= square;
    }
    return sum;
  }
  const double digits = target(w);
  const double root_w = std::sqrt(to_double(w));
  if (root_w > 1e17) return Real(0);
  const Real h(step(digits, 1.2 * root_w + 1, 0.6));
  const Real c = 1 / sqrt(Real(2));
  const Real peak = -log(Real(2 * w)) / 2;
  Real re = 0, im = 0;
  Real top = 0;
  const auto add = [&](const Real& y) {
    const Real s = exp_or_zero(y);
    const Real a = 2 - c * s, b = c * s;
    const Real size = 2 * (a * a + b * b);
    const Real fall = c / (2 * s) + c * w * s;  // common to both parts
    const Real damping = fall + a / size;
    if (y == peak) top = damping;
    const Real angle = -fall + b / size;
    const Real modulus = s * exp_or_zero(Real(top - damping));
    re += modulus * cosine(angle);
    im += modulus * sine(angle);
    return to_double(Real(top - damping));
  };
  add(peak);
  for (const int direction : {-1, 1}) {
    for (int k = 1;; ++k) {
      if (add(Real(peak + direction * k * h)) < -digits - 4) break;
    }
  }
  // J = e^(iw) e^(3 pi i/4) e^-top h (re + i im); e^(3 pi i/4) = c (-1 + i).
  const Real turned_re = -c * (re + im), turned_im = c * (re - im);
  const Real sum = turned_re * cosine(w) - turned_im * sine(w);
  return -2 * h * sum * exp_or_zero(Real(-top)) / bump_norm<Real>();
}

template double bump_density<double>(const double&);
template long double bump_density<long double>(const long double&);
template Wide bump_density<Wide>(const Wide&);
template double bump_characteristic<double>(const double&);
template long double bump_characteristic<long double>(const long double&);
template Wide bump_characteristic<Wide>(const Wide&);

}  // namespace tapalab
