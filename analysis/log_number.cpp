#include "analysis/log_number.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "sim/errors.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {
namespace {

constexpr int kMostDigits = 18;  // what 64 bits hold
constexpr double kLog10Of2 = 0.30102999566398119521;

/// 10^(2^k): exact up to k = 6, then with a relative error of 2^k units of 2^-191.
const Wide& squared_power_of_ten(int k) {
  static const auto powers = [] {
    std::array<Wide, 59> table;
    table[0] = 10;
    for (std::size_t i = 1; i < table.size(); ++i) table[i] = table[i - 1] * table[i - 1];
    return table;
  }();
  return powers[static_cast<std::size_t>(k)];
}

/// x 10^exponent, factor by factor from the largest, so that no power leaves the range of Wide.
Wide scaled_by_ten(Wide x, long long exponent) {
  const auto magnitude = static_cast<unsigned long long>(std::llabs(exponent));
  for (int k = 58; k >= 0; --k) {
    if ((magnitude >> k & 1) == 0) continue;
    if (exponent > 0) {
      x *= squared_power_of_ten(k);
    } else {
      x /= squared_power_of_ten(k);
    }
  }
  return x;
}

/// floor(log10 |x|), or one off.
long long rough_log10(const Wide& magnitude) {
  long long exponent = 0;
  const auto significand = static_cast<double>(Wide(frexp(magnitude, &exponent)));
  const long double binary = static_cast<long double>(exponent) * 0.30102999566398119521373889472L;
  return static_cast<long long>(
      std::floor(binary + static_cast<long double>(std::log10(significand))));
}

std::uint64_t power_of_ten(int digits) {
  std::uint64_t power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  return power;
}

std::string scientific(bool negative, std::uint64_t significand, long long exponent) {
  const std::string digits = std::to_string(significand);
  return fmt::format("{}{}{}{}e{:+03d}", negative ? "-" : "", digits[0],
                     digits.size() > 1 ? "." : "", digits.substr(1), exponent);
}

}  // namespace

double nearest_double(std::string_view decimal) {
  double value = 0;
  const char* end = decimal.data() + decimal.size();
  const auto [stop, fault] = std::from_chars(decimal.data(), end, value);
  if (fault == std::errc::result_out_of_range) {
    const bool small = decimal.find("e-") != std::string_view::npos;
    const double size = small ? 0.0 : std::numeric_limits<double>::infinity();
    return decimal.front() == '-' ? -size : size;
  }
  if (fault != std::errc() || stop != end) throw std::logic_error("not a printed decimal");
  return value;
}

double LogNumber::log10_abs() const {
  if (sign() == 0) return -std::numeric_limits<double>::infinity();
  const Wide magnitude = abs(value_);
  long long exponent = 0;
  const auto significand = static_cast<double>(Wide(frexp(magnitude, &exponent)));
  // Near 1 the two terms below would cancel.
  if (exponent == 0 || exponent == 1) {
    return std::log1p(static_cast<double>(Wide(magnitude - 1))) / 2.302585092994045684;
  }
  return static_cast<double>(exponent) * kLog10Of2 + std::log10(significand);
}

double LogNumber::value() const { return nearest_double(decimal()); }

std::string LogNumber::decimal(int digits, Rounding rounding) const {
  if (digits < 1 || digits > kMostDigits) {
    throw std::invalid_argument("LogNumber::decimal: 1 to 18 digits");
  }
  if (sign() == 0) return "0";
  const bool negative = sign() < 0;
  const Wide magnitude = abs(value_);
  const std::uint64_t limit = power_of_ten(digits);
  // The digits as one integer: magnitude 10^(digits-1-exponent).
  long long exponent = rough_log10(magnitude);
  Wide scaled = scaled_by_ten(magnitude, digits - 1 - exponent);
  if (scaled >= Wide(limit)) {
    scaled = scaled_by_ten(magnitude, digits - 1 - ++exponent);
  } else if (scaled < Wide(limit / 10)) {
    scaled = scaled_by_ten(magnitude, digits - 1 - --exponent);
  }
  const Wide nearest = floor(Wide(scaled + Wide(0.5)));
  auto significand = static_cast<std::uint64_t>(nearest);
  const auto text = [&](std::uint64_t integer) {
    return integer >= limit ? scientific(negative, integer / 10, exponent + 1)
                            : scientific(negative, integer, exponent);
  };
  if (rounding == Rounding::nearest) return text(significand);

  const bool larger = (rounding == Rounding::up) != negative;  // of the magnitude
  // An integer to within the rounding of `scaled`: as it stands, unless that is inwards.
  if (abs(scaled - nearest) <= ldexp(scaled, -120)) {
    const std::string exact = text(significand);
    const Wide printed = parse(exact, "decimal").wide();
    if (rounding == Rounding::up ? printed >= value_ : printed <= value_) return exact;
    if (larger) return text(significand + 1);
    return significand - 1 >= limit / 10 ? text(significand - 1)
                                         : scientific(negative, limit - 1, exponent - 1);
  }
  significand = static_cast<std::uint64_t>(Wide(floor(scaled)));
  return text(larger ? significand + 1 : significand);
}

LogNumber LogNumber::parse(std::string_view text, std::string_view name) {
  const std::size_t mark = text.find_first_of("eE");
  // A short exponent is ExactDecimal's, correctly rounded.
  if (mark == std::string_view::npos || text.size() - mark <= 5) {
    return LogNumber(ExactDecimal::parse(text, name).wide());
  }
  const Wide significand = ExactDecimal::parse(text.substr(0, mark), name).wide();
  // The exponent is a whole number of up to 18 digits, beyond what ExactDecimal accepts after an e.
  const Wide exponent = ExactDecimal::parse(text.substr(mark + 1), name).wide();
  if (exponent != floor(exponent) || abs(exponent) > Wide("3.47e17")) {
    throw InputError(
        fmt::format("{}: exponent of '{}' is not a whole number within +-3.47e17", name, text));
  }
  // A power beyond 10^(2^58), and a significand beside it, may leave the range of Wide on the way.
  return LogNumber(scaled_by_ten(significand, static_cast<long long>(exponent)));
}

}  // namespace tapalab
