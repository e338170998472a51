#include "sim/moment_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tapalab {
namespace {

double moments_below(const Marginal& law) {
  return law.family == MarginalFamily::student_t ? law.nu.value()
                                                 : std::numeric_limits<double>::infinity();
}

}  // namespace

double moments_below(const DensityLaw& law) {
  if (const auto* product = std::get_if<ProductDensity>(&law)) {
    return std::min(moments_below(product->query), moments_below(product->key));
  }
  return std::numeric_limits<double>::infinity();
}

std::string spread_unavailable(const DensityLaw& law) {
  const double order = moments_below(law);
  if (order > 8) return {};
  return fmt::format(
      "variance and variance_excess: a sampled interval needs finite eighth moments of the score, "
      "and under {} moments of order {:g} and above are infinite",
      density_name(law), order);
}

}  // namespace tapalab
