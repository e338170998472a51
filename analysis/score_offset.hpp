// What a score has beside its random part: ALiBi's -slope distance.
#pragma once

#include "analysis/distance_curve.hpp"

namespace tapalab {

/// Moves the mean of `point`, and the ends of its interval, by `offset`, and adds |offset| to the
/// envelope; variances stay. The printing of a mean of 17 digits joins its error.
void add_offset(CurvePoint& point, const Wide& offset);

}  // namespace tapalab
