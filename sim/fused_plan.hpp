// What a device needs to draw samples of a Gaussian and reduce them to moments itself: plain
// numbers, without multiprecision, so that .cu files can include it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/random/philox.hpp"
#include "sim/score.hpp"

namespace tapalab {

/// One pair of coordinates, z and z' its two normals:
///   q = mean_q + scale_q z,  k = mean_k + slope z + spread z'.
struct FusedLaw {
  double mean_q = 0, scale_q = 1, mean_k = 0, slope = 0, spread = 1;

  friend bool operator==(const FusedLaw&, const FusedLaw&) = default;
};

/// The kinds of score that the fused kernels know.
enum class FusedKind {
  bilinear,     ///< a cos(2 pi s phi), a and phi sums of q_i k_i over the first and the other pairs
  linear,       ///< the same with phi the sum of q_i + k_i over the other pairs
  conditional,  ///< samples of ConditionalForm instead of scores
  adjacent,     ///< rotary, pairs (2d, 2d + 1)
  halves,       ///< rotary, pairs (d, d + D/2)
};

/// The `retry` of conditional samples that a device draws.
inline constexpr std::uint32_t kConditionalDevice = 2;

/// One sample of a conditional estimator at one distance, divided by what all samples share: with
/// n_j the normals of its pairs,
///   exp(log1 sum n_j + log2 sum n_j^2) e^(2 pi i (turns0 + turns1 sum n_j + turns2 sum n_j^2)).
struct ConditionalForm {
  double log1 = 0, log2 = 0;
  double turns0 = 0, turns1 = 0, turns2 = 0;
};

struct FusedPlan {
  FusedKind kind = FusedKind::bilinear;
  std::uint32_t head_dim = 0;       ///< a multiple of 4, for rotary scores of 8
  std::uint32_t amplitude_dim = 0;  ///< phase scores; a multiple of 4
  FusedLaw amplitude, phase;        ///< of the pairs below amplitude_dim and of the others; equal
                                    ///< for rotary scores
  double scale = 1;                 ///< of the amplitude, or of the rotary sum
  PhiloxKey key{};
  std::vector<TwoTerm<double>> scales;  ///< phase scores: s(distance i)/sqrt(dP) or its like
  std::vector<ConditionalForm> forms;   ///< conditional
  std::vector<SinCos<double>> angles;   ///< rotary: [i * head_dim/2 + d], weights included
};

/// sum over pairs of a form in their normals: c0 + c1 z + c2 z' + c11 z^2 + c12 z z'. `c0` stands
/// for all pairs together.
struct NormalForm {
  double c0 = 0, c1 = 0, c2 = 0, c11 = 0, c12 = 0;
};

/// sum of q_i k_i over `count` pairs.
TAPALAB_HD inline NormalForm product_form(const FusedLaw& law, std::uint32_t count) {
  return {law.mean_q * law.mean_k * static_cast<double>(count),
          law.mean_q * law.slope + law.scale_q * law.mean_k, law.mean_q * law.spread,
          law.scale_q * law.slope, law.scale_q * law.spread};
}

/// sum of q_i + k_i over `count` pairs.
TAPALAB_HD inline NormalForm sum_form(const FusedLaw& law, std::uint32_t count) {
  return {(law.mean_q + law.mean_k) * static_cast<double>(count), law.scale_q + law.slope,
          law.spread, 0, 0};
}

}  // namespace tapalab
