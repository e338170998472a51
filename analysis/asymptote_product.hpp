// The exponent at which |g(t)| = |E e^(i t x y)| of one pair of independent coordinates falls, from
// what is known of their laws. Derivations: docs/theory/fits.md, 5.
#pragma once

#include <string>

#include "analysis/asymptote.hpp"
#include "sim/density.hpp"

namespace tapalab {

/// Split TAPA: the limit of d ln|Phi_1| / d ln s, or why there is none.
Asymptote split_product_asymptote(const ProductDensity& density, std::uint32_t phase_dim);

/// A linear phase: |Phi_1| = |E a| |F_q F_k|^dP.
Asymptote linear_product_asymptote(const ProductDensity& density, std::uint32_t phase_dim);

/// Fill log_envelope and exponent_in_scale where both laws have a closed characteristic function.
/// Split TAPA: by the stationary expansion of one pair where that applies and is right to 1e-11, by
/// the pair's integral elsewhere; the slope by the expansion's terms or by differences. A linear
/// phase: ln|F| and its derivative in closed form.
void fill_split_product(DecayLaw& law, const ProductDensity& density, std::uint32_t phase_dim);
void fill_linear_product(DecayLaw& law, const ProductDensity& density, std::uint32_t phase_dim);

}  // namespace tapalab
