// Printed ends of an interval: rounding for print must not move them inwards.
#pragma once

#include <string>

#include "analysis/log_number.hpp"

namespace tapalab {

/// Decimal text of `digits` significant digits, 1 to 18, whose value is at most `bound`.
std::string lower_bound_text(const LogNumber& bound, int digits = 17);
/// The same, at least `bound`.
std::string upper_bound_text(const LogNumber& bound, int digits = 17);

}  // namespace tapalab
