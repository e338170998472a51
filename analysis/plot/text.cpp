#include "analysis/plot/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tapalab::plot {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Length of the well-formed UTF-8 sequence at `at`; 0 where there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  std::size_t length = 0;
  unsigned smallest = 0;
  unsigned code = 0;
  if (lead < 0x80U) return 1;
  if ((lead & 0xE0U) == 0xC0U) {
    length = 2, smallest = 0x80U, code = lead & 0x1FU;
  } else if ((lead & 0xF0U) == 0xE0U) {
    length = 3, smallest = 0x800U, code = lead & 0x0FU;
  } else if ((lead & 0xF8U) == 0xF0U) {
    length = 4, smallest = 0x10000U, code = lead & 0x07U;
  } else {
    return 0;
  }
  if (at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[at + i])) return 0;
    code = (code << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800U && code <= 0xDFFFU;
  const bool not_xml = code == 0xFFFEU || code == 0xFFFFU || (code >= 0x80U && code <= 0x9FU);
  if (code < smallest || code > 0x10FFFFU || surrogate || not_xml) return 0;
  return length;
}

std::string cleaned(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
      ++i;
    } else if (length == 1 && (static_cast<unsigned char>(text[i]) < 0x20U || text[i] == 0x7F)) {
      result += ' ';
      ++i;
    } else {
      result.append(text.substr(i, length));
      i += length;
    }
  }
  return result;
}

/// Byte offset of the code point number `count` of `text`, or its size.
std::size_t offset_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && is_continuation(text[at])) ++at;
    --count;
  }
  return at;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : cleaned(text)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x80U || std::isalpha(c) != 0 || c == ' ';
    result += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned>(c));
  }
  return result + "\"";
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 8);
  const std::string clean = cleaned(text);
  std::string_view rest = clean;
  std::vector<std::string> lines;
  while (!rest.empty()) {
    if (text_width(rest) <= width) {
      lines.emplace_back(rest);
      break;
    }
    const std::size_t limit = offset_of(rest, width);
    // A space just behind the limit is as good a break as one before it.
    std::size_t cut = rest.rfind(' ', limit);
    std::size_t next = cut == std::string_view::npos ? 0 : cut + 1;
    if (cut == std::string_view::npos || cut < limit / 3) {
      const std::size_t mark = rest.substr(0, limit).find_last_of(",:;/=");
      cut = (mark == std::string_view::npos || mark < limit / 3) ? limit : mark + 1;
      next = cut;
    }
    lines.emplace_back(rest.substr(0, cut));
    rest.remove_prefix(next);
  }
  return lines;
}

std::string short_number(double value, int digits) { return fmt::format("{:.{}g}", value, digits); }

std::string short_power(double log10_abs) {
  if (!std::isfinite(log10_abs)) return "0";
  if (std::abs(log10_abs) < 300) return short_number(std::pow(10.0, log10_abs), 2);
  const double exponent = std::floor(log10_abs);
  return fmt::format("{:.1f}e{:.0f}", std::pow(10.0, log10_abs - exponent), exponent);
}

std::string grouped(unsigned long long value) {
  const std::string digits = std::to_string(value);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += "\xE2\x80\x89";
    result += digits[i];
  }
  return result;
}

}  // namespace tapalab::plot
