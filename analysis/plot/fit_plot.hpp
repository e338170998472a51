// The figure of a fit: local exponents beside the closed form and the asymptote.
#pragma once

#include <string>
#include <vector>

#include "analysis/fit.hpp"

namespace tapalab {

namespace plot {
struct Figure;
}

/// Local exponents d ln|Phi_1| / d ln distance against t = 2 pi s/sqrt(dP), one curve per fit, each
/// between its two points (at the geometric mean of their t) with its interval; the closed form's
/// exponent at the points as a dotted line, the asymptote as a dashed one.
/// Throws as plot_curves does; InputError where `fits` is empty.
void plot_fits(const std::vector<FitResult>& fits, const std::string& file,
               const std::string& title = {});

/// The figure that plot_fits draws.
plot::Figure fit_figure(const std::vector<FitResult>& fits, const std::string& title = {});

}  // namespace tapalab
