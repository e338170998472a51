#include "analysis/score_offset.hpp"

namespace tapalab {
namespace {

void move(Quantity& quantity, const Wide& by) {
  const Wide estimate = quantity.estimate.wide() + by;
  const Wide printing = abs(estimate) * Wide(1e-16);
  const Wide lower = quantity.error.lower.wide() + by - printing;
  const Wide upper = quantity.error.upper.wide() + by + printing;
  quantity.estimate = LogNumber(estimate);
  quantity.error.lower = LogNumber(lower);
  quantity.error.upper = LogNumber(upper);
  quantity.error.absolute = LogNumber(Wide(quantity.error.absolute.wide() + printing));
  quantity.sign_resolved = lower > 0 || upper < 0;
}

}  // namespace

void add_offset(CurvePoint& point, const Wide& offset) {
  if (offset == 0) return;
  if (point.mean) move(*point.mean, offset);
  if (point.envelope) move(*point.envelope, abs(offset));
}

}  // namespace tapalab
