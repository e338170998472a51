#include "analysis/writers/bounds.hpp"

namespace tapalab {
namespace {

// `direction` is -1 for text not above the bound, +1 for text not below it.
std::string bound_text(const LogNumber& bound, int direction, int digits) {
  const std::string nearest = bound.decimal(digits);
  const Wide printed = LogNumber::parse(nearest, "interval").wide();
  const bool inwards = direction < 0 ? printed > bound.wide() : printed < bound.wide();
  if (!inwards) return nearest;
  // One unit of the last digit is at least 10^-digits of the value and rounding loses at most half
  // of one, at most 10^(1-digits)/2: a step of 10^(1-digits) of the value is enough.
  const Wide step = abs(bound.wide()) * pow(Wide(10), 1 - digits);
  return LogNumber(Wide(bound.wide() + direction * step)).decimal(digits);
}

}  // namespace

std::string lower_bound_text(const LogNumber& bound, int digits) {
  return bound_text(bound, -1, digits);
}

std::string upper_bound_text(const LogNumber& bound, int digits) {
  return bound_text(bound, 1, digits);
}

}  // namespace tapalab
