#include "sim/numbers/exact_decimal.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "sim/errors.hpp"
#include "sim/numbers/decimal_parts.hpp"
#include "sim/numbers/guarded.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::size_t kMaxLength = 4096;
constexpr int kMaxExponent = 100000;
constexpr const char* kAccepted =
    "accepted: [+-]digits[.digits][e[+-]digits], at most 4096 characters, exponent within "
    "+-100000";

[[noreturn]] void refuse(std::string_view name, std::string_view text, const char* reason) {
  throw InputError(std::string(name) + ": " + printable(text) + " " + reason + "; " + kAccepted);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

}  // namespace

DecimalParts parse_decimal_parts(std::string_view text, std::string_view name) {
  if (text.size() > kMaxLength) refuse(name, text, "is too long");
  DecimalParts parts;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) parts.negative = text[at++] == '-';
  const std::size_t whole = digits_from(text, at);
  if (whole == 0) refuse(name, text, "is not a decimal number");
  std::string digits(text.substr(at, whole));
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = digits_from(text, ++at);
    if (fraction == 0) refuse(name, text, "has no digits after its point");
    digits += text.substr(at, fraction);
    parts.exponent = -static_cast<int>(fraction);
    at += fraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool negative = false;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
    const std::size_t length = digits_from(text, at);
    if (length == 0) refuse(name, text, "has no digits in its exponent");
    int exponent = 0;
    for (const char c : text.substr(at, length)) {
      exponent = 10 * exponent + (c - '0');
      if (exponent > kMaxExponent) refuse(name, text, "has too large an exponent");
    }
    parts.exponent += negative ? -exponent : exponent;
    at += length;
  }
  if (at != text.size()) refuse(name, text, "is not a decimal number");
  // Trailing zeros carry nothing, and a leading zero would mean octal to cpp_int.
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) {
    parts.exponent = 0;
    return parts;
  }
  parts.exponent += static_cast<int>(digits.size() - 1 - last);
  digits.erase(last + 1);
  parts.digits = cpp_int(digits.substr(digits.find_first_not_of('0')));
  return parts;
}

int DecimalParts::compare(int other) const {
  cpp_int left = negative ? cpp_int(-digits) : digits;
  cpp_int right = other;
  const cpp_int scale = pow(cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
  if (exponent >= 0) {
    left *= scale;
  } else {
    right *= scale;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

bool DecimalParts::whole(cpp_int& result) const {
  result = negative ? cpp_int(-digits) : digits;
  const cpp_int scale = pow(cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
  if (exponent >= 0) {
    result *= scale;
    return true;
  }
  cpp_int remainder;
  const cpp_int dividend = result;
  divide_qr(dividend, scale, result, remainder);
  return remainder == 0;
}

ExactDecimal::ExactDecimal(int value) : text_(std::to_string(value)), wide_(value) {}

ExactDecimal ExactDecimal::parse(std::string_view text, std::string_view name) {
  const DecimalParts parts = parse_decimal_parts(text, name);
  ExactDecimal result;
  result.text_ = text;
  result.wide_ = nearest<Wide>(parts);
  return result;
}

ExactDecimal ExactDecimal::from_double(double value, std::string_view name) {
  if (!std::isfinite(value)) {
    throw InputError(std::string(name) + ": " +
                     (std::isnan(value) ? "NaN"
                      : value > 0       ? "infinity"
                                        : "-infinity") +
                     " is not a number; accepted: finite numbers");
  }
  // No double needs more than 1074 decimals or 767 significant digits.
  std::array<char, 1500> buffer;
  const double magnitude = std::abs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e18);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, 1074).ptr;
  std::string digits(buffer.data(), end);
  std::string suffix;
  if (const auto e = digits.find('e'); e != std::string::npos) {
    suffix = digits.substr(e);
    digits.erase(e);
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  ExactDecimal result;
  result.text_ = digits + suffix;
  result.wide_ = Wide(value);
  return result;
}

Wide ExactDecimal::times(std::uint64_t factor) const {
  DecimalParts parts = parse_decimal_parts(text_, "decimal");
  parts.digits *= factor;
  return nearest<Wide>(parts);
}

int ExactDecimal::compare(int other) const {
  return parse_decimal_parts(text_, "decimal").compare(other);
}

GuardedWide guarded(const ExactDecimal& x) {
  return nearest<GuardedWide>(parse_decimal_parts(x.text(), "decimal"));
}

}  // namespace tapalab
