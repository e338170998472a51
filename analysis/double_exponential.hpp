// Double-exponential quadrature in any precision (Takahasi and Mori, Publ. RIMS 9 (1974)), for the
// integrals that double cannot resolve. Fixed node ranges, so that a narrow peak is never cut off
// by a run of small terms; the step is halved until two sums agree.
#pragma once

#include <array>
#include <boost/math/constants/constants.hpp>
#include <cmath>
#include <complex>
#include <mutex>
#include <vector>

#include "sim/interrupt.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// An integral, the difference of the last two sums and the integral of the absolute value.
/// The difference is the error of the sum before the last; that of the last is about its square.
/// Where the finest step does not meet the tolerance two sums may be close by chance: the
/// difference is then at least a hundredth of the one before it, and twice the absolute integral,
/// which bounds any error, where it is above kSettled of that.
template <class Real, class Value>
struct Integral {
  Value value{};
  Real difference{0};
  Real absolute{0};
};

/// Nodes of one halving of the step: those that the coarser steps lack.
template <class Real>
struct ExponentialNode {
  Real x, weight;
};

inline constexpr int kFinestHalving = 7;  // steps 1/4, 1/8, ... 1/512
/// Differences above this part of the absolute integral say nothing of the error of the last sum.
inline constexpr double kSettled = 1e-6;

namespace detail {

// x = exp(pi/2 sinh tau) on (0, infinity): |tau| <= 5 spans e^+-116.
template <class Real>
ExponentialNode<Real> half_line_node(const Real& tau) {
  using std::cosh;
  using std::exp;
  using std::sinh;
  const Real half_pi = boost::math::constants::half_pi<Real>();
  const Real x = exp(Real(half_pi * sinh(tau)));
  return {x, half_pi * cosh(tau) * x};
}

// The distance of a node of (0, 1) from 0, for tau <= 0: 1/(1 + exp(-pi sinh tau)); the node of
// -tau lies as far from 1. |tau| <= 4.5 comes within e^-141.
template <class Real>
ExponentialNode<Real> segment_node(const Real& tau) {
  using std::cosh;
  using std::exp;
  using std::sinh;
  const Real pi = boost::math::constants::pi<Real>();
  const Real e = exp(Real(pi * sinh(tau)));
  const Real x = e / (1 + e);
  return {x, pi * cosh(tau) * x / (1 + e)};
}

// Rows of nodes, made when first asked for.
template <class Real, ExponentialNode<Real> (*node)(const Real&)>
const std::vector<ExponentialNode<Real>>& node_row(int halving, double from, double to) {
  static std::array<std::once_flag, kFinestHalving + 1> made;
  static std::array<std::vector<ExponentialNode<Real>>, kFinestHalving + 1> rows;
  std::call_once(made[halving], [&] {
    const double h = 0.25 / (1 << halving);
    for (int k = 0;; ++k) {
      const double tau = from + (halving == 0 ? k : 2 * k + 1) * h;
      if (tau > to) break;
      rows[halving].push_back(node(Real(tau)));
    }
  });
  return rows[halving];
}

// Halves the step until the difference is below `tolerance` times the absolute integral; `add`
// adds one row to the running sums.
template <class Real, class Value, class AddRow>
Integral<Real, Value> refine(double tolerance, const AddRow& add) {
  Integral<Real, Value> result;
  Value sum{};
  Real absolute = 0, before = 0;
  bool met = false;
  for (int halving = 0; halving <= kFinestHalving && !met; ++halving) {
    add(halving, sum, absolute);
    const Real h = Real(0.25) / Real(1 << halving);
    const Value next = h * sum;
    using std::abs;
    before = result.difference;
    result.difference = abs(next - result.value);
    result.value = next;
    result.absolute = h * absolute;
    met = halving >= 2 && result.difference <= Real(tolerance) * result.absolute;
  }
  if (met) return result;
  if (result.difference > Real(kSettled) * result.absolute) {
    result.difference = 2 * result.absolute;
  } else if (result.difference < before / 100) {
    result.difference = before / 100;
  }
  return result;
}

}  // namespace detail

/// int_0^infinity f(s) ds. Throws Interrupted where a signal has come; f sampled from s = scale
/// e^-116 to scale e^116.
template <class Real, class Value, class F>
Integral<Real, Value> half_line_integral(const F& f, const Real& scale, double tolerance) {
  return detail::refine<Real, Value>(tolerance, [&](int halving, Value& sum, Real& absolute) {
    for (const auto& node :
         detail::node_row<Real, detail::half_line_node<Real>>(halving, -5.0, 5.0)) {
      using std::abs;
      throw_if_interrupted();
      const Real weight = scale * node.weight;
      const Value term = weight * f(Real(scale * node.x));
      sum = sum + term;
      absolute += abs(term);
    }
  });
}

/// The same where f is like s^(-1/2) at 0: in the root of s, since below e^-116 the mass of
/// s^(-1/2) is still e^-58.
template <class Real, class Value, class F>
Integral<Real, Value> rooted_half_line_integral(const F& f, const Real& scale, double tolerance) {
  using std::sqrt;
  return half_line_integral<Real, Value>(
      [&](const Real& y) { return Real(2 * y) * f(Real(y * y)); }, Real(sqrt(scale)), tolerance);
}

/// The integral over a segment of length `length`; f(distance, from_start) at that distance from
/// the start or the end, whichever is nearer.
template <class Real, class Value, class F>
Integral<Real, Value> segment_integral(const F& f, const Real& length, double tolerance) {
  return detail::refine<Real, Value>(tolerance, [&](int halving, Value& sum, Real& absolute) {
    const auto& row = detail::node_row<Real, detail::segment_node<Real>>(halving, -4.5, 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      using std::abs;
      throw_if_interrupted();
      const Real weight = length * row[i].weight;
      const Real distance = length * row[i].x;
      const Value near_start = weight * f(distance, true);
      sum = sum + near_start;
      absolute += abs(near_start);
      if (halving == 0 && i + 1 == row.size()) continue;  // tau = 0: the middle, once
      const Value near_end = weight * f(distance, false);
      sum = sum + near_end;
      absolute += abs(near_end);
    }
  });
}

}  // namespace tapalab
