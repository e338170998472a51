#include "proofs-check/product_pair_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb_calc.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb_calc.h>
#include <arb_hypgeom.h>
#endif

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "proofs-check/acb_number.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/marginal_ball.hpp"
#include "proofs-check/turned_pair_ball.hpp"

namespace tapalab {
namespace {

using Family = MarginalFamily;

// How late a law is chosen as F: exponential falls first, then the algebraic ones, which must not
// oscillate. Two points are always f.
double rank_as_transform(Family family, double mean) {
  switch (family) {
    case Family::gaussian:
    case Family::sech:
    case Family::logistic:
    case Family::hermite2:
      return std::min(0.9, 0.1 * mean);
    case Family::laplace:
    case Family::singular:
      return mean == 0 ? 1 : 3;
    case Family::student_t:
      return 2;
    case Family::bump:
      return 4 + std::min(0.9, 0.1 * mean);
    case Family::uniform:
      return 5;
    case Family::rademacher:
      return 9;
  }
  return 9;
}

/// int f(x - u) e^(iTvx) F(Tx) dx, u, v >= 0.
struct Problem {
  Marginal f, F;
  Ball u, v, T;
  double u_near, v_near, T_near;  ///< about u, v and T, for choices that no bound rests on
  slong bits;
};

double near(const Ball& x) {
  const Wide middle = x.midpoint_wide();
  return static_cast<double>(middle);
}

ComplexBall turn(const Ball& angle) {
  const Ball turns = angle / (Ball::pi(angle.bits()) * 2);
  return {cos_turns(turns), sin_turns(turns)};
}
ComplexBall unknown_transform(slong bits) {  // |g| <= 1
  Ball unit(0, bits);
  arb_add_error(unit.get(), Ball(1, bits).get());
  return {unit, unit};
}

// ---- closed forms ---------------------------------------------------------------------------

ComplexBall two_points(const Problem& p) {
  ComplexBall sum{Ball(0, p.bits), Ball(0, p.bits)};
  for (const slong sign : {-1, 1}) {
    const Ball x = (p.u + sign) * p.T;
    const ComplexBall angle = turn(x * p.v);
    const Ball size = characteristic_ball(p.F, x) / 2;
    sum = sum + ComplexBall{size * angle.re, size * angle.im};
  }
  return sum;
}

// -Cin(p) + i Si(p); Cin is even, Si odd.
ComplexBall exponential_integral(const Ball& p) {
  const slong bits = p.bits();
  if (arb_is_zero(p.get())) return {Ball(0, bits), Ball(0, bits)};
  const Ball size = abs(p);
  Ball euler(0, bits);
  arb_const_euler(euler.get(), bits);
  return {cosine_integral(size) - log(size) - euler, sine_integral(p)};
}

ComplexBall rectangle(const Problem& p) {
  const Ball root3 = sqrt(Ball(3, p.bits));
  if (arb_is_zero(p.u.get()) && arb_is_zero(p.v.get())) {
    const Ball z = p.T * 3;
    return {sine_integral(z) / z, Ball(0, p.bits)};
  }
  ComplexBall sum{Ball(0, p.bits), Ball(0, p.bits)};
  for (const slong i : {-1, 1}) {
    for (const slong j : {-1, 1}) {
      const ComplexBall corner = exponential_integral(p.T * (p.u + root3 * i) * (p.v + root3 * j));
      const Ball sign(i * j, p.bits);
      sum = sum + ComplexBall{sign * corner.re, sign * corner.im};
    }
  }
  const Ball factor = Ball(1, p.bits) / (p.T * 12);
  return {factor * sum.im, -(factor * sum.re)};  // sum/(12 i T)
}

// ---- quadrature -----------------------------------------------------------------------------

enum class Variable { x, root, tanh };  ///< x; x = u +- y^2; x = u + B tanh y

struct Integrand {
  const MarginalBall& f;
  const MarginalBall& F;
  const Problem& problem;
  Variable variable;
  int side;    ///< of f: x - u > 0 or < 0
  int F_side;  ///< of F: x > 0 or < 0
  Ball width;  ///< B
  Ball Tv;
  bool turns;     ///< v != 0
  Ball jacobian;  ///< constant factor
};

int evaluate_pair(acb_ptr result, const acb_t y, void* parameter, slong order, slong bits) {
  const auto& in = *static_cast<Integrand*>(parameter);
  const int analytic = order != 0;
  AcbNumber x, d, value, part;
  switch (in.variable) {
    case Variable::x:
      acb_set(x.z, y);
      acb_sub_arb(d.z, y, in.problem.u.get(), bits);
      in.f.density(value.z, d.z, in.side, analytic, bits);
      break;
    case Variable::root:  // singular: |d|^(-1/2) dx = 2 dy
      acb_mul(d.z, y, y, bits);
      if (in.side < 0) acb_neg(d.z, d.z);
      acb_add_arb(x.z, d.z, in.problem.u.get(), bits);
      in.f.density(value.z, d.z, in.side, analytic, bits);
      break;
    case Variable::tanh:  // bump: e^(-cosh^2 y) sech^2 y
      acb_tanh(d.z, y, bits);
      acb_mul_arb(d.z, d.z, in.width.get(), bits);
      acb_add_arb(x.z, d.z, in.problem.u.get(), bits);
      acb_cosh(part.z, y, bits);
      acb_mul(part.z, part.z, part.z, bits);
      acb_neg(value.z, part.z);
      acb_exp(value.z, value.z, bits);
      acb_div(value.z, value.z, part.z, bits);
      break;
  }
  if (in.turns) {
    acb_mul_arb(part.z, x.z, in.Tv.get(), bits);
    acb_mul_onei(part.z, part.z);
    acb_exp(part.z, part.z, bits);
    acb_mul(value.z, value.z, part.z, bits);
  }
  acb_mul_arb(x.z, x.z, in.problem.T.get(), bits);
  if (in.F_side < 0) acb_neg(x.z, x.z);
  in.F.characteristic(part.z, x.z, analytic, bits);
  acb_mul(value.z, value.z, part.z, bits);
  acb_mul_arb(result, value.z, in.jacobian.get(), bits);
  return 0;
}

class Quadrature {
 public:
  Quadrature(const Problem& problem)
      : p_(problem), f_(problem.f, problem.bits), F_(problem.F, problem.bits) {
    // what is left out, and errors of quadrature, against g of order 1/(1 + T)
    lambda_ = 0.6931471805599453 * 0.85 * static_cast<double>(p_.bits) + std::log1p(p_.T_near);
    // ... and of the size of F where the support of f begins, if that is beyond 0.
    const Ball first = p_.u - half_width_ball(p_.f, p_.bits);
    if (near(half_width_ball(p_.f, 64)) > 0 && first.certainly_positive()) {
      const Ball size = abs(characteristic_ball(p_.F, p_.T * first));
      if (size.certainly_positive()) lambda_ += std::clamp(-2.3 * size.log10_abs(), 0.0, 1e8);
    }
  }

  ComplexBall transform() {
    // |x| <= reach where F has not died out
    const double F_reach = F_.characteristic_reach(lambda_) / p_.T_near;
    const double f_reach = f_.tail_reach(lambda_);
    double low = std::max(p_.u_near - f_reach, -F_reach);
    double high = std::min(p_.u_near + f_reach, F_reach);
    const Family f = p_.f.family;
    const bool compact = f == Family::uniform || f == Family::bump;
    const double width = compact ? near(half_width_ball(p_.f, 64)) : 0;
    // |F| is below its bound beyond F_reach, where f has at most the mass 1
    if (std::isfinite(F_reach)) {
      left_out_ += F_.characteristic_bound(Ball::exactly(F_reach, p_.bits) * p_.T);
    }
    if (std::isfinite(f_reach)) {
      // u_near is off u by a rounding
      const double sure = f_reach - 1e-12 * (p_.u_near + f_reach);
      left_out_ += sure > 0 ? f_.tail_bound(Ball::exactly(sure, p_.bits)) : Ball(1, p_.bits);
    }
    if (compact) {
      low = std::max(low, p_.u_near - width);
      high = std::min(high, p_.u_near + width);
    }
    if (!(low < high)) return finish();
    // F is not analytic at 0: a sliver is left out there
    std::vector<double> ends{low, high};
    const bool broken = p_.F.family == Family::student_t && low < 0 && high > 0;
    const double sliver = broken ? sliver_width() : 0;
    if (broken) ends.insert(ends.end(), {-sliver, sliver});
    const bool break_at_u = f == Family::laplace || f == Family::singular;
    if (break_at_u && low < p_.u_near && p_.u_near < high) ends.push_back(p_.u_near);
    // where F, and f, live
    for (const double x : {0.0, p_.u_near, -1 / p_.T_near, 1 / p_.T_near}) {
      if (!broken && low < x && x < high) ends.push_back(x);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<std::pair<double, double>> pieces;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      if (broken && ends[i] >= -sliver && ends[i + 1] <= sliver) continue;
      pieces.emplace_back(ends[i], ends[i + 1]);
    }
    // the largest part first: it tells the others what is negligible
    std::sort(pieces.begin(), pieces.end(), [&](const auto& a, const auto& b) {
      const auto distance = [&](const auto& piece) {
        return piece.first <= 0 && piece.second >= 0
                   ? 0
                   : std::min(std::fabs(piece.first), std::fabs(piece.second));
      };
      return distance(a) < distance(b);
    });
    for (const auto& [a, b] : pieces) add_piece(a, b, low, high, width);
    return finish();
  }

 private:
  // the mass of f on a sliver of this width around 0 is below e^-lambda
  double sliver_width() {
    const double bound = std::exp(-lambda_);
    double half = 0.25 * bound;
    if (p_.f.family == Family::singular) half = std::max(half * half, 1e-280);
    const Ball width = Ball::exactly(half, p_.bits) * 2;
    // singular: int |x|^(-1/2) over any interval of this length is at most 4 sqrt(half)
    left_out_ += p_.f.family == Family::singular ? f_.density_bound() * sqrt(width) * 4
                                                 : f_.density_bound() * width;
    return half;
  }

  // An end as a ball: the exact place where f breaks or ends, else the double itself.
  Ball end_ball(double x, double width) const {
    if (x == p_.u_near) return p_.u;
    if (p_.f.family == Family::uniform) {
      if (x == p_.u_near - width) return p_.u - half_width_ball(p_.f, p_.bits);
      if (x == p_.u_near + width) return p_.u + half_width_ball(p_.f, p_.bits);
    }
    return Ball::exactly(x, p_.bits);
  }

  void add_piece(double a, double b, double low, double high, double width) {
    const Family f = p_.f.family;
    const bool turns = !arb_is_zero(p_.v.get());
    const double middle = a + (b - a) / 2;
    Integrand in{f_,
                 F_,
                 p_,
                 Variable::x,
                 middle < p_.u_near ? -1 : 1,
                 p_.F.family == Family::student_t && middle < 0 ? -1 : 1,
                 Ball(0, p_.bits),
                 p_.T * p_.v,
                 turns,
                 Ball(1, p_.bits)};
    Ball from = end_ball(a, width), to = end_ball(b, width);
    if (f == Family::singular) {
      in.variable = Variable::root;
      in.jacobian = Ball(2, p_.bits);
      // y from |from - u|^(1/2)
      const auto root = [&](const Ball& x) {
        Ball result(0, p_.bits);
        arb_sqrtpos(result.get(), abs(x - p_.u).get(), p_.bits);
        return result;
      };
      from = root(from);
      to = root(to);
      if (in.side < 0) std::swap(from, to);
    } else if (f == Family::bump) {
      in.variable = Variable::tanh;
      in.width = half_width_ball(p_.f, p_.bits);
      in.jacobian = f_.density_bound() * in.width;
      // |y| <= reach: beyond, the mass is at most 2 norm B e^(-cosh^2 reach)
      const double reach = std::acosh(std::sqrt(lambda_ + 6));
      const auto inverse = [&](double x, const Ball& exact, bool is_end) {
        if (is_end) return Ball::exactly(x < p_.u_near ? -reach : reach, p_.bits);
        Ball y = (exact - p_.u) / in.width;
        arb_atanh(y.get(), y.get(), p_.bits);
        // near the end of the support: no further than reach
        return std::fabs(near(y)) > reach ? Ball::exactly(x < p_.u_near ? -reach : reach, p_.bits)
                                          : y;
      };
      from = inverse(a, from, a == low && a == p_.u_near - width);
      to = inverse(b, to, b == high && b == p_.u_near + width);
      Ball c = Ball::exactly(reach, p_.bits);
      arb_cosh(c.get(), c.get(), p_.bits);
      left_out_ += in.jacobian * exp(-(c * c)) * 2;
    }
    AcbNumber start, end, part;
    acb_set_arb(start.z, from.get());
    acb_set_arb(end.z, to.get());
    mag_t tolerance;
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -static_cast<slong>(lambda_ / 0.6931471805599453));
    acb_calc_integrate(part.z, evaluate_pair, &in, start.z, end.z, p_.bits, tolerance, nullptr,
                       p_.bits);
    mag_clear(tolerance);
    acb_add(sum_.z, sum_.z, part.z, p_.bits);
  }

  ComplexBall finish() {
    ComplexBall result{Ball(0, p_.bits), Ball(0, p_.bits)};
    arb_set(result.re.get(), acb_realref(sum_.z));
    arb_set(result.im.get(), acb_imagref(sum_.z));
    arb_add_error(result.re.get(), left_out_.get());
    arb_add_error(result.im.get(), left_out_.get());
    if (arb_is_zero(p_.u.get()) || arb_is_zero(p_.v.get())) result.im = Ball(0, p_.bits);  // even
    return result;
  }

  const Problem& p_;
  MarginalBall f_, F_;
  double lambda_;
  Ball left_out_{0, 64};
  AcbNumber sum_;
};

// F of bump, f bump or uniform: the trapezoidal rule, whose aliases are bounded (Poisson).
ComplexBall band_limited(const Problem& p) {
  const slong bits = p.bits;
  const double lambda = 0.6931471805599453 * 0.85 * static_cast<double>(bits) + 6;
  const Ball F_width = half_width_ball(p.F, bits), f_width = half_width_ball(p.f, bits);
  const double B = near(F_width);
  const double rest = lambda * lambda / B;
  // step h = 2 pi/(T (v + B) + rest)
  const Ball h = Ball::pi(bits) * 2 / (p.T * (p.v + F_width) + Ball::exactly(rest, bits));
  const double step = near(h);
  const double window = lambda * lambda / (B * p.T_near);
  const double half = near(f_width);
  const double from = std::max(-window, p.u_near - half), to = std::min(window, p.u_near + half);
  ComplexBall sum{Ball(0, bits), Ball(0, bits)};
  const MarginalBall f(p.f, bits);
  const Ball Tv = p.T * p.v;
  for (auto j = static_cast<long>(std::ceil(from / step)) - 1;
       j <= static_cast<long>(std::floor(to / step)) + 1; ++j) {
    const Ball x = h * j;
    const Ball d = x - p.u;
    if (!certainly_less(abs(d), f_width)) continue;  // |d| = B within the ball: f is 0 there
    AcbNumber place, density;
    acb_set_arb(place.z, d.get());
    f.density(density.z, place.z, 1, 0, bits);
    Ball size(0, bits);
    arb_set(size.get(), acb_realref(density.z));
    size *= characteristic_ball(p.F, p.T * x);
    const ComplexBall angle = turn(Tv * x);
    sum = sum + ComplexBall{size * angle.re, size * angle.im};
  }
  // Aliases: sum over j >= 1 of 2 * 16 e^(-lambda sqrt(j)) < 64 e^-lambda (lambda >= 4). Outside
  // the window |F| <= 16 e^-lambda, and h times the sum of f over the nodes is at most 1 + h sup f.
  const Ball fade = exp(-Ball::exactly(lambda * 0.999, bits));
  const Ball error = fade * 64 + fade * 16 * (h * f.density_bound() * 2 + 1);
  ComplexBall result{h * sum.re, h * sum.im};
  arb_add_error(result.re.get(), error.get());
  arb_add_error(result.im.get(), error.get());
  if (arb_is_zero(p.u.get()) || arb_is_zero(p.v.get())) result.im = Ball(0, bits);
  return result;
}

}  // namespace

ComplexBall product_pair_ball(const Marginal& q, const Marginal& k, const PairLaw& law,
                              const Ball& t) {
  const slong bits = t.bits();
  if (arb_is_zero(t.get())) return {Ball(1, bits), Ball(0, bits)};
  if (q.family == Family::gaussian && k.family == Family::gaussian) {
    return pair_transform_ball(law, t);
  }
  const auto ball = [bits](const ExactDecimal& x) { return Ball::decimal(x.text(), bits); };
  const Ball sq = ball(law.scale_q), sk = ball(law.scale_k);
  Ball u = ball(law.mean_q) / sq, v = ball(law.mean_k) / sk;
  const bool conjugate = law.mean_q.compare(0) * law.mean_k.compare(0) < 0;
  u = abs(u);
  v = abs(v);
  bool swap = rank_as_transform(q.family, near(u)) < rank_as_transform(k.family, near(v));
  const Family f = swap ? k.family : q.family, F = swap ? q.family : k.family;
  if (f == Family::uniform && F == Family::bump) {
    // constant where F of bump lives, or else F of uniform
    const double reach = 0.6 * static_cast<double>(bits) + 6;
    const double window = reach * reach / (2.5 * near(t * sq * sk));
    if (!(near(swap ? v : u) + window < 1.7)) swap = !swap;
  }
  if (swap) std::swap(u, v);
  const Ball T = t * sq * sk;
  const Problem p{swap ? k : q, swap ? q : k, u, v, T, near(u), near(v), near(T), bits};
  ComplexBall g = unknown_transform(bits);
  const bool usable =
      std::isfinite(p.T_near) && p.T_near > 0 && std::isfinite(p.u_near) && std::isfinite(p.v_near);
  if (p.f.family == Family::rademacher) {
    g = two_points(p);
  } else if (p.f.family == Family::uniform && p.F.family == Family::uniform) {
    g = rectangle(p);
  } else if (usable && p.F.family == Family::bump) {
    g = band_limited(p);
  } else if (usable && is_turned_pair(p.f, p.F, p.v, p.T)) {
    g = turned_pair_ball(p.f, p.F, p.u, p.v, p.T);
  } else if (usable) {
    g = Quadrature(p).transform();
  }
  if (!g.re.is_finite() || !g.im.is_finite()) g = unknown_transform(bits);
  if (conjugate) g.im = -g.im;
  return g;
}

}  // namespace tapalab
