// Figures of the claims on RoPE's gap, TAPA's law, resolution, crossover, sensitivity and
// histograms.
#pragma once

#include <vector>

#include "proofs-check/report_figures.hpp"

namespace tapalab {

/// Theorem 2.2 over base and head dimension: where it is proved, where the rows of its evidence
/// break it, and where models stand.
ReportFigure region_figure(const std::vector<Evidence>& evidence);
/// Score densities beside the limit's.
ReportFigure limit_law_figure(const VerifyReport& report);
/// Correlation of the scores at two distances.
ReportFigure resolution_figure();
/// The mean beside its normal value, over scales.
ReportFigure crossover_figure();
/// E |grad score|^2 against the scale of the representation.
ReportFigure gradient_figure();
/// What noise leaves of the correlation.
ReportFigure noise_figure();
/// The two histograms of Figure 1, a figure a density: Gaussian coordinates, a mixture, and real
/// activations where there are some.
std::vector<ReportFigure> histograms_figures(const VerifyReport& report);

}  // namespace tapalab
