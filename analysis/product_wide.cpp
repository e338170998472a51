// g(t) along the real line in Wide, where double loses too many digits.
#include <algorithm>

#include "analysis/double_exponential.hpp"
#include "analysis/product_plan.hpp"

namespace tapalab::product {
namespace {

struct WideSum {
  WideComplex value;
  Wide difference{0};
  Wide absolute{0};

  void add(const Wide& factor, const Integral<Wide, WideComplex>& part) {
    value = value + factor * part.value;
    difference += factor * part.difference;
    absolute += factor * part.absolute;
  }
};

// The pieces of analysis/product_double.cpp for the integrand h(x, d), d = x - u.
template <class Integrand>
WideSum wide_pieces(const Plan& plan, const Wide& T, const Integrand& h, double tolerance) {
  const Wide& u = plan.u;
  const Wide width = plan.wide_f.half_width();
  WideSum sum;
  const bool singular = plan.density_side.family == MarginalFamily::singular;
  const auto half_line = [&](const auto& f, const Wide& scale, int factor) {
    sum.add(Wide(factor), singular
                              ? rooted_half_line_integral<Wide, WideComplex>(f, scale, tolerance)
                              : half_line_integral<Wide, WideComplex>(f, scale, tolerance));
  };
  const auto segment = [&](const auto& f, const Wide& length, int factor) {
    sum.add(Wide(factor), segment_integral<Wide, WideComplex>(f, length, tolerance));
  };
  const Wide scale = 1 / (1 + T);
  // As in double: where F has died out before the first break of f, two half-lines are enough.
  const Wide nearest = width == 0 ? u : Wide(width - u);
  if (falls_exponentially(plan.transform_side.family) && nearest > 0) {
    const Wide rest = plan.wide_F.size(Wide(T * nearest));
    if (rest < Wide(tolerance)) {
      half_line([&](const Wide& s) { return h(s, Wide(s - u)); }, scale, 1);
      half_line([&](const Wide& s) { return h(Wide(-s), Wide(-s - u)); }, scale, 1);
      if (rest <= Wide(tolerance) * sum.absolute) {
        sum.difference += 2 * rest;
        return sum;
      }
      sum = WideSum{};
    }
  }
  if (width == 0 && u == 0) {
    half_line([&](const Wide& s) { return h(s, s); }, center_scale(plan, T), 2);
  } else if (width == 0) {
    half_line([&](const Wide& s) { return h(Wide(-s), Wide(-s - u)); }, outer_scale(plan, T), 1);
    half_line([&](const Wide& s) { return h(Wide(u + s), s); }, center_scale(plan, T), 1);
    segment([&](const Wide& s,
                bool start) { return start ? h(s, Wide(s - u)) : h(Wide(u - s), Wide(-s)); },
            u, 1);
  } else if (u == 0) {
    segment(
        [&](const Wide& s, bool start) {
          const Wide x = start ? s : Wide(width - s);
          return h(x, x);
        },
        width, 2);
  } else {
    const Wide low = u - width, high = u + width;
    const auto between = [&](const Wide& a, const Wide& b) {
      segment(
          [&](const Wide& s, bool start) {
            const Wide x = start ? Wide(a + s) : Wide(b - s);
            return h(x, Wide(x - u));
          },
          Wide(b - a), 1);
    };
    if (low < 0) {
      between(low, Wide(0));
      between(Wide(0), high);
    } else {
      between(low, high);
    }
  }
  return sum;
}

}  // namespace

PairTransform wide_quadrature(const Plan& plan, const Wide& T, double tolerance) {
  const Wide& u = plan.u;
  const Wide turns_per_x = T * plan.v / wide_two_pi();
  const Wide width = plan.wide_f.half_width();
  const auto density = [&](const Wide& d) {
    const Wide distance = abs(d);
    return plan.wide_f.density(width > 0 && distance > width ? width : distance);
  };
  const auto h = [&](const Wide& x, const Wide& d) -> WideComplex {
    const Wide size = density(d) * plan.wide_F.characteristic(Wide(T * x));
    if (size == 0) return {};
    if (plan.v == 0) return {size, Wide(0)};
    const Wide turns = turns_per_x * x;
    return {size * cos_turns(turns), u == 0 ? Wide(0) : Wide(size * sin_turns(turns))};
  };
  const WideSum sum = wide_pieces(plan, T, h, tolerance);
  PairTransform result;
  result.method = PairMethod::wide_quadrature;
  result.value = sum.value;
  if (sum.absolute == 0) return result;  // below the range of Wide
  // Rounding as in double, in units that leave room for exponents up to e^116 on the outermost
  // nodes, which carry weight below the unit.
  Wide size = sum.absolute;
  if (errs_by_size(plan)) {
    const auto S = [&](const Wide& x, const Wide& d) -> WideComplex {
      return {density(d) * plan.wide_F.size(Wide(T * x)), Wide(0)};
    };
    const WideSum sizes = wide_pieces(plan, T, S, 1e-4);
    size = std::max(size, Wide(sizes.absolute + sizes.difference));
  }
  const Wide exponent = std::max(Wide(0), Wide(-log(size * std::max(Wide(1), T))));
  const Wide units = ldexp(Wide(1), 24) + 16 * (exponent + T * plan.v * mean_reach(plan, T));
  result.error = sum.difference + wide_epsilon() * units * size;
  // Nodes of a segment end e^-141 before its end, where the mass of singular is 2 norm s^(1/2).
  if (plan.density_side.family == MarginalFamily::singular) {
    result.error += sqrt(u) * Wide("1e-30");
  }
  return result;
}

}  // namespace tapalab::product
