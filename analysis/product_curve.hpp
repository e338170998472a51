// Exact and quadrature engines for independent coordinates.
#pragma once

#include "analysis/experiment.hpp"

namespace tapalab {

/// How phase scores under a product density are computed: by formulas, by one-dimensional
/// quadrature, or not at all (general TAPA couples all coordinates).
enum class ProductMethod { closed, quadrature, none };

/// The density of the task is a ProductDensity. Rotary scores need second moments alone and are
/// `closed`.
ProductMethod product_method(const CurveTask& task);

/// tapa and tapa-linear under a ProductDensity; the points carry task.engine. Throws InputError for
/// anything else.
DistanceCurve product_curve(const CurveTask& task);

/// Whether asymptotic_curve applies: tapa under gaussian (|rho| < 1 of the phase) or independent
/// coordinates with densities that are analytic on the line.
bool is_stationary(const CurveTask& task);

/// Split TAPA by the stationary-phase expansion (analysis/stationary_phase.hpp); the errors, of
/// kind quadrature, are the first terms left out. is_stationary(task).
DistanceCurve asymptotic_curve(const CurveTask& task);

}  // namespace tapalab
