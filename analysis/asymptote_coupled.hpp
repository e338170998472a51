// Decay exponents where amplitude and phase depend on each other: mixtures, one random scale, and
// tokens with a bandwidth. Derivations: docs/theory/fits.md, 6.
#pragma once

#include <cstdint>

#include "analysis/asymptote.hpp"
#include "sim/density.hpp"

namespace tapalab {

/// Split TAPA: -dP where the amplitude's mean over the critical set x_P = 0 is not 0.
Asymptote split_mixture_asymptote(const MixtureDensity& density, std::uint32_t phase_dim);
Asymptote split_radial_asymptote(const RadialDensity& density, std::uint32_t phase_dim);
/// Sums over the pairs of the file, O(pairs amplitude_dim).
Asymptote split_smoothed_asymptote(const EmpiricalDensity& density, std::uint32_t amplitude_dim,
                                   std::uint32_t phase_dim);

}  // namespace tapalab
