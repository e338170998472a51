// g(t) where F belongs to bump: it oscillates over about 400 periods before it is negligible, but
// it is band-limited, so that the plain trapezoidal rule is exact up to terms proved tiny.
#include <algorithm>
#include <cmath>

#include "analysis/product_bump_table.hpp"
#include "analysis/product_plan.hpp"

namespace tapalab::product {
namespace {

constexpr double kUnit = 1.1102230246251565e-16;

/// The largest |x| with F(Tx) not negligible.
double window(double T) { return BumpTable::kEnd / (bump_half_width<double>() * T); }

}  // namespace

bool is_tabulated(const Plan& plan) {
  return plan.transform_side.family == MarginalFamily::bump &&
         plan.density_side.family == MarginalFamily::bump && plan.u == 0 && plan.v == 0;
}

PairTransform from_table(const Plan&, const Wide& T) {
  PairTransform result;
  result.method = PairMethod::double_quadrature;
  result.value = {BumpPairTable::instance().transform(T), Wide(0)};
  result.error = BumpPairTable::kError * abs(result.value.re);
  return result;
}

bool is_band_limited(const Plan& plan, const Wide& wide_T) {
  if (plan.transform_side.family != MarginalFamily::bump) return false;
  const double T = static_cast<double>(wide_T);
  const double u = static_cast<double>(plan.u), x = window(T);
  switch (plan.density_side.family) {
    case MarginalFamily::bump:
      return true;
    case MarginalFamily::uniform:  // constant where F lives
      return u + x < plan.f.half_width();
    default:
      return false;
  }
}

PairTransform band_limited_sum(const Plan& plan, const Wide& wide_T) {
  const double T = static_cast<double>(wide_T);
  const double u = static_cast<double>(plan.u), v = static_cast<double>(plan.v);
  const double width = bump_half_width<double>();
  const bool constant = plan.density_side.family == MarginalFamily::uniform;
  const double Tv = static_cast<double>(Wide(wide_T * plan.v));
  // By Poisson's formula the error of step h is the sum of int f(x-u) F(Tx) e^(i(Tv + 2 pi j/h)x)
  // over j != 0: 0 for constant f once 2 pi/h > T (v + width), and at most 16 e^-sqrt(width rest)
  // for f = bump, rest = 2 pi/h - T (v + width).
  const double decay = 46 + std::max(0.0, std::log(T));
  const double rest = decay * decay / width;
  const double h = 2 * 3.141592653589793 / (T * (v + width) + rest);
  const double edge = window(T);
  const double half = plan.f.half_width();
  const double from = constant ? -edge : std::max(-edge, u - half);
  const double to = constant ? edge : std::min(edge, u + half);
  double re = 0, im = 0, absolute = 0;
  if (from < to) {
    const auto last = static_cast<long>(std::floor(to / h));
    const bool even = plan.u == 0;  // the two halves mirror each other
    for (auto j = even ? 0L : static_cast<long>(std::ceil(from / h)); j <= last; ++j) {
      const double x = static_cast<double>(j) * h;
      const double d = std::clamp(x - u, -half, half);
      const double size = (even && j > 0 ? 2 : 1) * plan.f.density(d) * plan.transform(T * x);
      if (Tv == 0) {
        re += size;
      } else {
        re += size * std::cos(Tv * x);
        im += size * std::sin(Tv * x);
      }
      absolute += std::fabs(size);
    }
  }
  PairTransform result;
  result.method = PairMethod::double_quadrature;
  const bool real = plan.u == 0 || plan.v == 0;
  result.value = {Wide(h * re), real ? Wide(0) : Wide(h * im)};
  const double aliases = constant ? 0 : 64 * std::exp(-decay);
  const double tail = 1e-18 / T;
  const double table = 4 * h * 2 * 4.4e-16 * absolute;
  const double angle = Tv * std::min(u + 1, edge);  // of which each e^(iTvx) carries a few units
  result.error = Wide(aliases + tail + table + (8 + 6 * angle) * kUnit * h * absolute);
  return result;
}

}  // namespace tapalab::product
