// g(t) along the real line in Wide, where double loses too many digits.
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

}  // namespace

PairTransform wide_quadrature(const Plan& plan, const Wide& T, double tolerance) {
  const Wide& u = plan.u;
  const Wide turns_per_x = T * plan.v / wide_two_pi();
  const Wide width = plan.wide_f.half_width();
  const auto h = [&](const Wide& x, const Wide& d) -> WideComplex {
    Wide distance = abs(d);
    if (width > 0 && distance > width) distance = width;
    const Wide size = plan.wide_f.density(distance) * plan.wide_F.characteristic(Wide(T * x));
    if (size == 0) return {};
    if (plan.v == 0) return {size, Wide(0)};
    const Wide turns = turns_per_x * x;
    return {size * cos_turns(turns), u == 0 ? Wide(0) : Wide(size * sin_turns(turns))};
  };
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
  PairTransform result;
  result.method = PairMethod::wide_quadrature;
  const auto finish = [&] {
    result.value = sum.value;
    // Exponents up to e^116 on the outermost nodes carry weight below the unit.
    result.error = sum.difference + ldexp(wide_epsilon(), 24) * sum.absolute;
    // Nodes of a segment end e^-141 before its end, where the mass of singular is 2 norm s^(1/2).
    if (singular) result.error += sqrt(u) * Wide("1e-30");
    return result;
  };
  // As in double: where F has died out before the first break of f, two half-lines are enough.
  const Wide nearest = width == 0 ? u : Wide(width - u);
  if (falls_exponentially(plan.transform_side.family) && nearest > 0) {
    const Wide rest = abs(plan.wide_F.characteristic(Wide(T * nearest)));
    if (rest < Wide(tolerance)) {
      half_line([&](const Wide& s) { return h(s, Wide(s - u)); }, scale, 1);
      half_line([&](const Wide& s) { return h(Wide(-s), Wide(-s - u)); }, scale, 1);
      if (rest <= Wide(tolerance) * sum.absolute) {
        sum.difference += 2 * rest;
        return finish();
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
  return finish();
}

}  // namespace tapalab::product
