// Results as comma-separated values: one row for each point, one header row.
#pragma once

#include <string>
#include <vector>

#include "analysis/distance_curve.hpp"

namespace tapalab {

/// Columns: encoding, density, head_dim, seed, samples, distance, engine, status; then for mean,
/// envelope, variance and variance_excess the decimal (17 digits), the ends of its interval
/// rounded outwards, and the kind of its error. Unset cells are empty. Lines end with \n; fields
/// are quoted after RFC 4180.
std::string curves_csv(const std::vector<DistanceCurve>& curves);

/// One field, quoted where it holds a comma, a quote or a line break.
std::string csv_field(const std::string& text);

}  // namespace tapalab
