#include "proofs-check/marginal_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <arb_hypgeom.h>
#endif

#include <cmath>
#include <limits>

#include "proofs-check/acb_number.hpp"
#include "proofs-check/bump_ball.hpp"

namespace tapalab {
namespace {

Ball real_function(const Ball& x, void (*f)(arb_t, const arb_t, slong)) {
  Ball result(0, x.bits());
  f(result.get(), x.get(), x.bits());
  return result;
}
Ball gamma_ball(const Ball& x) { return real_function(x, arb_gamma); }
}  // namespace

Ball half_width_ball(const Marginal& law, slong bits) {
  if (law.family == MarginalFamily::uniform) return sqrt(Ball(3, bits));
  if (law.family == MarginalFamily::bump) return bump_width_ball(bits);
  return Ball(0, bits);
}

Ball characteristic_ball(const Marginal& law, const Ball& w) {
  const slong bits = w.bits();
  const Ball y = abs(w), one(1, bits), root3 = sqrt(Ball(3, bits));
  switch (law.family) {
    case MarginalFamily::rademacher:
      return cos_turns(y / (Ball::pi(bits) * 2));
    case MarginalFamily::bump:
      return bump_characteristic_ball(y * half_width_ball(law, bits));
    case MarginalFamily::student_t:
      if (arb_is_zero(y.get())) return one;
      break;
    case MarginalFamily::uniform:
      return real_function(y * root3, arb_sinc);
    case MarginalFamily::hermite2:
      return (one - y * y / 3) * exp(-(y * y / 6));
    default:
      break;
  }
  const MarginalBall analytic(law, bits);
  AcbNumber z, value;
  acb_set_arb(z.z, y.get());
  analytic.characteristic(value.z, z.z, 0, bits);
  Ball result(0, bits);
  arb_set(result.get(), acb_realref(value.z));
  return result;
}

MarginalBall::~MarginalBall() = default;

MarginalBall::MarginalBall(const Marginal& law, slong bits)
    : law_(law), bits_(bits), norm_(1, bits), rate_(1, bits), order_(0, bits), spread_(0, bits) {
  const Ball pi = Ball::pi(bits), root2 = sqrt(Ball(2, bits)), root3 = sqrt(Ball(3, bits));
  switch (law.family) {
    case MarginalFamily::gaussian:
      norm_ = Ball(1, bits) / sqrt(pi * 2);
      break;
    case MarginalFamily::sech:
      rate_ = pi / 2;
      norm_ = Ball(1, bits) / 2;
      break;
    case MarginalFamily::logistic:
      rate_ = pi / root3 / 2;
      norm_ = rate_ / 2;
      break;
    case MarginalFamily::bump:
      rate_ = bump_width_ball(bits);
      norm_ = Ball(1, bits) / (rate_ * bump_norm_ball(bits));
      break;
    case MarginalFamily::hermite2:
      norm_ = root3 * 3 / sqrt(pi * 2);
      break;
    case MarginalFamily::laplace:
      rate_ = root2;
      norm_ = Ball(1, bits) / root2;
      break;
    case MarginalFamily::uniform:
      norm_ = Ball(1, bits) / (root3 * 2);
      break;
    case MarginalFamily::student_t: {
      const Ball nu = Ball::decimal(law.nu.text(), bits);
      spread_ = nu - 2;
      order_ = (nu + 1) / 2;
      rate_ = sqrt(spread_);
      norm_ = gamma_ball(order_) / (gamma_ball(nu / 2) * sqrt(pi * spread_));
      break;
    }
    case MarginalFamily::singular:
      rate_ = root3 / 2;
      norm_ = sqrt(rate_) / (sqrt(pi) * 2);
      break;
    case MarginalFamily::rademacher:
      break;
  }
}

void MarginalBall::density(acb_t result, const acb_t d, int side, int analytic, slong bits) const {
  switch (law_.family) {
    case MarginalFamily::gaussian:
    case MarginalFamily::hermite2: {
      const bool hermite = law_.family == MarginalFamily::hermite2;
      AcbNumber square;
      acb_mul(square.z, d, d, bits);
      acb_mul_si(result, square.z, hermite ? -3 : -1, bits);
      acb_mul_2exp_si(result, result, -1);
      acb_exp(result, result, bits);
      if (hermite) acb_mul(result, result, square.z, bits);
      break;
    }
    case MarginalFamily::sech:
    case MarginalFamily::logistic:
      acb_mul_arb(result, d, rate_.get(), bits);
      acb_sech(result, result, bits);
      if (law_.family == MarginalFamily::logistic) acb_mul(result, result, result, bits);
      break;
    case MarginalFamily::bump: {
      AcbNumber x;
      acb_div_arb(x.z, d, rate_.get(), bits);
      acb_mul(x.z, x.z, x.z, bits);
      acb_sub_ui(x.z, x.z, 1, bits);
      acb_inv(x.z, x.z, bits);
      acb_exp(result, x.z, bits);
      break;
    }
    case MarginalFamily::laplace:
    case MarginalFamily::singular:
      acb_mul_arb(result, d, rate_.get(), bits);
      if (side > 0) acb_neg(result, result);
      acb_exp(result, result, bits);
      break;
    case MarginalFamily::student_t: {
      AcbNumber x, power;
      acb_mul(x.z, d, d, bits);
      acb_div_arb(x.z, x.z, spread_.get(), bits);
      acb_add_ui(x.z, x.z, 1, bits);
      acb_set_arb(power.z, Ball(-order_).get());
      acb_pow_analytic(result, x.z, power.z, analytic, bits);
      break;
    }
    case MarginalFamily::uniform:
      acb_one(result);
      break;
    case MarginalFamily::rademacher:
      acb_indeterminate(result);
      break;
  }
  acb_mul_arb(result, result, norm_.get(), bits);
}

void MarginalBall::characteristic(acb_t result, const acb_t w, int analytic, slong bits) const {
  switch (law_.family) {
    case MarginalFamily::gaussian:
    case MarginalFamily::hermite2: {
      const bool hermite = law_.family == MarginalFamily::hermite2;
      AcbNumber square;
      acb_mul(square.z, w, w, bits);
      acb_div_si(result, square.z, hermite ? -6 : -2, bits);
      acb_exp(result, result, bits);
      if (hermite) {
        acb_div_si(square.z, square.z, -3, bits);
        acb_add_ui(square.z, square.z, 1, bits);
        acb_mul(result, result, square.z, bits);
      }
      break;
    }
    case MarginalFamily::sech:
      acb_sech(result, w, bits);
      break;
    case MarginalFamily::logistic: {  // z/sinh z, z = sqrt(3) w; near 0: 1/sinc(iz)
      AcbNumber z;
      acb_mul_arb(z.z, w, sqrt(Ball(3, bits)).get(), bits);
      if (acb_contains_zero(z.z)) {
        acb_mul_onei(z.z, z.z);
        acb_sinc(z.z, z.z, bits);
        acb_inv(result, z.z, bits);
      } else {
        acb_csch(result, z.z, bits);
        acb_mul(result, result, z.z, bits);
      }
      break;
    }
    case MarginalFamily::laplace:
      acb_mul(result, w, w, bits);
      acb_mul_2exp_si(result, result, -1);
      acb_add_ui(result, result, 1, bits);
      acb_inv(result, result, bits);
      break;
    case MarginalFamily::uniform:
      acb_mul_arb(result, w, sqrt(Ball(3, bits)).get(), bits);
      acb_sinc(result, result, bits);
      break;
    case MarginalFamily::singular: {  // ((1 - ikw)^(-1/2) + (1 + ikw)^(-1/2))/2, k = 2/sqrt(3)
      AcbNumber z, up;
      acb_div_arb(z.z, w, rate_.get(), bits);
      acb_mul_onei(z.z, z.z);
      acb_add_ui(up.z, z.z, 1, bits);
      acb_sub_ui(z.z, z.z, 1, bits);
      acb_neg(z.z, z.z);
      acb_rsqrt_analytic(up.z, up.z, analytic, bits);
      acb_rsqrt_analytic(z.z, z.z, analytic, bits);
      acb_add(result, up.z, z.z, bits);
      acb_mul_2exp_si(result, result, -1);
      break;
    }
    case MarginalFamily::student_t: {  // (2/Gamma(m)) (z/2)^m K_m(z), z = w sqrt(nu - 2), m = nu/2
      if (!arb_is_positive(acb_realref(w))) {
        acb_indeterminate(result);
        break;
      }
      const Ball m = order_ - Ball(1, bits_) / 2;
      AcbNumber z, order, power;
      acb_mul_arb(z.z, w, rate_.get(), bits);
      const bool wide = acb_rel_accuracy_bits(z.z) < 16;
      if (wide) {  // |K_m(z)| <= K_m(Re z): all that an ellipse asks for
        Ball least(0, 64), size(0, 64);
        arb_get_lbound_arf(arb_midref(least.get()), acb_realref(z.z), 64);
        acb_get_abs_ubound_arf(arb_midref(size.get()), z.z, 64);
        const Ball order64 = m.with_bits(64);
        const Ball bound =
            pow(size / 2, order64) * bessel_k_ball(order64, least) * 2 / gamma_ball(order64);
        acb_zero(result);
        arb_add_error(acb_realref(result), bound.get());
        arb_add_error(acb_imagref(result), bound.get());
        break;
      }
      acb_set_arb(order.z, m.get());
      acb_hypgeom_bessel_k(result, order.z, z.z, bits);
      acb_mul_2exp_si(z.z, z.z, -1);
      acb_pow_analytic(power.z, z.z, order.z, analytic, bits);
      acb_mul(result, result, power.z, bits);
      acb_mul_2exp_si(result, result, 1);
      acb_div_arb(result, result, gamma_ball(m).get(), bits);
      break;
    }
    case MarginalFamily::rademacher:
      acb_cos(result, w, bits);
      break;
    case MarginalFamily::bump:
      acb_indeterminate(result);
      break;
  }
}

Ball MarginalBall::density_bound() const {
  if (law_.family == MarginalFamily::hermite2) return norm_ * 2 / 3;  // x^2 e^(-3x^2/2) < 1/4
  return norm_;
}

Ball MarginalBall::tail_bound(const Ball& x) const {
  const slong bits = bits_;
  switch (law_.family) {
    case MarginalFamily::gaussian:  // 2 Q(x) <= e^(-x^2/2)
      return exp(-(x * x / 2));
    case MarginalFamily::sech:  // (4/pi) atan e^(-pi x/2)
      return exp(-(x * rate_)) * 2;
    case MarginalFamily::logistic:  // 2/(1 + e^(pi x/sqrt 3))
      return exp(-(x * rate_ * 2)) * 2;
    case MarginalFamily::hermite2: {  // chi with 3 degrees, z = sqrt(3) x: 2 Q(z) + 2 z phi(z)
      const Ball z = x * sqrt(Ball(3, bits));
      return exp(-(z * z / 2)) * (z + 1);
    }
    case MarginalFamily::laplace:
      return exp(-(x * rate_));
    case MarginalFamily::singular:  // erfc(sqrt(sqrt(3) x/2))
      return exp(-(x * rate_));
    case MarginalFamily::student_t: {
      // 2 int_x^inf norm (y^2/(nu - 2))^(-(nu+1)/2) dy
      const Ball nu = order_ * 2 - 1;
      return norm_ * 2 * pow(spread_, order_) * pow(x, -nu) / nu;
    }
    default:
      return Ball(0, bits);
  }
}

double MarginalBall::tail_reach(double lambda) const {
  switch (law_.family) {
    case MarginalFamily::gaussian:
      return std::sqrt(2 * lambda) + 1;
    case MarginalFamily::sech:
      return (lambda + 1) * 0.6366197723675814;
    case MarginalFamily::logistic:
      return (lambda + 1) * 0.5513288954217921;
    case MarginalFamily::hermite2:
      return (std::sqrt(2 * lambda) + 3) / 1.7320508075688772;
    case MarginalFamily::laplace:
      return (lambda + 1) * 0.7071067811865476;
    case MarginalFamily::singular:
      return (lambda + 1) * 1.1547005383792515;
    case MarginalFamily::student_t: {
      const double nu = law_.nu.value();
      return std::exp(std::min(600.0, (lambda + 1) / nu)) * std::sqrt(nu);
    }
    default:
      return std::numeric_limits<double>::infinity();
  }
}

Ball MarginalBall::characteristic_bound(const Ball& w) const {
  const slong bits = bits_;
  switch (law_.family) {
    case MarginalFamily::hermite2:  // (1 + y^2/3) e^(-y^2/6) falls from y = 3 on
      return (w * w / 3 + 1) * exp(-(w * w / 6));
    case MarginalFamily::uniform:
      return Ball(1, bits) / (w * sqrt(Ball(3, bits)));
    case MarginalFamily::bump:  // docs/theory/product.md, 6
      return exp(-sqrt(w * bump_width_ball(bits))) * 16;
    case MarginalFamily::rademacher:
      return Ball(1, bits);
    default:  // falls for w > 0
      return abs(characteristic_ball(law_, w));
  }
}

double MarginalBall::characteristic_reach(double lambda) const {
  switch (law_.family) {
    case MarginalFamily::gaussian:
      return std::sqrt(2 * lambda) + 3;
    case MarginalFamily::sech:
      return lambda + 3;
    case MarginalFamily::logistic:
      return (lambda + std::log(lambda + 1) + 2) / 1.7320508075688772 + 3;
    case MarginalFamily::hermite2:
      return std::sqrt(6 * (lambda + 2 * std::log(lambda + 1) + 1)) + 3;
    case MarginalFamily::student_t: {  // about z^(m - 1/2) e^-z
      const double m = law_.nu.value() / 2;
      double z = lambda + 5;
      for (int i = 0; i < 40; ++i) {
        z = std::max(lambda + 5, lambda + 5 + (m - 0.5) * std::log(z) - std::lgamma(m));
      }
      return z / std::sqrt(std::max(1e-300, law_.nu.value() - 2)) + 3;
    }
    default:
      return std::numeric_limits<double>::infinity();
  }
}

}  // namespace tapalab
