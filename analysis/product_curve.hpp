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

}  // namespace tapalab
