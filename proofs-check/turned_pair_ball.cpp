#include "proofs-check/turned_pair_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb_calc.h>
#else
#include <acb_calc.h>
#endif

#include <algorithm>
#include <cmath>

#include "proofs-check/acb_number.hpp"
#include "proofs-check/marginal_ball.hpp"

namespace tapalab {
namespace {

using Family = MarginalFamily;

/// The integrand along x = start + s direction, |direction| = 1, without e^(iTv start).
struct Ray {
  const MarginalBall& f;
  const MarginalBall& F;
  const Ball& T;
  Ball Tv;
  Ball start, offset;  ///< x and x - u at s = 0
  int side;            ///< of f: continued from x > u (1) or x < u (-1)
  bool root;           ///< s = y^2, for the factor |x - u|^(-1/2) of singular at its end
  acb_srcptr direction;
};

int evaluate_ray(acb_ptr result, const acb_t y, void* parameter, slong order, slong bits) {
  const auto& ray = *static_cast<Ray*>(parameter);
  const int analytic = order != 0;
  AcbNumber step, place, value, part;
  if (ray.root) {
    acb_mul(step.z, y, y, bits);
    acb_mul(step.z, step.z, ray.direction, bits);
  } else {
    acb_mul(step.z, y, ray.direction, bits);
  }
  acb_mul_arb(part.z, step.z, ray.Tv.get(), bits);  // e^(iTv step)
  acb_mul_onei(part.z, part.z);
  acb_exp(value.z, part.z, bits);
  acb_add_arb(place.z, step.z, ray.start.get(), bits);
  acb_mul_arb(place.z, place.z, ray.T.get(), bits);
  ray.F.characteristic(part.z, place.z, analytic, bits);
  acb_mul(value.z, value.z, part.z, bits);
  acb_add_arb(place.z, step.z, ray.offset.get(), bits);
  ray.f.density(part.z, place.z, ray.side, analytic, bits);
  acb_mul(value.z, value.z, part.z, bits);
  if (ray.f.family() == Family::singular) {
    // (+-(x - u))^(-1/2); at its end s^(-1/2) (+-direction)^(-1/2), and s^(-1/2) ds = 2 dy
    if (ray.root) {
      acb_set(place.z, ray.direction);
      acb_mul_2exp_si(value.z, value.z, 1);
    }
    if (ray.side < 0) acb_neg(place.z, place.z);
    acb_rsqrt_analytic(part.z, place.z, analytic && !ray.root, bits);
    acb_mul(value.z, value.z, part.z, bits);
  }
  acb_set(result, value.z);
  return 0;
}

double ray_middle(const Ball& x) { return static_cast<double>(x.midpoint_wide()); }

class TurnedPair {
 public:
  TurnedPair(const Marginal& f, const Marginal& F, const Ball& u, const Ball& v, const Ball& T)
      : bits_(T.bits()), family_(f.family), f_(f, bits_), F_(F, bits_), u_(u), T_(T), Tv_(T * v) {
    lambda_ =
        0.6931471805599453 * 0.85 * static_cast<double>(bits_) + 2 * std::log1p(ray_middle(T));
    rate_ = Ball(0, bits_);
    if (family_ == Family::laplace) rate_ = sqrt(Ball(2, bits_));
    if (family_ == Family::singular) rate_ = sqrt(Ball(3, bits_)) / 2;
  }

  ComplexBall transform() {
    const Ball zero(0, bits_);
    if (family_ == Family::uniform) {
      const Ball width = sqrt(Ball(3, bits_)), low = u_ - width;
      if (low.certainly_negative()) {
        add(low, 1, true, 1);
        add(zero, 1, true, -1);
        add(zero, 1, false, 1);
      } else if (low.certainly_positive()) {
        add(low, 1, false, 1);
      } else {
        acb_indeterminate(sum_.z);
      }
      add(u_ + width, 1, false, -1);
    } else {
      add(zero, -1, true, -1);
      if (!arb_is_zero(u_.get())) {
        add(zero, -1, false, 1);
        add(u_, -1, false, -1);
      }
      add(u_, 1, false, 1);
    }
    ComplexBall result{zero, zero};
    arb_set(result.re.get(), acb_realref(sum_.z));
    arb_set(result.im.get(), acb_imagref(sum_.z));
    arb_add_error(result.re.get(), left_out_.get());
    arb_add_error(result.im.get(), left_out_.get());
    return result;
  }

 private:
  // sign times the integral over the ray from `start` at 45 degrees, or 135 where `leftwards`.
  void add(const Ball& start, int side, bool leftwards, int sign) {
    AcbNumber direction, turn, part, ends[2];
    const Ball c = sqrt(Ball(1, bits_) / 2);
    arb_set(acb_realref(direction.z), leftwards ? (-c).get() : c.get());
    arb_set(acb_imagref(direction.z), c.get());
    const bool ends_at_u = family_ == Family::singular && (start - u_).contains(Ball(0, bits_));
    const Ball offset = ends_at_u ? Ball(0, bits_) : start - u_;
    Ray ray{f_, F_, T_, Tv_, start, offset, side, ends_at_u, direction.z};
    // |F| <= 2 on the rays, |f| <= its bound times e^(rate s/sqrt(2)) |Im x|^(-1/2)
    const Ball fall = (Tv_ - rate_) * c;
    const double reach = (lambda_ + 6) / ray_middle(fall);
    const Ball last = Ball::exactly(reach, bits_);
    Ball rest = f_.density_bound() * 2 / fall * exp(-(fall * last));
    if (family_ == Family::singular) rest /= sqrt(last * c);
    left_out_ += rest;
    // where F, e^(iTvx) and f live, from the start to the reach
    std::vector<double> places{0, reach};
    for (const double scale :
         {1 / ray_middle(T_), 1 / ray_middle(Tv_), std::fabs(ray_middle(offset))}) {
      if (scale > 0 && scale < reach) places.push_back(scale);
    }
    std::sort(places.begin(), places.end());
    mag_t tolerance;
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -static_cast<slong>(lambda_ / 0.6931471805599453));
    AcbNumber whole;
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const Ball s = Ball::exactly(places[i + k], bits_);
        acb_set_arb(ends[k].z, (ends_at_u ? sqrt(s) : s).get());
      }
      acb_calc_integrate(part.z, evaluate_ray, &ray, ends[0].z, ends[1].z, bits_, tolerance,
                         nullptr, bits_);
      acb_add(whole.z, whole.z, part.z, bits_);
    }
    mag_clear(tolerance);
    const Ball turns = Tv_ * start / (Ball::pi(bits_) * 2);
    arb_set(acb_realref(turn.z), cos_turns(turns).get());
    arb_set(acb_imagref(turn.z), sin_turns(turns).get());
    acb_mul(whole.z, whole.z, turn.z, bits_);
    acb_mul(whole.z, whole.z, direction.z, bits_);
    if (sign < 0) acb_neg(whole.z, whole.z);
    acb_add(sum_.z, sum_.z, whole.z, bits_);
  }

  slong bits_;
  Family family_;
  MarginalBall f_, F_;
  const Ball& u_;
  const Ball& T_;
  Ball Tv_;
  Ball rate_{0, 64};
  double lambda_ = 0;
  Ball left_out_{0, 64};
  AcbNumber sum_;
};

}  // namespace

bool is_turned_pair(const Marginal& f, const Marginal& F, const Ball& v, const Ball& T) {
  const bool falls_like_a_power = F.family == Family::laplace || F.family == Family::singular;
  const bool continues =
      f.family == Family::laplace || f.family == Family::singular || f.family == Family::uniform;
  return falls_like_a_power && continues && certainly_less(Ball(4, T.bits()), T * v);
}

ComplexBall turned_pair_ball(const Marginal& f, const Marginal& F, const Ball& u, const Ball& v,
                             const Ball& T) {
  return TurnedPair(f, F, u, v, T).transform();
}

}  // namespace tapalab
