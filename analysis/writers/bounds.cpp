#include "analysis/writers/bounds.hpp"

namespace tapalab {

std::string lower_bound_text(const LogNumber& bound, int digits) {
  return bound.decimal(digits, Rounding::down);
}

std::string upper_bound_text(const LogNumber& bound, int digits) {
  return bound.decimal(digits, Rounding::up);
}

}  // namespace tapalab
