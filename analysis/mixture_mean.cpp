#include "analysis/mixture_mean.hpp"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <map>

#include "sim/numbers/decimal_parts.hpp"

namespace tapalab {
namespace {

using Rational = boost::multiprecision::cpp_rational;

Rational rational(const ExactDecimal& decimal) {
  using boost::multiprecision::cpp_int;
  const DecimalParts parts = parse_decimal_parts(decimal.text(), "density");
  const cpp_int power = pow(cpp_int(10), static_cast<unsigned>(std::abs(parts.exponent)));
  Rational value =
      parts.exponent >= 0 ? Rational(parts.digits * power) : Rational(parts.digits, power);
  return parts.negative ? Rational(-value) : value;
}

// Exact numbers of 100,000 digits take their time: nothing that sums to 0 needs so many.
bool is_short(const PairLaw& law) {
  const auto members = {&law.mean_q, &law.mean_k, &law.scale_q, &law.scale_k, &law.rho};
  return std::all_of(members.begin(), members.end(), [](const ExactDecimal* decimal) {
    return decimal->text().size() < 200 &&
           std::abs(parse_decimal_parts(decimal->text(), "density").exponent) < 1000;
  });
}

std::array<Rational, 5> exact_law(const PairLaw& law) {
  return {rational(law.mean_q), rational(law.mean_k), rational(law.scale_q), rational(law.scale_k),
          rational(law.rho)};
}

}  // namespace

bool mixture_mean_vanishes(const MixtureDensity& density, const Encoding& encoding) {
  if (std::holds_alternative<TapaGeneralEncoding>(encoding.law)) return false;
  const bool split = has_split(encoding.law);
  std::map<std::array<Rational, 5>, Rational> sums;  // by phase law
  for (const MixtureComponent& component : density.components) {
    const auto* law = std::get_if<GaussianDensity>(&component.law);
    if (law == nullptr || !is_short(law->amplitude) || !is_short(law->phase)) return false;
    const auto [mean_q, mean_k, scale_q, scale_k, rho] = exact_law(law->amplitude);
    const Rational weight = component.weight ? rational(*component.weight) : Rational(1);
    sums[split ? exact_law(law->phase) : std::array<Rational, 5>{}] +=
        weight * (mean_q * mean_k + rho * scale_q * scale_k);
  }
  return std::all_of(sums.begin(), sums.end(), [](const auto& sum) { return sum.second == 0; });
}

}  // namespace tapalab
