// The figure of a cross-check: phase error against distance.
#pragma once

#include <string>
#include <vector>

#include "analysis/crosscheck/scores.hpp"

namespace tapalab {

namespace plot {
struct Figure;
}

/// One panel for each dtype: phase errors in turns as markers, their bound as a dotted line, the
/// worst case over distances of that size as a dash-dotted one, the limit of --horizon as a dashed
/// rule with the horizon of each encoding as an upright line. Distance 0 and offsets but the first
/// are left out.
plot::Figure crosscheck_figure(const std::vector<ScoreCheck>& checks);

/// Draws it. Throws as plot_curves does; InputError where no distance is above 0.
void plot_crosscheck(const std::vector<ScoreCheck>& checks, const std::string& file);

}  // namespace tapalab
