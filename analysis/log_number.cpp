#include "analysis/log_number.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "sim/errors.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {
namespace {

/// log10 of a positive number: of the significand, plus the binary exponent times log10(2).
Wide wide_log10(const Wide& magnitude) {
  long long exponent = 0;
  const Wide significand = frexp(magnitude, &exponent);
  static const Wide log10_of_2 = log10(Wide(2));
  return log10(significand) + Wide(exponent) * log10_of_2;
}

}  // namespace

double LogNumber::log10_abs() const {
  if (sign() == 0) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(wide_log10(abs(value_)));
}

double LogNumber::value() const {
  if (sign() == 0) return 0;
  long long exponent = 0;
  frexp(value_, &exponent);
  if (exponent > 1100) return sign() * std::numeric_limits<double>::infinity();
  if (exponent < -1200) return 0;
  return static_cast<double>(value_);
}

std::string LogNumber::decimal(int digits) const {
  if (sign() == 0) return "0";
  const Wide magnitude = abs(value_);
  const Wide logarithm = wide_log10(magnitude);
  long long exponent = static_cast<long long>(floor(logarithm));
  // The digits as one integer: magnitude 10^(digits-1-exponent), formed in logarithms only where
  // the power of ten leaves the range that exact scaling covers.
  const auto scaled = [&](long long e) -> Wide {
    const long long shift = digits - 1 - e;
    if (shift > -100000 && shift < 100000) {
      const Wide power = pow(Wide(10), Wide(std::llabs(shift)));
      return shift >= 0 ? Wide(magnitude * power) : Wide(magnitude / power);
    }
    static const Wide ln10 = log(Wide(10));
    return exp((logarithm + Wide(shift)) * ln10);
  };
  Wide significand = floor(scaled(exponent) + Wide(0.5));
  const Wide limit = pow(Wide(10), Wide(digits));
  if (significand >= limit) {
    ++exponent;
    significand = floor(scaled(exponent) + Wide(0.5));
  }
  std::string text = significand.str(0, std::ios_base::fixed);
  if (const auto dot = text.find('.'); dot != std::string::npos) text.resize(dot);
  std::string result = sign() < 0 ? "-" : "";
  result += text[0];
  if (text.size() > 1) result += "." + text.substr(1);
  result += fmt::format("e{:+03d}", exponent);
  return result;
}

LogNumber LogNumber::parse(std::string_view text, std::string_view name) {
  const std::size_t mark = text.find_first_of("eE");
  const Wide significand = ExactDecimal::parse(text.substr(0, mark), name).wide();
  if (mark == std::string_view::npos) return LogNumber(significand);
  // The exponent is a whole number of up to 18 digits, beyond what ExactDecimal accepts after an e.
  const Wide exponent = ExactDecimal::parse(text.substr(mark + 1), name).wide();
  if (exponent != floor(exponent) || abs(exponent) > Wide("3e17")) {
    throw InputError(
        fmt::format("{}: exponent of '{}' is not a whole number within +-3e17", name, text));
  }
  return LogNumber(Wide(significand * exp(exponent * log(Wide(10)))));
}

}  // namespace tapalab
