// The statistics that assumption 2.1 is about, from the token pairs of a file.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace tapalab {

/// An average over pairs with its block-bootstrap error.
struct MomentEstimate {
  double estimate = 0;
  double standard_error = 0;
  double lower = 0;  ///< ends of the interval at the level asked for
  double upper = 0;
};

/// d counts the rotary pairs (first, second): (2d, 2d+1) or (d, d + D/2).
struct EmpiricalMoments {
  std::vector<MomentEstimate> mu;                 ///< E[q_1 k_1 + q_2 k_2] of pair d; D/2 values
  std::vector<MomentEstimate> nu;                 ///< E[q_1 k_2 - q_2 k_1] of pair d; D/2 values
  std::vector<MomentEstimate> sigma2_coordinate;  ///< E[(q_i k_i)^2] of coordinate i; D values
  /// E[A_d^2] = E[(q_1 k_1 + q_2 k_2)^2] of pair d; D/2 values
  std::vector<MomentEstimate> sigma2_pair;
  /// max sigma2 / min sigma2 over coordinates, and over pairs.
  MomentEstimate coordinate_ratio, pair_ratio;
  double pairs = 0;            ///< token pairs averaged
  std::size_t blocks = 0;      ///< blocks of the bootstrap
  std::size_t replicates = 0;  ///< its replicates
};

/// How the pairs are chosen (analysis/empirical_pairs.hpp) and the intervals made
/// (analysis/empirical_bootstrap.hpp).
struct MomentOptions {
  Pairing pairing = Pairing::half;
  PairRule rule = PairRule::all;
  std::uint64_t distance = 0;  ///< for at_distance
  double level = 0.95;
  std::uint64_t seed = 1;
  unsigned threads = 0;
};

/// Each statistic exactly (to about 1e-14 of the sum of its terms' magnitudes) over the table's
/// pairs. Throws InputError for an odd dimension, fewer than two pairs, a level outside (0, 1), and
/// products beyond the range of double.
EmpiricalMoments empirical_moments(const TokenTable& table, const MomentOptions& options);

}  // namespace tapalab
