#include "analysis/power_text.hpp"

#include <string>

namespace tapalab {
namespace {

using boost::multiprecision::cpp_int;

// Longer numbers are beyond every use, and costly to write out.
constexpr std::size_t kMostDigits = 40;

std::optional<cpp_int> plain_digits(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t first = text.find_first_not_of('0');
  if (first == std::string_view::npos) return cpp_int(0);
  text.remove_prefix(first);
  if (text.size() > kMostDigits) return cpp_int(1) << 140;
  return cpp_int(std::string(text));
}

cpp_int capped_power(const cpp_int& base, const cpp_int& exponent) {
  static const cpp_int most = cpp_int(1) << 70;
  // A base that no count can have is a slip, even where its exponent is 0.
  if (base >= cpp_int(1) << 64) return base;
  if (base <= 1) return exponent == 0 ? cpp_int(1) : base;
  cpp_int value = 1;
  for (cpp_int i = 0; i < exponent && value <= most; ++i) value *= base;
  return value;
}

}  // namespace

std::optional<cpp_int> parse_power(std::string_view text) {
  const std::size_t caret = text.find('^');
  if (caret == std::string_view::npos) return std::nullopt;
  const std::size_t minus = text.find('-', caret);
  const bool subtracts = minus != std::string_view::npos;
  const auto base = plain_digits(text.substr(0, caret));
  const auto exponent =
      plain_digits(text.substr(caret + 1, subtracts ? minus - caret - 1 : std::string_view::npos));
  const auto less = subtracts ? plain_digits(text.substr(minus + 1)) : cpp_int(0);
  if (!base || !exponent || !less) return std::nullopt;
  const cpp_int value = capped_power(*base, *exponent) - *less;
  if (value < 0) return std::nullopt;
  return value;
}

}  // namespace tapalab
