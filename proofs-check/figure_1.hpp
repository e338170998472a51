// The paper's Figure 1: histograms of score differences between two ranges of distance.
#pragma once

#include <string>
#include <vector>

#include "analysis/histogram.hpp"
#include "proofs-check/claim.hpp"

namespace tapalab {

/// Distances in [0, 100] and [10000, 10100], as printed.
HistogramTask figure_1_task(const std::string& encoding, const Density& density,
                            std::uint32_t head_dim, std::uint64_t pairs, std::uint64_t seed);

/// A quarter of the pairs strongly correlated and larger, the others hardly: amplitude and phase
/// hang together through the component.
std::string figure_1_mixture();

/// Mean and variance of the difference, pair and both distances random, for correlated Gaussian
/// coordinates and mixtures of them: by closed forms over all pairs of distances. Rope: means 0,
/// and no keys for amplitude or phase alone.
struct DifferenceMoments {
  double mean = 0;
  double variance = 0;
};
DifferenceMoments tapa_difference_moments(const HistogramTask& task);
DifferenceMoments rope_difference_moments(const HistogramTask& task);

/// Statement: RoPE mean about 4.1, standard deviation 0.85; TAPA mean about 0.03, standard
/// deviation 3.3. Whether the paper's model gives these cannot be decided without its activations;
/// decided is what of them belongs to the encodings: docs/theory/figure-1.md.
ClaimResult check_figure_1(const ClaimContext& context);

}  // namespace tapalab
