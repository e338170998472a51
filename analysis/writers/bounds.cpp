#include "analysis/writers/bounds.hpp"

namespace tapalab {
namespace {

// Correctly rounded where the exponent is moderate, so that 0.5 is itself; else to 1e-50.
Wide value_of(const std::string& text) {
  const auto mark = text.find('e');
  const bool moderate = mark == std::string::npos || text.size() - mark <= 5;
  return moderate ? Wide(text) : LogNumber::parse(text, "interval").wide();
}

// `direction` is -1 for text not above the bound, +1 for text not below it.
std::string bound_text(const LogNumber& bound, int direction, int digits) {
  const std::string nearest = bound.decimal(digits);
  const Wide printed = value_of(nearest);
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
