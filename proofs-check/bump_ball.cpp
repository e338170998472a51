#include "proofs-check/bump_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <arb_hypgeom.h>
#endif

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "proofs-check/acb_number.hpp"

namespace tapalab {
namespace {

Ball cosh_of(const Ball& x) {
  Ball result(0, x.bits());
  arb_cosh(result.get(), x.get(), x.bits());
  return result;
}

// int x^2 e^(-1/(1-x^2)) dx / norm; x = tanh y turns the integral into one of an entire-in-a-strip
// function that falls like e^(-cosh^2): 1 - x^2 = sech^2 y.
int bump_square(acb_ptr result, const acb_t y, void*, slong, slong bits) {
  AcbNumber e, s;
  acb_cosh(e.z, y, bits);
  acb_mul(e.z, e.z, e.z, bits);  // cosh^2
  acb_tanh(s.z, y, bits);
  acb_mul(s.z, s.z, s.z, bits);
  acb_div(s.z, s.z, e.z, bits);
  acb_neg(e.z, e.z);
  acb_exp(e.z, e.z, bits);
  acb_mul(result, s.z, e.z, bits);
  return 0;
}

struct CosineOfBump {
  const Ball& w;
};
// the same with cos(w tanh y), for |w| of order 1
int bump_cosine(acb_ptr result, const acb_t y, void* parameter, slong, slong bits) {
  const auto& w = static_cast<CosineOfBump*>(parameter)->w;
  AcbNumber e, s;
  acb_tanh(s.z, y, bits);
  acb_mul_arb(s.z, s.z, w.get(), bits);
  acb_cos(s.z, s.z, bits);
  acb_cosh(e.z, y, bits);
  acb_mul(e.z, e.z, e.z, bits);
  acb_div(s.z, s.z, e.z, bits);
  acb_neg(e.z, e.z);
  acb_exp(e.z, e.z, bits);
  acb_mul(result, s.z, e.z, bits);
  return 0;
}

// J of docs/theory/product.md, 6: over x = 1 - z, z = e^(y - i pi/4); dz = z dy.
struct BumpRay {
  const Ball& w;
  Ball root;  // 1/sqrt(2)
};
int bump_ray(acb_ptr result, const acb_t y, void* parameter, slong, slong bits) {
  const auto& ray = *static_cast<BumpRay*>(parameter);
  AcbNumber z, exponent, part;
  acb_exp(z.z, y, bits);
  acb_set_arb_arb(part.z, ray.root.get(), Ball(-ray.root).get());
  acb_mul(z.z, z.z, part.z, bits);
  // -(1/z + 1/(2 - z))/2 + i w (1 - z)
  acb_inv(exponent.z, z.z, bits);
  acb_sub_ui(part.z, z.z, 2, bits);
  acb_inv(part.z, part.z, bits);
  acb_sub(exponent.z, exponent.z, part.z, bits);
  acb_mul_2exp_si(exponent.z, exponent.z, -1);
  acb_neg(exponent.z, exponent.z);
  acb_sub_ui(part.z, z.z, 1, bits);
  acb_neg(part.z, part.z);
  acb_mul_onei(part.z, part.z);
  acb_mul_arb(part.z, part.z, ray.w.get(), bits);
  acb_add(exponent.z, exponent.z, part.z, bits);
  acb_exp(exponent.z, exponent.z, bits);
  acb_mul(result, exponent.z, z.z, bits);
  return 0;
}

template <class Parameter>
Ball integral_real(int (*f)(acb_ptr, const acb_t, void*, slong, slong), Parameter* parameter,
                   const Ball& a, const Ball& b, double log2_tolerance, slong bits) {
  AcbNumber from, to, result;
  acb_set_arb(from.z, a.get());
  acb_set_arb(to.z, b.get());
  mag_t tolerance;
  mag_init(tolerance);
  mag_set_ui_2exp_si(tolerance, 1, static_cast<slong>(std::floor(log2_tolerance)));
  acb_calc_integrate(result.z, f, parameter, from.z, to.z, bits, tolerance, nullptr, bits);
  mag_clear(tolerance);
  Ball value(0, bits);
  arb_set(value.get(), acb_realref(result.z));
  return value;
}

void add_radius(Ball& x, const Ball& radius) { arb_add_error(x.get(), radius.get()); }

// Beyond |y| = Y the integrands in y are below e^(-cosh^2 Y) times sech^2.
Ball from_both_sides(int (*f)(acb_ptr, const acb_t, void*, slong, slong), void* parameter,
                     slong bits) {
  const double reach = std::acosh(std::sqrt(0.7 * static_cast<double>(bits) + 8));
  const Ball end = Ball::exactly(reach, bits);
  Ball sum = integral_real(f, parameter, Ball(0, bits), end, static_cast<double>(-bits), bits) * 2;
  const Ball c = cosh_of(end);
  add_radius(sum, exp(-(c * c)) * 2);
  return sum;
}

}  // namespace

Ball bessel_k_ball(const Ball& order, const Ball& x) {
  Ball result(0, x.bits());
  arb_hypgeom_bessel_k(result.get(), order.get(), x.get(), x.bits());
  return result;
}

Ball bump_norm_ball(slong bits) {
  const Ball half = Ball(1, bits) / 2;
  return exp(-half) * (bessel_k_ball(Ball(1, bits), half) - bessel_k_ball(Ball(0, bits), half));
}

Ball bump_width_ball(slong bits) {
  static std::mutex lock;
  static std::map<slong, Ball> known;
  const std::lock_guard<std::mutex> guard(lock);
  const auto found = known.find(bits);
  if (found != known.end()) return found->second;
  const slong work = bits + 32;
  const Ball variance = from_both_sides(bump_square, nullptr, work) / bump_norm_ball(work);
  return known.emplace(bits, (Ball(1, work) / sqrt(variance)).with_bits(bits)).first->second;
}

Ball bump_characteristic_ball(const Ball& y) {
  const slong bits = y.bits();
  const Ball norm = bump_norm_ball(bits);
  if (certainly_less(y, Ball(4, bits))) {
    CosineOfBump parameter{y};
    return from_both_sides(bump_cosine, &parameter, bits) / norm;
  }
  // F = -2 Re J / norm with J = -int over the ray, x = 1 - z: dx = -dz.
  const double w = std::max(4.0, static_cast<double>(y.midpoint_wide()));
  const double root = std::sqrt(w), lambda = 0.6931471805599453 * static_cast<double>(bits) + 4;
  // |integrand in s| <= e^0.354 e^(-(1/(2s) + w s)/sqrt(2)): least exponent sqrt(w) at 1/sqrt(2w)
  const double low = 1 / (2 * 1.4142135623730951 * (root + lambda));
  const double high = 1.4142135623730951 * (root + lambda) / w;
  const Ball s0 = Ball::exactly(low, bits), s1 = Ball::exactly(high, bits);
  BumpRay ray{y, Ball(1, bits) / sqrt(Ball(2, bits))};
  const double tolerance = -static_cast<double>(bits) - root * 1.4426950408889634;
  Ball sum = integral_real(bump_ray, &ray, log(s0), log(s1), tolerance, bits);
  const Ball root2 = sqrt(Ball(2, bits));
  const Ball growth = exp(Ball(1, bits) / (root2 * 2));
  add_radius(sum, growth * s0 * exp(-(Ball(1, bits) / (s0 * root2 * 2))));
  add_radius(sum, growth * root2 / y * exp(-(y * s1 / root2)));
  return sum * 2 / norm;
}

}  // namespace tapalab
