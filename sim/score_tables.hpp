// A score at given distances as flat tables of doubles: what the sampling loops and the device
// kernels read. Light: no multiprecision, so that .cu files can include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "sim/score.hpp"

namespace tapalab {

/// weight * q[query] * k[key]
struct FlatBilinearTerm {
  std::uint32_t query;
  std::uint32_t key;
  double weight;
};

/// weight * x[coordinate], x = (q, k)
struct FlatLinearTerm {
  std::uint32_t coordinate;
  std::uint32_t unused = 0;
  double weight;
};

/// PhaseScore in doubles: score = a cos(2 pi scales[i] phi), a = amplitude_scale * sum of the
/// amplitude terms, phi the sum of the phase terms. Weights that all terms share (1/sqrt(dA),
/// 1/sqrt(dP)) stand in amplitude_scale and, to 2^-105 of it, in the two terms of scales[i]: then
/// phi is a plain sum of products, and scales[i] is s(distance i)/sqrt(dP).
struct PhaseTables {
  std::uint32_t head_dim = 0;
  double amplitude_scale = 1;
  std::vector<FlatBilinearTerm> amplitude;
  std::vector<FlatBilinearTerm> phase;
  std::vector<FlatLinearTerm> phase_linear;
  std::vector<TwoTerm<double>> scales;
  /// No weight of a phase term was rounded: phi is that of the encoding, and not of one whose
  /// weights are 2^-53 of themselves away.
  bool exact_phase_weights = true;
};

struct FlatRotaryPair {
  std::uint32_t first;
  std::uint32_t second;
};

/// RotaryScore in doubles. angles[i * pairs.size() + d] are the weighted cosine and sine of pair d
/// at distance i: the angle is reduced exactly, then rounded once (2^-54 turns), so each is within
/// 7e-16 of its weight.
struct RotaryTables {
  std::uint32_t head_dim = 0;
  double scale = 1;
  std::vector<FlatRotaryPair> pairs;
  std::vector<std::uint32_t> plain;
  std::vector<SinCos<double>> angles;
};

using ScoreTables = std::variant<PhaseTables, RotaryTables>;

// q and k below are pointers to doubles or what stands for them: `Values` can be moved by a number
// of places and read at one. Each value is read once for each term that it stands in.

/// scale * sum of the terms, one fused multiply-add a term in the order of the terms, for `Lanes`
/// vectors at once: coordinate c of lane l is q[c * Lanes + l].
template <int Lanes, class Values>
TAPALAB_HD TAPALAB_INLINE void bilinear_form(double scale, const FlatBilinearTerm* terms,
                                             std::size_t count, Values q, Values k,
                                             double* result) {
  double sum[Lanes] = {};
  for (std::size_t t = 0; t < count; ++t) {
    const FlatBilinearTerm term = terms[t];
    const Values query = q + std::size_t{term.query} * Lanes;
    const Values key = k + std::size_t{term.key} * Lanes;
    for (int lane = 0; lane < Lanes; ++lane) {
      sum[lane] = detail::fused(term.weight * query[lane], key[lane], sum[lane]);
    }
  }
  for (int lane = 0; lane < Lanes; ++lane) result[lane] = scale * sum[lane];
}

/// Adds the linear terms to result; x = (q, k) with head_dim coordinates each.
template <int Lanes, class Values>
TAPALAB_HD TAPALAB_INLINE void add_linear_form(const FlatLinearTerm* terms, std::size_t count,
                                               std::uint32_t head_dim, Values q, Values k,
                                               double* result) {
  for (std::size_t t = 0; t < count; ++t) {
    const FlatLinearTerm term = terms[t];
    const Values x = term.coordinate < head_dim
                         ? q + std::size_t{term.coordinate} * Lanes
                         : k + std::size_t{term.coordinate - head_dim} * Lanes;
    for (int lane = 0; lane < Lanes; ++lane) {
      result[lane] = detail::fused(term.weight, x[lane], result[lane]);
    }
  }
}

namespace detail {

// hi + lo += x + rest, x of any size beside hi (Knuth's TwoSum).
TAPALAB_HD TAPALAB_INLINE void add_two_term(double x, double rest, double& hi, double& lo) {
  const double sum = hi + x;
  const double part = sum - hi;
  lo += ((hi - (sum - part)) + (x - part)) + rest;
  hi = sum;
}

}  // namespace detail

/// phi, the sum of the bilinear and the linear terms, in two terms, |lo| <= ulp(hi)/2, with an
/// error of at most (n 2^-53)^2 times the sum of the n terms' sizes (Ogita, Rump and Oishi, SIAM J.
/// Sci. Comput. 26 (2005), Dot2). x = (q, k) with head_dim coordinates each.
template <int Lanes, class Values>
TAPALAB_HD TAPALAB_INLINE void phase_form(const FlatBilinearTerm* terms, std::size_t count,
                                          const FlatLinearTerm* linear, std::size_t linear_count,
                                          std::uint32_t head_dim, Values q, Values k,
                                          double* phi_hi, double* phi_lo) {
  double hi[Lanes] = {}, lo[Lanes] = {};
  for (std::size_t t = 0; t < count; ++t) {
    const FlatBilinearTerm term = terms[t];
    const Values query = q + std::size_t{term.query} * Lanes;
    const Values key = k + std::size_t{term.key} * Lanes;
    for (int lane = 0; lane < Lanes; ++lane) {
      const double a = query[lane], b = key[lane];
      const double weighted = term.weight * a;
      const double left = detail::fused(term.weight, a, -weighted);
      const double product = weighted * b;
      const double rest = detail::fused(weighted, b, -product);
      detail::add_two_term(product, detail::fused(left, b, rest), hi[lane], lo[lane]);
    }
  }
  for (std::size_t t = 0; t < linear_count; ++t) {
    const FlatLinearTerm term = linear[t];
    const Values x = term.coordinate < head_dim
                         ? q + std::size_t{term.coordinate} * Lanes
                         : k + std::size_t{term.coordinate - head_dim} * Lanes;
    for (int lane = 0; lane < Lanes; ++lane) {
      const double value = x[lane];
      const double product = term.weight * value;
      detail::add_two_term(product, detail::fused(term.weight, value, -product), hi[lane],
                           lo[lane]);
    }
  }
  for (int lane = 0; lane < Lanes; ++lane) {
    phi_hi[lane] = hi[lane] + lo[lane];
    phi_lo[lane] = lo[lane] - (phi_hi[lane] - hi[lane]);
  }
}

/// A and B of one rotated pair (eq. 2).
template <int Lanes, class Values>
TAPALAB_HD TAPALAB_INLINE void rotary_products(FlatRotaryPair pair, Values q, Values k, double* A,
                                               double* B) {
  const Values q0 = q + std::size_t{pair.first} * Lanes;
  const Values q1 = q + std::size_t{pair.second} * Lanes;
  const Values k0 = k + std::size_t{pair.first} * Lanes;
  const Values k1 = k + std::size_t{pair.second} * Lanes;
  for (int lane = 0; lane < Lanes; ++lane) {
    const double a = q0[lane], b = q1[lane], c = k0[lane], d = k1[lane];
    A[lane] = detail::fused(b, d, a * c);
    B[lane] = detail::fused(-b, c, a * d);
  }
}

/// Sum of q[i] k[i] over the coordinates that are not rotated.
template <int Lanes, class Values>
TAPALAB_HD TAPALAB_INLINE void plain_products(const std::uint32_t* plain, std::size_t count,
                                              Values q, Values k, double* sum) {
  for (int lane = 0; lane < Lanes; ++lane) sum[lane] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Values query = q + std::size_t{plain[i]} * Lanes;
    const Values key = k + std::size_t{plain[i]} * Lanes;
    for (int lane = 0; lane < Lanes; ++lane) {
      sum[lane] = detail::fused(query[lane], key[lane], sum[lane]);
    }
  }
}

}  // namespace tapalab
