#include "analysis/product_transform.hpp"

#include <algorithm>

#include "analysis/product_plan.hpp"

namespace tapalab {
namespace {

// How costly a law is as F, beside a density shifted by its own mean: entire or analytic in a
// strip, falling exponentially (0); hermite2, which changes sign; student-t and bump, which are
// integrals themselves; algebraic falls, which need a turned contour where they oscillate.
double cost_as_transform(MarginalFamily family, const Wide& mean) {
  const double oscillation = std::min(0.5, 0.1 * static_cast<double>(abs(mean)));
  switch (family) {
    case MarginalFamily::gaussian:
    case MarginalFamily::sech:
    case MarginalFamily::logistic:
      return oscillation;
    case MarginalFamily::hermite2:
      return 1 + oscillation;
    case MarginalFamily::laplace:
    case MarginalFamily::singular:
      return mean == 0 ? 0.25 : 10;
    case MarginalFamily::student_t:
      return 3 + oscillation;
    case MarginalFamily::bump:
      return 6 + oscillation;
    case MarginalFamily::uniform:
      return 20;
    case MarginalFamily::rademacher:
      return 30;  // as f: a sum of two terms
  }
  return 0;
}

/// The nodes of the quadratures span e^100 on either side of one scale. Where F falls like a power,
/// the scale 1 of f counts beside that of F, 1/T; but for F of laplace beside f on the whole line,
/// whose integral beyond is 1e-50 of the rest.
bool spans_scales(const ProductPair::Plan& plan, const Wide& T) {
  static const Wide span("1e40");
  if (T <= span || product::falls_exponentially(plan.transform_side.family)) return true;
  return plan.transform_side.family == MarginalFamily::laplace && plan.wide_f.half_width() == 0 &&
         plan.u == 0 && plan.density_side.family != MarginalFamily::singular;
}

}  // namespace

ProductPair::ProductPair(const Marginal& q, const Marginal& k, const PairLaw& law) {
  Wide u = law.mean_q.wide() / law.scale_q.wide();
  Wide v = law.mean_k.wide() / law.scale_k.wide();
  const bool swap = cost_as_transform(q.family, u) < cost_as_transform(k.family, v);
  const Marginal& f = swap ? k : q;
  const Marginal& F = swap ? q : k;
  if (swap) std::swap(u, v);
  const bool conjugate = u * v < 0;
  auto plan =
      std::make_unique<Plan>(Plan{f, F, abs(u), abs(v), law.scale_q.wide() * law.scale_k.wide(),
                                  conjugate, MarginalLaw<double>(f), MarginalLaw<double>(F),
                                  MarginalLaw<Wide>(f), MarginalLaw<Wide>(F), nullptr, nullptr});
  const bool tabulated = f.family != MarginalFamily::rademacher;
  if (tabulated && F.family == MarginalFamily::student_t &&
      F.nu.value() <= StudentTable::kLargestNu) {
    plan->student_table = std::make_shared<const StudentTable>(F.nu);
  }
  if (tabulated && F.family == MarginalFamily::bump) plan->bump_table = &BumpTable::instance();
  plan_ = std::move(plan);
}
ProductPair::~ProductPair() = default;
ProductPair::ProductPair(ProductPair&&) noexcept = default;
ProductPair& ProductPair::operator=(ProductPair&&) noexcept = default;

bool ProductPair::is_closed(const Marginal& q, const Marginal& k) {
  if (q.family == MarginalFamily::uniform && k.family == MarginalFamily::uniform) return true;
  const bool rademacher =
      q.family == MarginalFamily::rademacher || k.family == MarginalFamily::rademacher;
  return rademacher && facts(q).closed_characteristic && facts(k).closed_characteristic;
}

PairTransform ProductPair::at(const Wide& t, double target) const {
  const Wide T = abs(t * plan_->scale);
  if (T == 0) return {};
  const auto finish = [&](PairTransform result) {
    if (plan_->conjugate != (t < 0)) result.value.im = -result.value.im;
    return result;
  };
  if (const auto closed = product::closed_form(*plan_, T, target)) return finish(*closed);
  if (product::is_tabulated(*plan_)) return finish(product::from_table(*plan_, T));
  if (product::is_band_limited(*plan_, T)) return finish(product::band_limited_sum(*plan_, T));
  const bool turned = product::needs_turned_contour(*plan_, T);
  if (!turned && !spans_scales(*plan_, T)) {
    PairTransform unknown;  // |g| <= 1
    unknown.value = {};
    unknown.error = 1;
    unknown.method = PairMethod::wide_quadrature;
    return unknown;
  }
  const auto met = [&](const PairTransform& result) {
    return result.error <= Wide(target) * abs(result.value);
  };
  PairTransform best =
      turned ? product::turned_double_quadrature(*plan_, T) : product::double_quadrature(*plan_, T);
  // Values of the bump's F in Wide cost 30 ms each: its integrals stay in double. Those of
  // student-t cost 10: its integrals leave double where that has no result at all.
  if (plan_->bump_table != nullptr) return finish(best);
  const bool costly = plan_->transform_side.family == MarginalFamily::student_t;
  if (costly && best.error < abs(best.value)) return finish(best);
  // Cancellation shows in the first run in Wide; the second has all digits.
  for (const double tolerance : {1e-24, 1e-50}) {
    if (met(best)) break;
    const PairTransform next = turned ? product::turned_wide_quadrature(*plan_, T, tolerance)
                                      : product::wide_quadrature(*plan_, T, tolerance);
    if (next.error < best.error || !(best.error >= 0)) best = next;
  }
  return finish(best);
}

PairTransform marginal_transform(const Marginal& law, const Wide& mean, const Wide& scale,
                                 const Wide& w) {
  const MarginalLaw<Wide> unit(law);
  const Wide value = unit.characteristic(Wide(w * scale));
  const Wide angle = w * mean / wide_two_pi();
  PairTransform result;
  result.value = {value * cos_turns(angle), value * sin_turns(angle)};
  // Exponents (of size w^2 at most) and angles carry a few units each.
  const Wide y = abs(w) * scale;
  const Wide condition = 64 + abs(w * mean) + 4 * y + (y < 40 ? Wide(y * y) : Wide(y * 40));
  result.error = ldexp(wide_epsilon(), 6) * condition * unit.size(Wide(w * scale));
  const bool special =
      law.family == MarginalFamily::bump || law.family == MarginalFamily::student_t;
  if (special) {
    result.method = PairMethod::wide_quadrature;
    result.error += ldexp(wide_epsilon(), 10) * unit.size(Wide(w * scale));
  }
  return result;
}

}  // namespace tapalab
