#include "analysis/phase_point.hpp"

#include <algorithm>

namespace tapalab {

Quantity bounded_quantity(const Estimate& estimate, const Wide& low, const Wide& high,
                          ErrorKind kind) {
  const Wide lower = std::max(Wide(estimate.value - estimate.error), low);
  const Wide upper = std::min(Wide(estimate.value + estimate.error), high);
  Wide value = std::clamp(estimate.value, std::min(lower, upper), std::max(lower, upper));
  // At an end of what is possible the middle has half the error.
  if (estimate.error > 0 && (value <= lower || value >= upper)) {
    value = lower + (upper - lower) / 2;
  }
  const Wide printing = abs(value) * Wide(1e-16);
  Quantity quantity;
  quantity.error.kind = kind;
  quantity.error.absolute =
      LogNumber(Wide(std::max(Wide(upper - value), Wide(value - lower)) + printing));
  quantity.error.lower =
      LogNumber(low >= 0 ? std::max(Wide(lower - printing), Wide(0)) : Wide(lower - printing));
  quantity.error.upper = LogNumber(Wide(upper + printing));
  quantity.estimate = LogNumber(std::move(value));
  return quantity;
}

bool meets_promise(const Quantity& quantity, const Wide& size) {
  static const Wide promise("1e-12");
  return quantity.error.absolute.sign() == 0 || quantity.error.absolute.wide() <= promise * size;
}

CurvePoint phase_point(std::uint64_t distance, Engine engine, const PhaseParts& parts) {
  CurvePoint point;
  point.distance = distance;
  point.engine = engine;
  const Wide& bound = parts.first_bound;
  point.mean =
      bounded_quantity({parts.first.re, parts.first_error}, -bound, bound, parts.first_kind);
  const Wide modulus = parts.first.im == 0 ? Wide(abs(parts.first.re)) : abs(parts.first);
  point.envelope = bounded_quantity({modulus, parts.first_error}, Wide(0), bound, parts.first_kind);
  if (parts.has_variance) {
    // E a^2 is a bound of Var, and half of it of |Var - E a^2/2|.
    const Wide square = parts.second_moment.value + parts.second_moment.error;
    point.variance = bounded_quantity(parts.variance, Wide(0), square, parts.variance_kind);
    point.variance_excess =
        bounded_quantity(parts.excess, -square / 2, square / 2, parts.variance_kind);
  }

  const Error& error = point.mean->error;
  const bool exactly_zero = error.absolute.sign() == 0;
  point.mean->sign_resolved = exactly_zero || error.lower.sign() > 0 || error.upper.sign() < 0;
  const Wide envelope = point.envelope->estimate.wide();
  const bool met = exactly_zero || (!parts.underflow && meets_promise(*point.mean, envelope));
  const bool variance_met =
      !point.variance || meets_promise(*point.variance, point.variance->estimate.wide());
  point.status = met && variance_met ? Status::converged : Status::target_not_met;
  for (auto* each : {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
    if (*each) relate_to_envelope(**each, envelope);
  }
  return point;
}

}  // namespace tapalab
