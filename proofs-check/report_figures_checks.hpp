// Figures that set computations beside each other: exponents, engines, coordinates, needles.
#pragma once

#include <optional>

#include "proofs-check/report_figures.hpp"

namespace tapalab {

/// Local exponents of the decay, computed and sampled, beside the closed form and the asymptote.
ReportFigure decay_figure(const VerifyReport& report);
/// Sampling engines against the exact one, in standard errors.
ReportFigure pulls_figure(const VerifyReport& report);
/// mu_d, nu_d and E A_d^2 by pair of coordinates; unset without activations.
std::optional<ReportFigure> coordinates_figure(const VerifyReport& report);
/// Needles found among 2^6 to 2^16 keys.
ReportFigure needles_figure(const VerifyReport& report);

}  // namespace tapalab
