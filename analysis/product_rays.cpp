// g(t) with both means away from 0 and F falling only like a power (laplace, singular): the
// integrand e^(iTvx) f(x - u) F(Tx) oscillates for ever on the real line and falls exponentially on
// rays into the upper half-plane. Proof of each turn: docs/theory/product.md.
#include <cmath>
#include <complex>

#include "analysis/double_exponential.hpp"
#include "analysis/product_plan.hpp"

namespace tapalab::product {
namespace {

using DoubleComplex = std::complex<double>;

DoubleComplex complex(double re, double im) { return {re, im}; }
WideComplex complex(const Wide& re, const Wide& im) { return {re, im}; }
DoubleComplex reciprocal(const DoubleComplex& z) { return 1.0 / z; }
double real(const DoubleComplex& z) { return z.real(); }
Wide real(const WideComplex& z) { return z.re; }
double imag(const DoubleComplex& z) { return z.imag(); }
Wide imag(const WideComplex& z) { return z.im; }
WideComplex operator-(const WideComplex& z) { return {-z.re, -z.im}; }
double roundoff(double) { return 1.1102230246251565e-16; }
Wide roundoff(const Wide&) { return ldexp(wide_epsilon(), 16); }
double root(double x) { return std::sqrt(x); }
Wide root(const Wide& x) { return sqrt(x); }
double absolute_value(double x) { return std::fabs(x); }
Wide absolute_value(const Wide& x) { return abs(x); }

template <class Real>
using ComplexOf = decltype(complex(Real(0), Real(0)));

template <class Real>
class Rays {
 public:
  using Complex = ComplexOf<Real>;

  Rays(const Plan& plan, const Wide& T, double tolerance)
      : plan_(plan), wide_T_(T), T_(static_cast<Real>(T)), tolerance_(tolerance) {
    Tv_ = static_cast<Real>(Wide(T * plan.v));
    const Real root3 = root(Real(3)), root2 = root(Real(2));
    const MarginalFamily family = plan.density_side.family;
    if (family == MarginalFamily::laplace) {
      rate_ = root2;
      norm_ = 1 / root2;
    } else if (family == MarginalFamily::singular) {
      rate_ = root3 / 2;
      norm_ = root(Real(root3 / 2)) / (2 * root(static_cast<Real>(wide_pi())));
    } else {
      norm_ = 1 / (2 * root3);
    }
  }

  PairTransform transform() {
    const Wide& u = plan_.u;
    if (plan_.density_side.family == MarginalFamily::uniform) {
      const Wide low = u - plan_.wide_f.half_width(), high = u + plan_.wide_f.half_width();
      if (low < 0) {
        add(low, Side::none, true, 1);
        add(Wide(0), Side::none, true, -1);
        add(Wide(0), Side::none, false, 1);
      } else {
        add(low, Side::none, false, 1);
      }
      add(high, Side::none, false, -1);
    } else {
      add(Wide(0), Side::left, true, -1);
      if (u > 0) {
        add(Wide(0), Side::left, false, 1);
        add(u, Side::left, false, -1);
      }
      add(u, Side::right, false, 1);
    }
    PairTransform result;
    result.value = {Wide(real(value_)), Wide(imag(value_))};
    result.error = Wide(difference_ + roundoff(T_) * rounding_);
    return result;
  }

 private:
  /// Which continuation of f: from x < u, from x > u, or a constant.
  enum class Side { none, left, right };

  // sign times the integral over the ray from `start` at 45 degrees, or 135 where `leftwards`.
  void add(const Wide& start, Side side, bool leftwards, int sign) {
    const Real c = 1 / root(Real(2));
    const Complex direction = complex(leftwards ? Real(-c) : c, c);
    const Real x0 = static_cast<Real>(start);
    const Real d0 = static_cast<Real>(Wide(start - plan_.u));
    const auto integrand = [&](const Real& s) -> Complex {
      const Complex step = s * direction;
      const Complex x = complex(Real(x0 + real(step)), imag(step));
      const Complex d = complex(Real(d0 + real(step)), imag(step));
      // e^(iTv step), and the exponential of f, in one exponent
      Complex exponent = complex(Real(-Tv_ * imag(step)), Real(Tv_ * real(step)));
      if (side == Side::left) exponent = exponent + rate_ * d;
      if (side == Side::right) exponent = exponent - rate_ * d;
      if (real(exponent) < -1e6) return Complex{};
      Complex value = norm_ * (exp(exponent) * transform_at(T_ * x));
      if (plan_.density_side.family == MarginalFamily::singular) {
        value = value * reciprocal(sqrt(side == Side::left ? -d : d));
      }
      return value;
    };
    const Real scale = 1 / (1 + Tv_);
    const auto part = plan_.density_side.family == MarginalFamily::singular
                          ? rooted_half_line_integral<Real, Complex>(integrand, scale, tolerance_)
                          : half_line_integral<Real, Complex>(integrand, scale, tolerance_);
    const Wide turns = wide_T_ * plan_.v * start / wide_two_pi();
    const Complex phase =
        complex(static_cast<Real>(cos_turns(turns)), static_cast<Real>(sin_turns(turns)));
    value_ = value_ + Real(sign) * (phase * direction * part.value);
    difference_ += part.difference;
    // Units of f's exponent at the ray's start, of x - u there and of the rate, beside those of the
    // integrand.
    rounding_ += (24 + 4 * rate_ * absolute_value(d0)) * part.absolute;
  }

  // F off the real line.
  Complex transform_at(const Complex& w) const {
    const Complex one = complex(Real(1), Real(0));
    if (plan_.transform_side.family == MarginalFamily::laplace) {
      return reciprocal(one + Real(0.5) * (w * w));
    }
    // ((1 - ikw)^(-1/2) + (1 + ikw)^(-1/2))/2, k = 2/sqrt(3)
    const Complex kw = (2 / root(Real(3))) * w;
    const Complex turned = complex(Real(-imag(kw)), real(kw));
    return Real(0.5) * (reciprocal(sqrt(one - turned)) + reciprocal(sqrt(one + turned)));
  }

  const Plan& plan_;
  Wide wide_T_;
  Real T_, Tv_, rate_{0}, norm_{0};
  double tolerance_;
  Complex value_{};
  Real difference_{0}, rounding_{0};
};

}  // namespace

bool needs_turned_contour(const Plan& plan, const Wide& T) {
  const MarginalFamily F = plan.transform_side.family;
  if (F != MarginalFamily::laplace && F != MarginalFamily::singular) return false;
  // Beyond 4 the rays fall faster than the continuation of any f grows.
  return plan.v > 0 && T * plan.v > 4;
}

PairTransform turned_double_quadrature(const Plan& plan, const Wide& T) {
  PairTransform result = Rays<double>(plan, T, 1e-14).transform();
  result.method = PairMethod::double_quadrature;
  return result;
}

PairTransform turned_wide_quadrature(const Plan& plan, const Wide& T, double tolerance) {
  PairTransform result = Rays<Wide>(plan, T, tolerance).transform();
  result.method = PairMethod::wide_quadrature;
  return result;
}

}  // namespace tapalab::product
