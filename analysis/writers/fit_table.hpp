// Fits as text for people and as comma-separated values.
#pragma once

#include <string>
#include <vector>

#include "analysis/fit.hpp"

namespace tapalab {

/// For each fit a heading, the overall exponent beside the closed form's and the asymptote, and one
/// row for each interval of distances. Exponents are by ln distance.
std::string fits_table(const std::vector<FitResult>& fits);

/// One row for each interval of distances: encoding, density, head_dim, the ends of the interval in
/// distance and t, the exponent with its interval, the closed form's, the asymptote. Unset cells
/// are empty.
std::string fits_csv(const std::vector<FitResult>& fits);

}  // namespace tapalab
