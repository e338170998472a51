// g(t) by formula: one coordinate rademacher, both uniform, hermite2 beside itself or gaussian, or
// both singular and centered.
#include <boost/math/constants/constants.hpp>
#include <cmath>

#include "analysis/product_plan.hpp"

namespace tapalab::product {
namespace {

// g = (1/2) sum over x = u +- 1 of e^(iTvx) F(Tx)
PairTransform two_points(const Plan& plan, const Wide& T) {
  PairTransform result;
  if (plan.u == 0) {  // F is even: F(T) cos(Tv)
    result = marginal_transform(plan.transform_side, plan.v, Wide(1), T);
    result.value.im = 0;
    return result;
  }
  result.value = {};
  for (const int point : {-1, 1}) {
    const PairTransform term =
        marginal_transform(plan.transform_side, plan.v, Wide(1), Wide(T * (plan.u + point)));
    result.value = result.value + Wide(0.5) * term.value;
    result.error += term.error / 2;
    result.method = term.method;
  }
  return result;
}

// Both sides gaussian or hermite2: with A = a + b, f(x - u) = norm_f p(x - u) e^(-a(x-u)^2) and
// F(Tx) = q(x) e^(-bx^2), completing the square leaves moments of a complex normal of mean
// m = (2au + iTv)/(2A) and variance s = 1/(2A): g = norm_f sqrt(pi/A) e^(Am^2 - au^2) E p(x-u)
// q(x).
PairTransform bells(const Plan& plan, const Wide& T) {
  const bool f_hermite = plan.density_side.family == MarginalFamily::hermite2;
  const bool F_hermite = plan.transform_side.family == MarginalFamily::hermite2;
  const Wide a = f_hermite ? Wide(1.5) : Wide(0.5);
  const Wide square = T * T, b = F_hermite ? Wide(square / 6) : Wide(square / 2);
  const Wide A = a + b, s = 1 / (2 * A), Tv = T * plan.v;
  const WideComplex m{plan.u * a / A, Tv * s}, c = m - WideComplex{plan.u, Wide(0)};
  // A m^2 - a u^2 = -(a b u^2 + T^2 v^2/4)/A + i T v a u/A
  const Wide fall = (a * b * plan.u * plan.u + Tv * Tv / 4) / A;
  const Wide turn = Tv * a * plan.u / A;
  // x = m + y, y ~ N(0, s): E (c + y)^2 [1 - (T^2/3) (m + y)^2]
  const Wide third = square / 3;
  const WideComplex one{Wide(1), Wide(0)}, spread{s, Wide(0)};
  WideComplex moment = one;
  Wide size = 1;
  if (f_hermite) {
    moment = c * c + spread;
    size = abs(c) * abs(c) + s;
  }
  if (F_hermite) {
    const WideComplex with = f_hermite ? c * c * (m * m + spread) + Wide(4 * s) * (c * m) +
                                             s * (m * m) + WideComplex{3 * s * s, Wide(0)}
                                       : m * m + spread;
    const Wide mm = abs(m) * abs(m), cc = abs(c) * abs(c);
    size += third * (f_hermite ? Wide(cc * (mm + s) + 4 * s * abs(c) * abs(m) + s * mm + 3 * s * s)
                               : Wide(mm + s));
    moment = moment - third * with;
  }
  const Wide root = sqrt(Wide(a / A)) * (f_hermite ? Wide(3) : Wide(1));  // norm_f sqrt(pi/A)
  PairTransform result;
  static const Wide deepest("7e17");
  if (fall > deepest) {
    result.value = {};
    result.error = root * size * exp(Wide(-deepest));
    return result;
  }
  const Wide factor = root * exp(Wide(-fall));
  const Wide turns = turn / wide_two_pi();
  result.value = plan.u == 0 || plan.v == 0
                     ? WideComplex{factor * moment.re, Wide(0)}
                     : factor * (moment * WideComplex{cos_turns(turns), sin_turns(turns)});
  result.error = ldexp(wide_epsilon(), 8) * factor * size * (4 + fall + turn);
  return result;
}

double unit(double) { return 2.3e-16; }
Wide unit(const Wide&) { return wide_epsilon(); }
double digits(double) { return 38; }
double digits(const Wide&) { return 136; }
double series_limit(double) { return 4; }
double series_limit(const Wide&) { return 32; }
double as_double(double x) { return x; }
double as_double(const Wide& x) { return static_cast<double>(x); }

template <class Real>
struct Exponential {
  Real re, im, error;
  Real im_error;  ///< of Si alone, which holds no logarithm
};

// int_0^p (e^(iz) - 1)/z dz = -Cin(p) + i Si(p), p >= 0.
template <class Real>
Exponential<Real> exponential_integral(const Real& p) {
  using std::abs;
  using std::log;
  if (as_double(p) <= series_limit(p)) {
    // sum of (ip)^n/(n n!)
    Real term = 1, parts[4] = {0, 0, 0, 0}, size = 0;
    for (int n = 1; n < 400; ++n) {
      term *= p / n;
      const Real value = term / n;
      parts[n % 4] += value;
      size += value;
      if (value <= size * unit(p) / 8) break;
    }
    const Real error = 4 * unit(p) * size;
    return {parts[0] - parts[2], parts[1] - parts[3], error, error};
  }
  // E1(ip) = e^(-ip)/(z + 1 - 1/(z + 3 - 4/(z + 5 - ...))), z = ip; after n terms the rest is
  // about e^(-2 sqrt(2 n p)).
  const double log_error = digits(p);
  const int terms = static_cast<int>(log_error * log_error / (8 * as_double(p))) + 8;
  Real re = 2 * terms + 1, im = p;
  for (int n = terms; n >= 1; --n) {
    const Real norm = re * re + im * im;
    const Real factor = Real(n) * n / norm;
    re = 2 * n - 1 - factor * re;
    im = p + factor * im;
  }
  const Real norm = re * re + im * im;
  const Real c = detail::cosine(p), s = detail::sine(p);
  const Real e1_re = (c * re - s * im) / norm, e1_im = -(c * im + s * re) / norm;
  // Ci = -Re E1, Si = pi/2 + Im E1, Cin = euler + ln p - Ci
  const Real cin = boost::math::constants::euler<Real>() + log(p) + e1_re;
  const Real si = boost::math::constants::half_pi<Real>() + e1_im;
  return {-cin, si, unit(p) * (16 + 4 * abs(log(p))), 16 * unit(p)};
}

template <class Real>
void add_corner(int sign, const Wide& product, Exponential<Real>& sum) {
  const Exponential<Real> corner = exponential_integral(static_cast<Real>(Wide(abs(product))));
  sum.re += sign * corner.re;
  sum.im += product < 0 ? Real(-sign * corner.im) : Real(sign * corner.im);
  sum.error += corner.error;
  sum.im_error += corner.im_error;
}

// g = (1/(12 iT)) sum of +- E(T x y) over the corners x = u +- sqrt(3), y = v +- sqrt(3)
template <class Real>
PairTransform rectangle(const Plan& plan, const Wide& T) {
  const Wide width = plan.wide_f.half_width();
  Exponential<Real> sum{Real(0), Real(0), Real(0), Real(0)};
  if (plan.u == 0 && plan.v == 0) {
    add_corner(4, Wide(3 * T), sum);
    sum.re = 0;  // Cin is even: the four corners cancel
    sum.error = sum.im_error;
  } else {
    for (const int i : {-1, 1}) {
      for (const int j : {-1, 1}) {
        add_corner(i * j, Wide(T * (plan.u + i * width) * (plan.v + j * width)), sum);
      }
    }
  }
  const Wide factor = 1 / (12 * T);
  PairTransform result;
  result.value = {factor * Wide(sum.im), -factor * Wide(sum.re)};
  result.error = factor * Wide(4 * sum.error);
  return result;
}

// Both singular and centered: E (1 - i k T x)^(-1/2), x Gamma(1/2), is Tricomi's U(1/2, 1, .), a
// Bessel function; with e = 3/(8T), e <= 1,
// g = sqrt(pi e/2) [J_0(e) sin(e + pi/4) - Y_0(e) cos(e + pi/4)].
template <class Real>
PairTransform two_singular(const Wide& T) {
  using std::abs;
  using std::log;
  using std::sqrt;
  const Real e = static_cast<Real>(Wide(3 / (8 * T)));
  const Real square = e * e / 4, logarithm = log(Real(e / 2));
  Real term = 1, harmonic = 0, j = 1, rest = 0;  // J_0, and sum of H_k (-e^2/4)^k/k!^2
  for (int k = 1; abs(term) > unit(e) / 16; ++k) {
    term *= -square / (Real(k) * k);
    harmonic += Real(1) / k;
    j += term;
    rest += term * harmonic;
  }
  const Real y = 2 / boost::math::constants::pi<Real>() *
                 ((logarithm + boost::math::constants::euler<Real>()) * j - rest);
  const Real c = detail::cosine(e), s = detail::sine(e);
  const Real factor = sqrt(Real(boost::math::constants::pi<Real>() * e)) / 2;
  PairTransform result;
  result.value = {Wide(Real(factor * (j * (s + c) - y * (c - s)))), Wide(0)};
  result.error = Wide(Real(factor * unit(e) * (8 + 4 * abs(logarithm))));
  return result;
}

// Both laplace and centered: z (Ci(z) sin z + (pi/2 - Si(z)) cos z), z = 2/T <= 4.
template <class Real>
PairTransform two_laplace(const Wide& T) {
  using std::abs;
  using std::log;
  const Real z = static_cast<Real>(Wide(2 / T));
  const Exponential<Real> e = exponential_integral(z);
  const Real logarithm = log(z);
  const Real ci = boost::math::constants::euler<Real>() + logarithm + e.re;
  const Real rest = boost::math::constants::half_pi<Real>() - e.im;
  PairTransform result;
  result.value = {Wide(Real(z * (ci * detail::sine(z) + rest * detail::cosine(z)))), Wide(0)};
  result.error = Wide(Real(z * (2 * e.error + unit(z) * (12 + 4 * abs(logarithm)))));
  return result;
}

}  // namespace

std::optional<PairTransform> closed_form(const Plan& plan, const Wide& T, double target) {
  if (plan.density_side.family == MarginalFamily::rademacher) return two_points(plan, T);
  const auto bell = [](MarginalFamily family) {
    return family == MarginalFamily::gaussian || family == MarginalFamily::hermite2;
  };
  if (bell(plan.density_side.family) && bell(plan.transform_side.family) &&
      (plan.density_side.family == MarginalFamily::hermite2 ||
       plan.transform_side.family == MarginalFamily::hermite2)) {
    return bells(plan, T);
  }
  const auto met = [&](const PairTransform& result) {
    return result.error <= Wide(target) * abs(result.value);
  };
  if (plan.density_side.family == MarginalFamily::laplace &&
      plan.transform_side.family == MarginalFamily::laplace && plan.u == 0 && plan.v == 0 &&
      T >= Wide(0.5)) {
    static const Wide most("1e300");  // in double
    if (T < most) {
      if (const PairTransform quick = two_laplace<double>(T); met(quick)) return quick;
    }
    PairTransform full = two_laplace<Wide>(T);
    full.error *= 16;
    return full;
  }
  if (plan.density_side.family == MarginalFamily::singular &&
      plan.transform_side.family == MarginalFamily::singular && plan.u == 0 && plan.v == 0 &&
      T > Wide(0.375)) {
    static const Wide largest("1e300");  // in double
    if (T < largest) {
      if (const PairTransform quick = two_singular<double>(T); met(quick)) return quick;
    }
    PairTransform full = two_singular<Wide>(T);
    full.error *= 16;  // a few units each of the logarithm, cosine and sine
    return full;
  }
  if (!ProductPair::is_closed(plan.density_side, plan.transform_side)) return std::nullopt;
  const PairTransform quick = rectangle<double>(plan, T);
  if (met(quick)) return quick;
  return rectangle<Wide>(plan, T);
}

}  // namespace tapalab::product
