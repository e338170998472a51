#include "proofs-check/radial_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/arb_hypgeom.h>
#else
#include <arb_hypgeom.h>
#endif

#include <algorithm>
#include <cmath>

#include "proofs-check/score_forms_ball.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

constexpr double kMostScaleNodes = 0x1p20;

Ball log_gamma_ball(const Ball& x) {
  Ball result(0, x.bits());
  arb_lgamma(result.get(), x.get(), x.bits());
  return result;
}
Ball cosine_ball(double angle, slong bits) {
  Ball result = Ball::exactly(angle, bits);
  arb_cos(result.get(), result.get(), bits);
  return result;
}
/// At least |x|, as a ball that is its own upper end.
Ball at_most(const Ball& x) {
  Ball result(0, x.bits());
  arb_get_abs_ubound_arf(arb_midref(result.get()), x.get(), x.bits());
  return result;
}
/// b^2 = n Gamma(n/4)/Gamma(n/4 + 1/2)
Ball width_squared_ball(slong coordinates, slong bits) {
  const Ball n(coordinates, bits), quarter = n / 4;
  return n * exp(log_gamma_ball(quarter) - log_gamma_ball(quarter + Ball(1, bits) / 2));
}
double about(const Ball& x) { return static_cast<double>(x.midpoint_wide()); }

/// E_rho |a|^j <= c_0 + c_1 rho + c_2 rho^2 for x = mean + rho^(1/2) S y, y ~ N(0, I).
struct AmplitudeBound {
  Ball c0, c1, c2;

  Ball at(const Ball& rho) const { return c0 + rho * (c1 + rho * c2); }
};

/// Nodes m h, from <= m <= to, and what the rule and the ends leave out at most.
struct ScaleRule {
  double step;
  long from, to;
};

class RadialInBalls {
 public:
  RadialInBalls(const CurveTask& task, const RadialDensity& density, slong bits)
      : bits_(bits),
        lambda_(0.6931471805599453 * 0.9 * static_cast<double>(bits)),
        coordinates_(2 * static_cast<slong>(task.head_dim)),
        density_(density),
        work_(work_bits(task)),
        full_(forms(task, false, work_), work_),
        centred_(forms(task, true, bits), bits) {
    mean = full_.amplitude_mean();
    const Ball centred_mean = centred_.amplitude_mean();
    const Ball variance_0 = centred_.amplitude_variance();
    const Ball V = full_.amplitude_variance();
    variance = V;
    if (is_student()) {
      k_ = Ball::decimal(density.nu.text(), bits) / 2;
    } else {
      width_squared_ = width_squared_ball(coordinates_, bits);
    }
    const Ball second = variance_0 + centred_mean * centred_mean;
    const auto spread = scale_spread_ball(density, task.head_dim, bits);
    has_variance = spread.has_value();
    if (has_variance) {
      spread_ = *spread;
      variance += spread_ * second;
    }
    const Ball constant = abs(mean - centred_mean);  // a at R = 0
    squares_ = {constant * constant, abs(V - variance_0) + constant * abs(centred_mean) * 2,
                second};
    // E|a| <= (E a^2)^(1/2), and (x + y)^(1/2) <= x^(1/2) + y^(1/2), rho^(1/2) <= (1 + rho)/2
    const auto root = [&](const Ball& x) { return sqrt(at_most(x)); };
    const Ball middle = root(squares_.c1) / 2;
    sizes_ = {root(squares_.c0) + middle, root(squares_.c2) + middle, Ball(0, bits)};
  }

  Ball mean{0, 64}, variance{0, 64};
  bool has_variance = true;

  bool is_odd() const { return full_.amplitude_is_odd(); }
  /// What `t` is to be given with.
  slong bits_of_time() const { return work_; }

  /// Phi_order(t).
  ComplexBall at(const Ball& t, int order) const {
    return is_student() ? student(t, order) : quartic(t, order);
  }

 private:
  // Elimination of blocks of more than two coordinates cancels where 1/rho is far below t K: as
  // many bits more, for the largest rho of student-t-joint, about e^(lambda/(k - order)).
  slong work_bits(const CurveTask& task) const {
    if (!is_student() || !std::holds_alternative<TapaGeneralEncoding>(task.encoding.law)) {
      return bits_;
    }
    const double rest = density_.nu.value() / 2 - (density_.nu.compare(4) > 0 ? 2 : 1);
    return bits_ + static_cast<slong>(std::min(3 * lambda_ / (0.69 * rest), 8192.0));
  }
  GaussianFormsBall forms(const CurveTask& task, bool centred, slong bits) const {
    GaussianFormsBall forms = gaussian_laws_ball(task, bits).front().forms;
    if (centred) std::fill(forms.mean.begin(), forms.mean.end(), Ball(0, bits));
    add_phase_score_ball(task, forms, bits);
    return forms;
  }
  bool is_student() const { return density_.shape == RadialShape::student_t; }
  const AmplitudeBound& bound(int order) const { return order == 1 ? sizes_ : squares_; }

  // sum of h f(m h) over the rule's nodes, with `left_out` on both parts
  template <class Term>
  ComplexBall sum(const ScaleRule& rule, const Ball& left_out, const Term& term) const {
    ComplexBall total{Ball(0, bits_), Ball(0, bits_)};
    const Ball h = Ball::exactly(rule.step, bits_);
    for (long m = rule.from; m <= rule.to; ++m) {
      throw_if_interrupted();
      total = total + term(h * m);
    }
    total = {h * total.re, h * total.im};
    arb_add_error(total.re.get(), left_out.get());
    arb_add_error(total.im.get(), left_out.get());
    return total;
  }
  // (e^(2 pi width/h) - 1)^-1
  Ball aliases(double width, double step) const {
    const Ball exponent =
        Ball::pi(bits_) * 2 * Ball::exactly(width, bits_) / Ball::exactly(step, bits_);
    return Ball(1, bits_) / (exp(exponent) - 1);
  }
  void check_nodes(const ScaleRule& rule) const {
    if (static_cast<double>(rule.to) - static_cast<double>(rule.from) < kMostScaleNodes) return;
    throw InputError("--engine ball: nu = " + density_.nu.text() +
                     " leaves tails too long for the integral over the scale in balls; accepted: "
                     "nu further from 2 and 4");
  }
  ComplexBall of_order(const TransformBall& phi, int order) const {
    return order == 1 ? phi.phi1 : phi.phi2;
  }

  // int W(v) Phi^((1 - 1/k) e^-v) dv, W = k^k/Gamma(k) e^(k v - k e^v)
  ComplexBall student(const Ball& t, int order) const {
    const double k = about(k_), n = static_cast<double>(coordinates_), half_n = n / 2;
    const Ball ratio = (k_ - 1) / k_;
    const Ball nu = Ball::decimal(density_.nu.text(), work_), work_ratio = (nu - 2) / nu;
    const Ball log_norm = k_ * log(k_) - log_gamma_ball(k_);
    // The widest step: over lines Im v = +-theta |f| integrates to (cos theta)^(-k - n/2) E|a|^j.
    ScaleRule rule{0, 0, 0};
    double width = 0;
    for (double theta = 1.5; theta > 1e-60; theta *= 0.9) {
      const double sine = std::sin(theta / 2);
      const double growth = -(k + half_n) * std::log1p(-2 * sine * sine);
      const double step = 6.283185307179586 * theta / (lambda_ + growth);
      if (step <= rule.step) continue;
      rule.step = step;
      width = theta;
    }
    // Ends beyond which W rho^order falls geometrically, at the rates k (1 - e^v) - order to the
    // left and k (e^v - 1) to the right.
    const auto beyond = [&](double v) { return k * (std::expm1(v) - v); };  // -ln(W/W(0))
    double left = std::min(1.0, 1 / std::sqrt(k)), right = left;
    while (left < 1e8 &&
           (-k * std::expm1(-left) - order < 0.5 * (k - order) * std::min(left, 1.0) ||
            beyond(-left) - order * left < lambda_)) {
      left *= 1.1;
    }
    while (right < 1e3 && beyond(right) < lambda_) right *= 1.1;
    rule.from = -static_cast<long>(std::min(left / rule.step, 1e15)) - 1;
    rule.to = static_cast<long>(right / rule.step) + 1;
    check_nodes(rule);
    const auto weight = [&](const Ball& v) { return exp(k_ * (v - exp(v)) + log_norm); };
    const Ball h = Ball::exactly(rule.step, bits_);
    const Ball first = h * rule.from, last = h * rule.to;
    const Ball left_rate = -(k_ * (exp(first) - 1)) - order, right_rate = k_ * (exp(last) - 1);
    Ball left_out(1, bits_);
    if (left_rate.certainly_positive() && right_rate.certainly_positive()) {
      // rho <= 1 to the right; to the left the bound times its largest growth, e^(-order v)
      left_out = weight(first) * bound(order).at(ratio * exp(-first)) / left_rate +
                 weight(last) * bound(order).at(ratio) / right_rate;
    } else {
      arb_pos_inf(left_out.get());
    }
    const Ball growth = exp(-((k_ + coordinates_ / 2) * log(cosine_ball(width, bits_))));
    const AmplitudeBound& size = bound(order);
    Ball moments = size.c0 + size.c1;  // E rho = 1
    if (order == 2) moments += size.c2 * (spread_ + 1);
    left_out += growth * moments * aliases(width, rule.step) * 2;
    return sum(rule, at_most(left_out), [&](const Ball& v) {
      const ComplexBall zeta{exp(v.with_bits(work_)) / work_ratio, Ball(0, work_)};
      const ComplexBall phi = of_order(full_.at(t, zeta), order);
      const Ball w = weight(v);
      return ComplexBall{w * phi.re, w * phi.im};
    });
  }

  // norm int e^(z^2/4) z^(-n/2) Phi^(b^2/(2 z)) dy, z = c + i y
  ComplexBall quartic(const Ball& t, int order) const {
    const double n = static_cast<double>(coordinates_), c = std::sqrt(n);
    const Ball half = Ball(coordinates_, bits_) / 2, quarter = half / 2;
    const Ball pi = Ball::pi(bits_);
    const Ball norm = exp(log_gamma_ball(half) - log_gamma_ball(quarter)) / sqrt(pi);
    // ln of e^(x^2/4) x^(-n/2) over its value at c
    const auto rise = [&](double x) { return (x * x - n) / 4 - n / 2 * std::log(x / c); };
    ScaleRule rule{0, 0, 0};
    double width = 0;
    for (double part = 0.98; part > 0.02; part *= 0.95) {
      const double growth = std::max(rise(c * (1 - part)), rise(c * (1 + part)));
      const double step = 6.283185307179586 * part * c / (lambda_ + growth);
      if (step <= rule.step) continue;
      rule.step = step;
      width = part * c;
    }
    const double reach = 2 * std::sqrt(lambda_);
    rule.to = static_cast<long>(reach / rule.step) + 1;
    rule.from = -rule.to;
    check_nodes(rule);
    const Ball center = Ball::exactly(c, bits_);
    const auto line = [&](const Ball& x) {  // |f| on Re z = x is at most this times e^(-y^2/4)
      return norm * exp(x * x / 4 - half * log(x)) * bound(order).at(width_squared_ / (x * 2));
    };
    const Ball a = Ball::exactly(width, bits_);
    const Ball last = Ball::exactly(rule.step, bits_) * rule.to;
    // int e^(-y^2/4) dy = 2 sqrt(pi); beyond |y| = Y at most (4/Y) e^(-Y^2/4)
    const Ball left_out =
        (line(center - a) + line(center + a)) * sqrt(pi) * 2 * aliases(width, rule.step) +
        line(center) * exp(-(last * last / 4)) * 4 / last;
    const Ball minus_half = -half;
    return sum(rule, at_most(left_out), [&](const Ball& y) {
      const ComplexBall z{center, y};
      const ComplexBall square = z * z;
      const ComplexBall weight =
          exp(ComplexBall{square.re / 4, square.im / 4}) * pow(z, minus_half);
      const Ball two_over(2, bits_);
      const ComplexBall zeta{two_over * z.re / width_squared_, two_over * z.im / width_squared_};
      const ComplexBall phi = weight * of_order(full_.at(t, zeta), order);
      return ComplexBall{norm * phi.re, norm * phi.im};
    });
  }

  slong bits_;
  double lambda_;  ///< what is left out is about e^-lambda
  slong coordinates_;
  const RadialDensity& density_;
  slong work_;
  GaussianTransformBall full_, centred_;
  Ball k_{0, 64};              ///< nu/2 of student-t-joint
  Ball width_squared_{0, 64};  ///< b^2 of quartic
  Ball spread_{0, 64};         ///< E R^4 - 1, where that is finite
  AmplitudeBound squares_{Ball(0, 64), Ball(0, 64), Ball(0, 64)}, sizes_ = squares_;
};

}  // namespace

std::optional<Ball> scale_spread_ball(const RadialDensity& density, std::uint32_t head_dim,
                                      slong bits) {
  if (density.shape == RadialShape::student_t) {
    if (density.nu.compare(4) <= 0) return std::nullopt;
    return Ball(2, bits) / (Ball::decimal(density.nu.text(), bits) - 4);
  }
  const Ball square = width_squared_ball(2 * static_cast<slong>(head_dim), bits);
  return square * square / (8 * (static_cast<slong>(head_dim) + 1)) - 1;
}

PointBalls radial_balls(const CurveTask& task, std::uint64_t distance, slong bits) {
  const auto& density = std::get<RadialDensity>(task.density.law);
  const RadialInBalls radial(task, density, bits);
  const slong fine = radial.bits_of_time();
  const Ball t = Ball::pi(fine) * 2 * phase_scale_ball(task, distance, fine);
  const Ball square = radial.variance + radial.mean * radial.mean;
  const bool still = arb_is_zero(t.get()) != 0;
  ComplexBall first{still ? radial.mean : Ball(0, bits), Ball(0, bits)};
  if (!still && !radial.is_odd()) first = radial.at(t, 1);
  PointBalls result{first.re, abs(first), radial.variance, std::nullopt, radial.has_variance};
  if (!radial.has_variance) return result;
  result.excess =
      still ? radial.variance - square / 2 : radial.at(t * 2, 2).re / 2 - first.re * first.re;
  if (!still) result.variance = square / 2 + *result.excess;
  return result;
}

}  // namespace tapalab
