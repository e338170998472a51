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

/// What the score of a pair is made of at every distance: amplitude cos(2 pi scale phi).
struct PairFeatures {
  double amplitude = 0;
  TwoTerm<double> phi{};
};
template <class Values>
TAPALAB_HD inline PairFeatures pair_features(const PhaseView& tables, Values q, Values k) {
  PairFeatures features;
  bilinear_form<1>(tables.amplitude_scale, tables.amplitude, tables.amplitude_terms, q, k,
                   &features.amplitude);
  phase_form<1>(tables.phase, tables.phase_terms, tables.phase_linear, tables.linear_terms,
                tables.head_dim, q, k, &features.phi.hi, &features.phi.lo);
  return features;
}

/// A rotary score at a distance is the sum, from rotary_plain on, of add_rotary over the pairs.
template <class Values>
TAPALAB_HD inline double rotary_plain(const RotaryView& tables, Values q, Values k) {
  double plain = 0;
  plain_products<1>(tables.plain, tables.plain_count, q, k, &plain);
  return tables.scale * plain;
}
struct RotaryProducts {
  double A, B;
};
template <class Values>
TAPALAB_HD inline RotaryProducts rotary_pair(const RotaryView& tables, std::size_t d, Values q,
                                             Values k) {
  double A = 0, B = 0;
  rotary_products<1>(tables.pairs[d], q, k, &A, &B);
  return {tables.scale * A, tables.scale * B};
}

/// scores[i] at distance i, of q and k with head_dim values each.
TAPALAB_HD inline void pair_scores(const PhaseView& tables, const double* q, const double* k,
                                   std::size_t distances, double* scores) {
  const PairFeatures features = pair_features(tables, q, k);
  for (std::size_t i = 0; i < distances; ++i) {
    scores[i] = score<DoublePrecision>(features.amplitude, features.phi, tables.scales[i]);
  }
}

TAPALAB_HD inline void pair_scores(const RotaryView& tables, const double* q, const double* k,
                                   std::size_t distances, double* scores) {
  const double plain = rotary_plain(tables, q, k);
  for (std::size_t i = 0; i < distances; ++i) {
    double sum = plain;
    for (std::size_t d = 0; d < tables.pair_count; ++d) {
      const RotaryProducts pair = rotary_pair(tables, d, q, k);
      sum = add_rotary<DoublePrecision>(sum, pair.A, pair.B,
                                        tables.angles[i * tables.pair_count + d]);
    }
    scores[i] = sum;
  }
}

}  // namespace tapalab
