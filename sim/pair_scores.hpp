// Scores of one (query, key) pair at every distance: the same lines on the host and in a device
// thread, reading score tables through plain pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/score_tables.hpp"

namespace tapalab {

/// PhaseTables as pointers.
struct PhaseView {
  std::uint32_t head_dim;
  double amplitude_scale;
  const FlatBilinearTerm* amplitude;
  std::size_t amplitude_terms;
  const FlatBilinearTerm* phase;
  std::size_t phase_terms;
  const FlatLinearTerm* phase_linear;
  std::size_t linear_terms;
  const TwoTerm<double>* scales;
};

/// RotaryTables as pointers.
struct RotaryView {
  double scale;
  const FlatRotaryPair* pairs;
  std::size_t pair_count;
  const std::uint32_t* plain;
  std::size_t plain_count;
  const SinCos<double>* angles;
};

inline PhaseView view(const PhaseTables& tables) {
  return {tables.head_dim,
          tables.amplitude_scale,
          tables.amplitude.data(),
          tables.amplitude.size(),
          tables.phase.data(),
          tables.phase.size(),
          tables.phase_linear.data(),
          tables.phase_linear.size(),
          tables.scales.data()};
}

inline RotaryView view(const RotaryTables& tables) {
  return {tables.scale,        tables.pairs.data(), tables.pairs.size(),
          tables.plain.data(), tables.plain.size(), tables.angles.data()};
}

/// scores[i] at distance i, of q and k with head_dim values each.
TAPALAB_HD inline void pair_scores(const PhaseView& tables, const double* q, const double* k,
                                   std::size_t distances, double* scores) {
  double amplitude = 0;
  TwoTerm<double> phi{};
  bilinear_form<1>(tables.amplitude_scale, tables.amplitude, tables.amplitude_terms, q, k,
                   &amplitude);
  phase_form<1>(tables.phase, tables.phase_terms, tables.phase_linear, tables.linear_terms,
                tables.head_dim, q, k, &phi.hi, &phi.lo);
  for (std::size_t i = 0; i < distances; ++i) {
    scores[i] = score<DoublePrecision>(amplitude, phi, tables.scales[i]);
  }
}

TAPALAB_HD inline void pair_scores(const RotaryView& tables, const double* q, const double* k,
                                   std::size_t distances, double* scores) {
  double plain = 0;
  plain_products<1>(tables.plain, tables.plain_count, q, k, &plain);
  for (std::size_t i = 0; i < distances; ++i) {
    double sum = tables.scale * plain;
    for (std::size_t d = 0; d < tables.pair_count; ++d) {
      double A = 0, B = 0;
      rotary_products<1>(tables.pairs[d], q, k, &A, &B);
      sum = add_rotary<DoublePrecision>(sum, tables.scale * A, tables.scale * B,
                                        tables.angles[i * tables.pair_count + d]);
    }
    scores[i] = sum;
  }
}

}  // namespace tapalab
