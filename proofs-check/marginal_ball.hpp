// The laws of sim/marginal.hpp in ball arithmetic, from their formulas in docs/theory/product.md,
// 7: written apart from sim/marginal_law.hpp, which they certify.
#pragma once

#include "proofs-check/ball.hpp"
#include "sim/marginal.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb.h>
#else
#include <acb.h>
#endif

namespace tapalab {

/// E cos(w X) of a law of unit variance, real w. bump is an integral (docs/theory/product.md, 6).
Ball characteristic_ball(const Marginal& law, const Ball& w);

/// Half of the support's width: sqrt(3) for uniform, 2.51.. for bump, 0 for the whole line.
Ball half_width_ball(const Marginal& law, slong bits);

/// Density and characteristic function as analytic functions near a piece of the real line, for
/// acb_calc_integrate. Results are not finite where a function is not analytic on the argument and
/// `analytic` asks for that, or where the argument is too wide to say.
class MarginalBall {
 public:
  MarginalBall(const Marginal& law, slong bits);
  ~MarginalBall();
  MarginalBall(const MarginalBall&) = delete;
  MarginalBall& operator=(const MarginalBall&) = delete;

  MarginalFamily family() const { return law_.family; }

  /// The density at d, continued from d > 0 (`side` 1) or d < 0 (-1); of singular without its
  /// factor |d|^(-1/2).
  void density(acb_t result, const acb_t d, int side, int analytic, slong bits) const;
  /// The characteristic function at w; of student-t continued from w > 0.
  void characteristic(acb_t result, const acb_t w, int analytic, slong bits) const;

  /// An upper bound of the density (of singular: of its factor); of P(|X| > x), x >= 0; and of |F|
  /// on [w, infinity), w >= 3.
  Ball density_bound() const;
  Ball tail_bound(const Ball& x) const;
  Ball characteristic_bound(const Ball& w) const;
  /// x with tail_bound(x), or w with characteristic_bound(w), about e^-lambda. Infinite where the
  /// support is bounded, or the fall is algebraic.
  double tail_reach(double lambda) const;
  double characteristic_reach(double lambda) const;

 private:
  Marginal law_;
  slong bits_;
  Ball norm_, rate_, order_, spread_;  ///< by family
};

}  // namespace tapalab
