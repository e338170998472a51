// The inner loop of the empirical engine: cosines of phases reduced in turns.
#pragma once

#include "analysis/empirical_phases.hpp"

namespace tapalab::empirical {

/// s * unit, split for exact products.
struct PhaseScale {
  double head = 0, rest = 0;  ///< of the high part
  double high = 0, low = 0;
};
PhaseScale make_phase_scale(const Wide& scale);

/// Over some pairs: sum a cos(2 pi x), sum a sin(2 pi x), sum a^2 cos(4 pi x), x = scale * phase in
/// turns.
struct PhaseSums {
  double cosine = 0;
  double sine = 0;
  double second = 0;
};

/// The products are formed exactly and reduced as x - round(x) before they are added, so that a
/// phase carries the error of the pair's two doubles times the scale and at most 2^-49 turns
/// besides, for |scale * phase| up to 2^80. `largest` bounds |scale * phase|: below 2^20 a shorter
/// reduction serves. Sums run in eight lanes, added pairwise; the same bits for every vector width.
PhaseSums phase_sums(const PairValues& values, const PhaseScale& scale, double largest);

}  // namespace tapalab::empirical
