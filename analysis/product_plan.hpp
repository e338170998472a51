// The integral of one coordinate pair, with its sides chosen. Internal to product_*.cpp.
#pragma once

#include <cmath>
#include <complex>
#include <memory>
#include <optional>

#include "analysis/product_transform.hpp"
#include "sim/marginal_law.hpp"
#include "sim/marginal_table.hpp"

namespace tapalab {

/// int f(x - u) e^(iTvx) F(Tx) dx, u and v >= 0; the value is conjugated where the means have
/// opposite signs.
struct ProductPair::Plan {
  Marginal density_side, transform_side;
  Wide u, v;
  Wide scale;  ///< T = t scale
  bool conjugate = false;
  MarginalLaw<double> f, F;
  MarginalLaw<Wide> wide_f, wide_F;
  std::shared_ptr<const StudentTable> student_table;  ///< of F, where that is student-t
  const BumpTable* bump_table = nullptr;              ///< of F, where that is bump

  /// F(w) in double, from a table where there is one.
  double transform(double w) const {
    if (student_table) return student_table->characteristic(std::abs(w));
    if (bump_table != nullptr) return bump_table->characteristic(std::abs(w));
    return F.characteristic(w);
  }
};

namespace product {

using Plan = ProductPair::Plan;

/// True where F falls exponentially or faster and oscillates on no scale of its own.
inline bool falls_exponentially(MarginalFamily family) {
  return family != MarginalFamily::laplace && family != MarginalFamily::singular &&
         family != MarginalFamily::uniform && family != MarginalFamily::bump;
}

/// True where F may change sign where f has its mass, so that rounding, a few units of S =
/// MarginalLaw::size, is larger than of int f |F|. It is at most 2.4 times that for centred f that
/// fall (docs/theory/product.md, "Error").
inline bool errs_by_size(const Plan& plan) {
  const MarginalFamily F = plan.transform_side.family;
  if (F != MarginalFamily::hermite2 && F != MarginalFamily::bump) return false;
  return plan.u > 0 || plan.density_side.family == MarginalFamily::hermite2;
}

/// A bound of the mean of |x| over the integrand: u + 1, since |F| falls in |x| and E|X| <= 1, and
/// no more than 40/T, beyond which an F that falls exponentially is small.
inline Wide mean_reach(const Plan& plan, const Wide& T) {
  const MarginalFamily F = plan.transform_side.family;
  const Wide far = plan.u + 1;
  if (!falls_exponentially(F) || F == MarginalFamily::student_t) return far;
  const Wide near = 40 / T;
  return near < far ? near : far;
}

/// The scale of nodes from the center of f on: that of F, 1/T, where F falls exponentially. Where
/// it falls like a power f decides where the mass of the integral is: hermite2, which vanishes at
/// its center, has it at 1, and nodes laid out from 1/T pass over it for large T; the others begin
/// where F does.
inline Wide center_scale(const Plan& plan, const Wide& T) {
  const Wide narrow = 1 / (1 + T);
  if (falls_exponentially(plan.transform_side.family)) return narrow;
  if (plan.density_side.family == MarginalFamily::hermite2) return Wide(1);
  const Wide from = plan.u > narrow ? plan.u : narrow;
  return from < 1 ? from : Wide(1);
}

/// The same from the center of F away from that of f, u > 0.
inline Wide outer_scale(const Plan& plan, const Wide& T) {
  const Wide narrow = 1 / (1 + T + plan.u);
  if (falls_exponentially(plan.transform_side.family) ||
      plan.density_side.family != MarginalFamily::hermite2) {
    return narrow;
  }
  // hermite2 rises from u^2 on: its mass is at 1, but for what F of laplace has at 1/T.
  if (plan.transform_side.family == MarginalFamily::singular) return Wide(1);
  return plan.u < narrow ? narrow : plan.u < 1 ? plan.u : Wide(1);
}

/// True where the integrand oscillates without an exponential fall (F laplace or singular, v > 0):
/// then the contour is turned.
bool needs_turned_contour(const Plan& plan, const Wide& T);

/// Formulas, in double where that meets `target` |g|, else in Wide; empty where there is none.
std::optional<PairTransform> closed_form(const Plan& plan, const Wide& T, double target);

/// Along the real line, by Boost.Math in double or by analysis/double_exponential.hpp in Wide to
/// `tolerance` of the integral of the absolute value.
PairTransform double_quadrature(const Plan& plan, const Wide& T);
PairTransform wide_quadrature(const Plan& plan, const Wide& T, double tolerance);

/// Two centered coordinates of the law bump: from the table of analysis/product_bump_table.hpp.
bool is_tabulated(const Plan& plan);
PairTransform from_table(const Plan& plan, const Wide& T);

/// F of bump beside a density that is smooth, or constant, where F lives.
bool is_band_limited(const Plan& plan, const Wide& T);
PairTransform band_limited_sum(const Plan& plan, const Wide& T);

/// Along rays at 45 degrees from the breaks of f, on which e^(iTvx) falls.
PairTransform turned_double_quadrature(const Plan& plan, const Wide& T);
PairTransform turned_wide_quadrature(const Plan& plan, const Wide& T, double tolerance);

}  // namespace product
}  // namespace tapalab
