// g(t) along the real line in double, by Boost.Math's double-exponential rules.
#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>

#include "analysis/double_exponential.hpp"
#include "analysis/product_plan.hpp"

namespace tapalab::product {
namespace {

constexpr double kRoundoff = 1.1102230246251565e-16;  // 2^-53
// Sums of two levels that agree to this part of the absolute integral are taken as converged.
constexpr double kTolerance = 2e-15;
// Of integrals that are the size of an error.
constexpr double kSizeTolerance = 1e-6;

struct Sum {
  std::complex<double> value{0, 0};
  double difference = 0;
  double absolute = 0;
  double tolerance = kTolerance;

  // Sums of two levels that are no closer than kSettled may be so by chance: twice the absolute
  // integral bounds any error.
  template <class Value>
  void add(double factor, Value part, double part_difference, double part_absolute) {
    value += factor * part;
    difference +=
        factor * (part_difference > kSettled * part_absolute ? 2 * part_absolute : part_difference);
    absolute += factor * part_absolute;
  }
};

// Boost makes further nodes on demand, under its own lock.
boost::math::quadrature::exp_sinh<double>& half_line_rule() {
  static boost::math::quadrature::exp_sinh<double> rule(9);
  return rule;
}
boost::math::quadrature::tanh_sinh<double>& segment_rule() {
  static boost::math::quadrature::tanh_sinh<double> rule(12);
  return rule;
}

// h(x, d): the integrand at x, where d = x - u. Pieces are measured from their ends, so that
// neither x nor d loses digits there.
template <class Integrand>
void add_half_line(const Integrand& h, double scale, double factor, Sum& sum) {
  double difference = 0, absolute = 0;
  const auto value = half_line_rule().integrate([&](double s) { return h(scale * s); },
                                                sum.tolerance, &difference, &absolute);
  sum.add(factor * scale, value, difference, absolute);
}

// h(distance, from_start)
template <class Integrand>
void add_segment(const Integrand& h, double length, double factor, Sum& sum) {
  double difference = 0, absolute = 0;
  const double half = 0.5 * length;
  const auto value = segment_rule().integrate(
      [&](double z, double rest) { return h(half * std::fabs(rest), z < 0); }, sum.tolerance,
      &difference, &absolute);
  sum.add(factor * half, value, difference, absolute);
}

// Where F has died out long before the break of f at `nearest`, two half-lines from 0 hold the
// whole integral but for F there times the mass of f, which is added to the difference. Empty where
// that is not negligible.
template <class Integrand>
std::optional<Sum> narrow(const Plan& plan, const Integrand& h, double T, double nearest,
                          double tolerance) {
  if (!falls_exponentially(plan.transform_side.family) || !(nearest > 0)) return std::nullopt;
  // S, not |F|, which may have a zero there
  const bool signed_F = plan.transform_side.family == MarginalFamily::hermite2;
  const double at = T * nearest;
  const double rest = signed_F ? plan.F.size(at) : std::fabs(plan.transform(at));
  if (rest > 1e-25) return std::nullopt;
  const double u = static_cast<double>(plan.u);
  Sum sum;
  sum.tolerance = tolerance;
  add_half_line([&](double s) { return h(s, s - u); }, 1 / (1 + T), 1, sum);
  add_half_line([&](double s) { return h(-s, -s - u); }, 1 / (1 + T), 1, sum);
  if (rest > 1e-18 * sum.absolute) return std::nullopt;
  sum.difference += 2 * rest;
  return sum;
}

// The pieces between the center 0 of F, the center u of f and the ends of its support.
template <class Integrand>
Sum pieces(const Plan& plan, const Integrand& h, double T, bool even,
           double tolerance = kTolerance) {
  Sum sum;
  sum.tolerance = tolerance;
  const double u = static_cast<double>(plan.u);
  const double width = plan.f.half_width();
  if (width == 0) {
    const double scale = static_cast<double>(center_scale(plan, Wide(T)));
    if (even) {
      add_half_line([&](double s) { return h(s, s); }, scale, 2, sum);
      return sum;
    }
    if (const auto whole = narrow(plan, h, T, u, tolerance)) return *whole;
    add_half_line([&](double s) { return h(-s, -s - u); },
                  static_cast<double>(outer_scale(plan, Wide(T))), 1, sum);
    add_half_line([&](double s) { return h(u + s, s); }, scale, 1, sum);
    if (u > 0) {
      add_segment([&](double s, bool start) { return start ? h(s, s - u) : h(u - s, -s); }, u, 1,
                  sum);
    }
    return sum;
  }
  const double low = static_cast<double>(Wide(plan.u - plan.wide_f.half_width()));
  const double high = static_cast<double>(Wide(plan.u + plan.wide_f.half_width()));
  if (const auto whole = narrow(plan, h, T, -low, tolerance)) return *whole;
  if (even) {
    add_segment([&](double s, bool start) { return start ? h(s, s) : h(width - s, width - s); },
                width, 2, sum);
    return sum;
  }
  const auto between = [&](double a, double b) {
    add_segment(
        [&](double s, bool start) {
          const double x = start ? a + s : b - s;
          return h(x, x - u);
        },
        b - a, 1, sum);
  };
  if (low < 0) {
    between(low, 0);
    between(0, high);
  } else {
    // high - low would lose what u is larger than the width, and u - width + s what low is smaller
    // than both.
    add_segment([&](double s,
                    bool start) { return start ? h(low + s, s - width) : h(high - s, width - s); },
                2 * width, 1, sum);
  }
  return sum;
}

// int f(x - u) S(T x) dx, S what errors of F are relative to.
double size_integral(const Plan& plan, double T) {
  const double edge = plan.f.half_width();
  const auto size = [&](double x, double d) {
    if (edge > 0) d = std::clamp(d, -edge, edge);
    const double F = std::min(1.25, plan.F.size(T * x));  // |F| <= 1, S <= 2 e^-1/2 for hermite2
    return F == 0 ? 0.0 : plan.f.density(d) * F;
  };
  try {
    const Sum sum = pieces(plan, size, T, plan.u == 0, kSizeTolerance);
    return sum.value.real() + sum.difference;
  } catch (const std::exception&) {
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace

PairTransform double_quadrature(const Plan& plan, const Wide& wide_T) {
  const double T = static_cast<double>(wide_T);
  const bool compact = plan.f.half_width() > 0;
  // Past the ends of its support f is 0; rounding must not put a node there.
  const double edge = compact ? plan.f.half_width() : 0;
  const auto product = [&](double x, double d) {
    if (compact) d = std::clamp(d, -edge, edge);
    const double transform = plan.transform(T * x);  // 0 on most outer nodes
    return transform == 0 ? 0.0 : plan.f.density(d) * transform;
  };
  Sum sum;
  try {
    if (plan.v == 0) {
      sum = pieces(plan, product, T, plan.u == 0);
    } else if (plan.u == 0) {
      const double Tv = static_cast<double>(Wide(wide_T * plan.v));
      sum = pieces(
          plan, [&](double x, double d) { return product(x, d) * std::cos(Tv * x); }, T, true);
    } else {
      const double Tv = static_cast<double>(Wide(wide_T * plan.v));
      sum = pieces(
          plan,
          [&](double x, double d) {
            const double size = product(x, d), angle = Tv * x;
            return std::complex<double>(size * std::cos(angle), size * std::sin(angle));
          },
          T, false);
    }
  } catch (const std::exception&) {
    sum.difference = std::numeric_limits<double>::infinity();  // an overflow: Wide has the range
  }
  PairTransform result;
  result.method = PairMethod::double_quadrature;
  // Nodes crowd at the ends of a segment with a width of 1/ln(1/x) in their variable: a power-law F
  // of scale 1/T is too narrow for the coarse levels, which then agree by chance.
  const bool crowded = compact && !falls_exponentially(plan.transform_side.family) && !(T < 1e10);
  const bool usable = !crowded && std::isfinite(sum.difference) && std::isfinite(sum.absolute) &&
                      std::isfinite(sum.value.real()) && std::isfinite(sum.value.imag()) &&
                      sum.absolute > 1e-250;
  if (!usable) {
    // g may be below the range of double.
    result.value = {};
    result.error = Wide(1);
    return result;
  }
  // Where F changes sign its values err by units of S, not of |F|: the mass of f may lie at a zero.
  const double size =
      errs_by_size(plan) ? std::max(sum.absolute, size_integral(plan, T)) : sum.absolute;
  // Rounding, in units of 2^-53. What all nodes share counts in full: T and u, 2 units of T x,
  // which an exponent w^2/2 doubles. What differs from node to node, 8 of f, 8 of F, 2 of each
  // exponent (sim/marginal_law.hpp) and the roundings of u + s and of T x, averages out: half is
  // counted. The size of exponents is -ln(T size); where f vanishes like x^2 at 0, 1/T^3 is the
  // size without.
  const bool vanishes = plan.density_side.family == MarginalFamily::hermite2 && plan.u == 0;
  const double large = std::max(1.0, T);
  const double exponent =
      std::max(0.0, -std::log(size * large) - (vanishes ? 2 * std::log(large) : 0));
  // The angle T v x of e^(iTvx): 2 units shared, 2 of the node, times S/min(S, 1) <= 1.22.
  const double angle = static_cast<double>(Wide(wide_T * plan.v * mean_reach(plan, wide_T)));
  const double rounding = kRoundoff * (12 + 8 * exponent + 4 * angle) * size;
  result.value = {Wide(sum.value.real()), Wide(sum.value.imag())};
  result.error = Wide(sum.difference + rounding);
  return result;
}

}  // namespace tapalab::product
