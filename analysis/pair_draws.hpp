// Samples of (query, key) one by one, for statistics that are more than moments of one score:
// histograms, joint laws at two distances, laws of exponentials.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/density.hpp"
#include "sim/encoding.hpp"
#include "sim/score_tables.hpp"

namespace tapalab {

/// Sample i of seed s is the pair that the sampling engine draws for it where its normals are in
/// double (sim/monte_carlo.hpp).
class PairDraws {
 public:
  /// Throws InputError where the density does not fit the encoding or the head dimension, and for
  /// pairs=at_distance, whose pairs belong to one distance.
  PairDraws(const Encoding& encoding, const Density& density, std::uint32_t head_dim,
            std::uint64_t seed);
  ~PairDraws();
  PairDraws(PairDraws&&) noexcept;
  PairDraws& operator=(PairDraws&&) noexcept;

  /// Samples first .. first + kLanes - 1 (sim/block_kernels.hpp), kLanes dividing `first`:
  /// coordinate c of lane l is x[c * kLanes + l], x = (q, k).
  void lanes(std::uint64_t first, double* x) const;
  std::uint32_t head_dim() const { return head_dim_; }

 private:
  struct Source;
  std::uint32_t head_dim_;
  std::unique_ptr<const Source> source_;
};

/// Throws the InputError of the sampling engine where phases at these distances have so many turns
/// that samples in double no longer resolve them.
void check_phases_resolved(const Encoding& encoding, const Density& density, std::uint32_t head_dim,
                           const std::vector<std::uint64_t>& distances);

/// Amplitudes and phases of samples 0 .. count-1: the score at the tables' distance i is
/// amplitude cos(2 pi scales[i] phi).
struct PhaseSamples {
  std::vector<double> amplitude, phi;
};
/// `threads` never changes a bit; 0: all.
PhaseSamples draw_phase_samples(const PhaseTables& tables, const PairDraws& draws,
                                std::uint64_t count, unsigned threads);

}  // namespace tapalab
