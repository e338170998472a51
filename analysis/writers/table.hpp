// Results as plain text for people.
#pragma once

#include <string>
#include <vector>

#include "analysis/distance_curve.hpp"

namespace tapalab {

enum class TableQuantities { all, mean, variance };

/// For each curve a heading (encoding, density, head dimension, and for sampled ones the number of
/// samples, the seed and the confidence level) and one row for each distance, with the half-width
/// of each error beside the value. Unset cells hold "-".
std::string curves_table(const std::vector<DistanceCurve>& curves, TableQuantities quantities);

/// Columns aligned: to the left where `left_aligned` says so, else to the right.
/// Rows may be shorter than the header; nothing is cut.
std::string aligned_table(const std::vector<std::string>& header,
                          const std::vector<std::vector<std::string>>& rows,
                          const std::vector<bool>& left_aligned);

}  // namespace tapalab
