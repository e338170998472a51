// Samples of the engine conditional, summed in log space: single samples may be 1e-9000.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/conditional/phase_pair.hpp"
#include "sim/numbers/wide.hpp"
#include "sim/random/philox.hpp"

namespace tapalab {

/// Count, mean, central sum of squares, and the largest size, of numbers of any exponent.
struct WideMoments {
  std::uint64_t count = 0;
  Wide mean{0}, m2{0}, largest{0};
  std::uint64_t lost = 0;  ///< samples too small to compute, entered as 0
  double rounding = 0;     ///< bound on the relative error of any sample's size, and of its cosine

  /// Not associative in rounding: callers merge in one fixed order.
  void merge(const WideMoments& other);
  /// sqrt(m2/(count (count - 1)))/|mean|; infinite for a mean of 0. count >= 2.
  double relative_error() const;
  /// sqrt(E x^2).
  Wide root_mean_square() const;
  /// Whether the central limit theorem can be trusted: no sample was lost, and none carries a tenth
  /// of the second moment.
  bool spread_out() const;
};

/// Draws samples of the estimator at several frequencies.
class ConditionalSampler {
 public:
  /// `pilot`: from random words of its own, which no other run uses.
  ConditionalSampler(const SplitProblem& problem, Estimator estimator,
                     const std::vector<std::uint64_t>& distances, std::uint64_t seed, bool pilot);

  /// Adds samples begin .. end-1 to `sums`, one WideMoments a distance; `begin` is a multiple of
  /// kBlockSamples. Blocks merge in their order: threads change no bit.
  void add(std::uint64_t begin, std::uint64_t end, unsigned threads,
           std::vector<WideMoments>& sums) const;

  /// Coordinates drawn for a sample.
  std::uint32_t coordinates() const { return coordinates_; }
  /// Bound on the relative error of a mean by the proposals' rounding and by cut tails.
  double rounding() const { return rounding_; }
  /// |E a|, which no mean exceeds.
  double largest_mean() const { return std::abs(amplitude_mean_); }

 private:
  struct Room;
  void block(std::uint64_t first, std::size_t count, Room& room, WideMoments* sums) const;
  void draw_words(std::uint64_t first, std::size_t count, Room& room) const;
  WideMoments moments_at(std::size_t distance, std::size_t count, Room& room) const;

  const SplitProblem problem_;
  Estimator estimator_;
  PhiloxKey key_;
  std::uint32_t tag_, coordinates_;
  std::vector<double> frequencies_;
  std::vector<Proposal> phase_;      // one a distance
  std::vector<Proposal> amplitude_;  // one, for `conditional` alone
  double amplitude_mean_ = 0, rounding_ = 0;
};

}  // namespace tapalab
