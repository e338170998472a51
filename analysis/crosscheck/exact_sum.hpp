// Sums of products in two doubles, and whether one double would have held them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "analysis/crosscheck/rounding.hpp"
#include "sim/make_score_tables.hpp"

namespace tapalab {

/// The nearest double, and the double nearest to the rest.
inline ExactPair pair_of(const Wide& x) {
  const TwoTerm<double> terms = two_term(x);
  return {terms.hi, terms.lo};
}

/// a + b for |a| >= |b| or a = 0.
inline ExactPair fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// Error at most 2^-104 (|a| + |b|).
inline ExactPair add_pairs(ExactPair a, ExactPair b) {
  const ExactPair high = two_sum(a.hi, b.hi);
  const ExactPair low = two_sum(a.lo, b.lo);
  const ExactPair middle = fast_two_sum(high.hi, high.lo + low.hi);
  return fast_two_sum(middle.hi, middle.lo + low.lo);
}

/// Error at most 2^-102 |a b|.
inline ExactPair multiply_pairs(ExactPair a, ExactPair b) {
  const ExactPair p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// The exponent of the lowest bit that is set in x, not 0.
inline int lowest_bit(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF);
  std::uint64_t significand = bits & 0xFFFFFFFFFFFFFu;
  if (exponent != 0) significand |= std::uint64_t{1} << 52;
  return std::max(exponent, 1) - 1075 + std::countr_zero(significand);
}

/// sum of p_j, each a double or the exact product of two.
class ExactSum {
 public:
  void add_product(double a, double b) {
    const ExactPair p = two_product(a, b);
    note(p.hi);
    note(p.lo);
    sum_ = add_pairs(sum_, p);
  }
  void add(double x) {
    note(x);
    sum_ = add_pairs(sum_, {x, 0});
  }
  /// Error at most n 2^-104 sum |p_j| for n terms; none where exact_in_double.
  ExactPair value() const { return sum_; }
  /// sum |p_j| < 2^53 times the lowest bit of any p_j: then plain double sums, in any order, and so
  /// this one, round nothing. True of most sums over bf16, not of all.
  bool exact_in_double() const {
    return magnitude_ == 0 || magnitude_ * (1 + 1e-12) < std::ldexp(1.0, 53 + lowest_);
  }

 private:
  void note(double x) {
    if (x == 0) return;
    magnitude_ += std::abs(x);
    lowest_ = std::min(lowest_, lowest_bit(x));
  }

  ExactPair sum_{0, 0};
  double magnitude_ = 0;
  int lowest_ = 2000;
};

}  // namespace tapalab
