#include "proofs-check/ball_special.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb.h>
#include <acb_calc.h>
#include <arb_hypgeom.h>
#endif

#include <algorithm>

namespace tapalab {
namespace {

using Integrand = std::function<ComplexBall(const ComplexBall&)>;

int evaluate(acb_ptr result, const acb_t z, void* integrand, slong /*order*/, slong bits) {
  ComplexBall at{Ball(0, bits), Ball(0, bits)};
  arb_set(at.re.get(), acb_realref(z));
  arb_set(at.im.get(), acb_imagref(z));
  const ComplexBall value = (*static_cast<const Integrand*>(integrand))(at);
  acb_set_arb_arb(result, value.re.get(), value.im.get());
  return 0;
}

}  // namespace

Ball bessel_i0(const Ball& x) {
  Ball result(0, x.bits());
  arb_hypgeom_bessel_i(result.get(), Ball(0, x.bits()).get(), x.get(), x.bits());
  return result;
}
Ball bessel_k0(const Ball& x) {
  Ball result(0, x.bits());
  arb_hypgeom_bessel_k(result.get(), Ball(0, x.bits()).get(), x.get(), x.bits());
  return result;
}
Ball hypergeometric_2f1(const Ball& a, const Ball& b, const Ball& c, const Ball& z) {
  const slong bits = std::max({a.bits(), b.bits(), c.bits(), z.bits()});
  Ball result(0, bits);
  arb_hypgeom_2f1(result.get(), a.get(), b.get(), c.get(), z.get(), 0, bits);
  return result;
}
Ball gamma_lower_regularised(const Ball& s, const Ball& x) {
  const slong bits = std::max(s.bits(), x.bits());
  Ball result(0, bits);
  arb_hypgeom_gamma_lower(result.get(), s.get(), x.get(), 1, bits);
  return result;
}
ComplexBall cosh(const ComplexBall& z) {
  const ComplexBall up = exp(z), down = exp(ComplexBall{-z.re, -z.im});
  return {(up.re + down.re) / 2, (up.im + down.im) / 2};
}

Ball integrate_entire(const Integrand& integrand, const Ball& a, const Ball& b, slong bits) {
  acb_t from, to, result;
  acb_init(from);
  acb_init(to);
  acb_init(result);
  acb_set_arb(from, a.get());
  acb_set_arb(to, b.get());
  mag_t tolerance;
  mag_init(tolerance);
  mag_set_ui_2exp_si(tolerance, 1, -bits);
  Integrand copy = integrand;
  acb_calc_integrate(result, evaluate, &copy, from, to, bits, tolerance, nullptr, bits);
  Ball value(0, bits);
  arb_set(value.get(), acb_realref(result));
  mag_clear(tolerance);
  acb_clear(from);
  acb_clear(to);
  acb_clear(result);
  return value;
}

}  // namespace tapalab
