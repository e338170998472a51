// Sums over pairs of tokens under a bandwidth: turns of the raw phase, in two doubles, the weights
// of both tokens, and compensated sums.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "analysis/crosscheck/exact_sum.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab::empirical {

/// A raw phase (q_P.k_P, or a sum of coordinates) and how precisely it is known: in two doubles,
/// with an error of at most terms 2^-104 of the sum of moduli, where products stay in the range of
/// double; else in long double.
struct RawPhase {
  ExactPair pair{0, 0};
  long double plain = 0;
};

/// weight_q weight_k e^(2 pi i turns phase), times a factor that all pairs share.
struct SmoothedAngle {
  ExactPair turns{0, 0};
  long double turn = 0;  ///< the same in radians
  std::vector<long double> weight_q, weight_k;
  long double least_weight = 0;  ///< of pairs that count: the heaviest's times 1e-45
  Wide log_factor{0};
};

inline constexpr long double kSmoothedTwoPi = 6.283185307179586476925286766559005768L;

/// cos and sin of the angle of `phase`, reduced in turns, to a few units of long double and, where
/// `precise`, 2^-102 of |turns phase|; else to units of it.
inline void cosines(const SmoothedAngle& angle, const RawPhase& phase, bool precise,
                    long double& cosine, long double& sine) {
  using Real = long double;
  Real rest;
  if (precise) {
    const ExactPair p = two_product(angle.turns.hi, phase.pair.hi);
    const Real low = Real(p.lo) + Real(angle.turns.hi) * Real(phase.pair.lo) +
                     Real(angle.turns.lo) * Real(phase.pair.hi);
    rest = Real(p.hi - std::nearbyint(p.hi)) + low;
  } else {
    rest = angle.turn * phase.plain / kSmoothedTwoPi;
  }
  const Real reduced = (rest - std::nearbyint(rest)) * kSmoothedTwoPi;
  cosine = std::cos(reduced);
  sine = std::sin(reduced);
}

/// A sum with the rounding of its additions beside it (Neumaier): the error is one unit of the sum
/// of moduli, whatever the number of terms.
struct Compensated {
  long double sum = 0, low = 0;

  void add(long double x) {
    const long double next = sum + x;
    low += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  long double total() const { return sum + low; }
};

/// Eight sums, added pairwise: count/8 + 4 units of the sum of moduli.
template <class Term>
long double lane_sum(std::size_t count, const Term& term) {
  long double lanes[8] = {};
  for (std::size_t i = 0; i < count; ++i) lanes[i % 8] += term(i);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

inline long double dot(const double* a, const double* b, std::size_t count) {
  return lane_sum(count, [&](std::size_t i) {
    return static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
  });
}

}  // namespace tapalab::empirical
