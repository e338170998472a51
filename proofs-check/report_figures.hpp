// The figures of the report, as values and as data.
#pragma once

#include <string>
#include <vector>

#include "analysis/plot/figure.hpp"
#include "proofs-check/verify.hpp"

namespace tapalab {

struct ReportFigure {
  std::string name;   ///< of its files: NAME.csv
  std::string claim;  ///< the claim that it belongs to
  plot::Figure figure;
  std::string csv;  ///< the points drawn
};

/// Figures for each claim of the report that ran and has some: the bias of TAPA under its bound
/// (theorem-3.2), its variance with sigma_0^2/2 and E a^2/2 (theorem-3.3), RoPE's mean with the
/// thresholds of the gap and its recurrences (theorem-2.2), and those of report_figures_tapa.hpp.
std::vector<ReportFigure> report_figures(const VerifyReport& report);

}  // namespace tapalab
