#include "analysis/experiment_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "analysis/experiment.hpp"
#include "analysis/log_number.hpp"
#include "analysis/power_text.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/exact_decimal.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr int kSweepDigits = 17;
constexpr std::uint64_t kMostSweepValues = 10000;

std::optional<std::uint64_t> plain_integer(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

// "0.30000000000000000" as "0.3", "2.0000000000000000e+02" as "200" where that is shorter.
std::string short_decimal(const Wide& value) {
  std::string text = LogNumber(value).decimal(kSweepDigits);
  const auto mark = text.find('e');
  if (mark == std::string::npos) return text;  // zero
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  const int exponent = std::stoi(text.substr(mark + 1));
  const std::string sign = text[0] == '-' ? "-" : "";
  const int count = static_cast<int>(digits.size());
  if (exponent >= 0 && exponent < kSweepDigits) {
    if (count <= exponent + 1) return sign + digits + std::string(exponent + 1 - count, '0');
    return sign + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
  }
  if (exponent < 0 && exponent >= -6) return sign + "0." + std::string(-exponent - 1, '0') + digits;
  return fmt::format("{}{}{}{}e{}", sign, digits[0], count > 1 ? "." : "", digits.substr(1),
                     exponent);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

}  // namespace

std::uint64_t parse_count(std::string_view text, std::string_view name, std::uint64_t least,
                          std::uint64_t most) {
  const auto refuse = [&](const char* fault) -> InputError {
    return InputError(
        fmt::format("{}: {} {}; accepted: {} to {}, written 1000, 1e9, 2^30 or 2^30-1", name,
                    printable(text), fault, least, most));
  };
  std::optional<std::uint64_t> count = plain_integer(text);
  if (text.find('^') != std::string_view::npos) {
    const auto power = parse_power(text);
    if (power && *power > ~std::uint64_t{0}) throw refuse("is out of range");
    if (power) count = static_cast<std::uint64_t>(*power);
  } else if (!count) {
    Wide value;
    try {
      value = ExactDecimal::parse(text, name).wide();
    } catch (const InputError&) {
      throw refuse("is not a whole number");
    }
    if (value == floor(value)) {
      if (value < 0 || value >= ldexp(Wide(1), 64)) throw refuse("is out of range");
      count = static_cast<std::uint64_t>(value);
    }
  }
  if (!count) throw refuse("is not a whole number");
  if (*count < least || *count > most) throw refuse("is out of range");
  return *count;
}

std::uint32_t parse_head_dim(std::string_view text, std::string_view name) {
  return static_cast<std::uint32_t>(parse_count(text, name, 1, 65536));
}

std::uint64_t parse_seq_len(std::string_view text, std::string_view name) {
  return parse_count(text, name, 1, std::uint64_t{1} << 63);
}

std::uint64_t parse_samples(std::string_view text, std::string_view name) {
  return parse_count(text, name, 2, std::uint64_t{1} << 62);
}

std::uint64_t parse_seed(std::string_view text, std::string_view name) {
  return parse_count(text, name, 0, ~std::uint64_t{0});
}

double parse_confidence(std::string_view text, std::string_view name) {
  const double level = ExactDecimal::parse(text, name).value();
  if (!(level >= 1e-300 && level < 1)) {
    throw InputError(
        fmt::format("{}: {} is out of range; accepted: 1e-300 to 0.9999999999999999, such as 0.95",
                    name, printable(text)));
  }
  return level;
}

double parse_tolerance(std::string_view text, std::string_view name) {
  const Wide value = ExactDecimal::parse(text, name).wide();
  static const Wide least = ExactDecimal::parse("1e-300", name).wide();
  static const Wide most = ExactDecimal::parse("1e300", name).wide();
  if (value < least || value > most) {
    throw InputError(
        fmt::format("{}: {} is out of range; accepted: a positive number, 1e-300 to 1e300", name,
                    printable(text)));
  }
  return static_cast<double>(value);
}

Engine parse_engine(std::string_view text, std::string_view name) {
  constexpr std::array engines{Engine::automatic,   Engine::exact, Engine::quadrature,
                               Engine::asymptotic,  Engine::mc,    Engine::qmc,
                               Engine::conditional, Engine::ball,  Engine::gpu};
  const std::vector<std::string> listed = names_of(engine_catalogue());
  for (const Engine engine : engines) {
    const std::string_view known = to_string(engine);
    if (known == text && std::find(listed.begin(), listed.end(), known) != listed.end()) {
      return engine;
    }
  }
  throw InputError(unknown_name(name, "engine", text, listed));
}

Sweep parse_sweep(std::string_view spec, std::string_view name) {
  const auto equals = spec.find('=');
  const auto parts = split(equals == std::string_view::npos ? "" : spec.substr(equals + 1), ':');
  if (equals == 0 || parts.size() != 4 || (parts[0] != "lin" && parts[0] != "log")) {
    throw InputError(
        fmt::format("{}: {} cannot be read; accepted: KEY=lin:LO:HI:N or KEY=log:LO:HI:N", name,
                    printable(spec)));
  }
  const Wide low = ExactDecimal::parse(parts[1], name).wide();
  const Wide high = ExactDecimal::parse(parts[2], name).wide();
  const std::uint64_t count = parse_count(parts[3], name, 1, kMostSweepValues);
  const bool logarithmic = parts[0] == "log";
  if (logarithmic && (low <= 0 || high <= 0)) {
    throw InputError(fmt::format("{}: {}: log needs both ends positive", name, printable(spec)));
  }
  Sweep sweep{std::string(spec), std::string(spec.substr(0, equals)), {parts[1]}};
  for (std::uint64_t i = 1; i + 1 < count; ++i) {
    const Wide fraction = Wide(i) / Wide(count - 1);
    sweep.values.push_back(
        short_decimal(logarithmic ? Wide(exp(log(low) + fraction * (log(high) - log(low))))
                                  : Wide(low + fraction * (high - low))));
  }
  if (count > 1) sweep.values.push_back(parts[2]);
  return sweep;
}

}  // namespace tapalab
