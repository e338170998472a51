#include "sim/moment_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/errors.hpp"

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
  if (const auto* radial = std::get_if<RadialDensity>(&law);
      radial != nullptr && radial->shape == RadialShape::student_t) {
    return radial->nu.value() / 2;  // q and k share the scale: a has its square
  }
  return std::numeric_limits<double>::infinity();
}

void check_sampled_mean(const DensityLaw& law, std::string_view option) {
  const double order = moments_below(law);
  if (order > 2) return;
  throw InputError(
      fmt::format("{}: a sampled mean has an interval where scores have a variance, and under {} "
                  "moments of order {:g} and above are infinite; accepted: nu > 4, or --engine "
                  "quadrature",
                  option, density_name(law), order));
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
