#include "analysis/estimator.hpp"

#include <array>
#include <vector>

#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

std::string_view to_string(Estimator estimator) {
  switch (estimator) {
    case Estimator::standard:
    case Estimator::automatic:
      return "auto";
    case Estimator::plain:
      return "plain";
    case Estimator::antithetic:
      return "antithetic";
    case Estimator::qmc:
      return "qmc";
    case Estimator::conditional:
      return "conditional";
    case Estimator::zero_variance:
      return "zero-variance";
    case Estimator::importance:
      return "importance";
  }
  return "";
}

Estimator parse_estimator(std::string_view text, std::string_view name) {
  constexpr std::array all{Estimator::automatic, Estimator::plain,       Estimator::antithetic,
                           Estimator::qmc,       Estimator::conditional, Estimator::zero_variance,
                           Estimator::importance};
  std::vector<std::string> names;
  for (const Estimator estimator : all) {
    if (to_string(estimator) == text) return estimator;
    names.emplace_back(to_string(estimator));
  }
  throw InputError(unknown_name(name, "estimator", text, names));
}

}  // namespace tapalab
