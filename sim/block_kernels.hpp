// The inner loops of sampling, compiled once per vector width from one source: every width gives
// the same bits, since lanes are samples (or fixed virtual lanes of a sum) and nothing is
// reassociated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/gaussian_sampler.hpp"
#include "sim/moments.hpp"
#include "sim/random/philox.hpp"
#include "sim/score_tables.hpp"
#include "sim/simd_level.hpp"

namespace tapalab {

/// Samples that stand side by side: coordinate c of lane l is x[c * kLanes + l].
inline constexpr int kLanes = 16;
/// Samples of one leaf of the dyadic sum; part of the stream format. A multiple of kLanes.
inline constexpr std::size_t kBlockSamples = 1024;
/// Changes whenever a change of the code changes a bit of sampled moments: parts of two such
/// versions do not belong together.
inline constexpr std::uint32_t kSamplingArithmetic = 3;
/// Distances that one pass over a block of rotary products serves.
inline constexpr std::size_t kDistanceTile = 8;

struct BlockKernels {
  /// x = mean + L z for samples first .. first + kLanes - 1; x has 2 head_dim coordinates.
  void (*gaussian_lanes)(const SparseRoot& root, PhiloxKey key, std::uint64_t first, double* x);
  /// Amplitude and phi of kLanes samples, x = (q, k).
  void (*phase_features)(const PhaseTables& tables, const double* x, double* amplitude,
                         double* phi);
  /// phi in two terms, for phases of so many turns that its rounding shows.
  void (*fine_phi)(const PhaseTables& tables, const double* x, double* hi, double* lo);
  /// A and B of every pair, A[d * kLanes + lane], and the plain sum of kLanes samples, all times
  /// the score's scale.
  void (*rotary_features)(const RotaryTables& tables, const double* x, double* A, double* B,
                          double* plain);
  /// At one distance, for `count` samples: the score a cos, the sine part a sin, and
  /// a^2 cos(4 pi s phi)/2, which is score^2 - a^2/2.
  void (*phase_scores)(const double* amplitude, const double* phi, TwoTerm<double> scale,
                       std::size_t count, double* cosine, double* sine, double* excess);
  /// The same for a phi of two terms.
  void (*fine_scores)(const double* amplitude, const double* phi_hi, const double* phi_lo,
                      TwoTerm<double> scale, std::size_t count, double* cosine, double* sine,
                      double* excess);
  /// Scores of kBlockSamples samples, the products of one group of kLanes after the other, at
  /// `distances` <= kDistanceTile distances whose angles start at `angles`:
  /// score[i * kBlockSamples + sample].
  void (*rotary_scores)(const double* A, const double* B, const double* plain, std::size_t pairs,
                        const SinCos<double>* angles, std::size_t distances, double* score);
  /// Moments of values[0 .. count-1], count <= kBlockSamples: the mean first, then central sums
  /// around it, each as eight interleaved sums that are added pairwise.
  Moments (*moments)(const double* values, std::size_t count);
  /// The companion `values` of `scores`, whose moments are `of_scores`, in the same way.
  CompanionMoments (*companion)(const double* values, const double* scores, std::size_t count,
                                const Moments& of_scores);
};

/// The kernels of that width, or of the widest one below it that this build has.
const BlockKernels& block_kernels(SimdLevel level);

}  // namespace tapalab
