#include "proofs-check/rope_independence.hpp"

#include <flint/ulong_extras.h>
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

struct Fraction {
  std::int64_t numerator = 0, denominator = 1;
};

[[noreturn]] void refuse(std::string_view text) {
  throw InputError(
      fmt::format("base '{}': accepted is a product of positive numbers below 2^63, each "
                  "with an optional power ^(integer/integer), other than 1",
                  text));
}

std::int64_t whole(std::string_view digits, std::string_view text) {
  if (digits.empty() || digits.size() > 18) refuse(text);
  std::int64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') refuse(text);
    value = 10 * value + (c - '0');
  }
  return value;
}

Fraction reduced(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t g = std::gcd(numerator, denominator);
  return {numerator / g, denominator / g};
}

Fraction sum(const Fraction& a, const Fraction& b) {
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator,
                 a.denominator * b.denominator);
}

using Exponents = std::map<std::uint64_t, Fraction>;

void multiply(Exponents& exponents, std::uint64_t number, const Fraction& power) {
  n_factor_t factors;
  n_factor_init(&factors);
  n_factor(&factors, number, 1);
  for (int i = 0; i < factors.num; ++i) {
    const auto multiplicity = static_cast<std::int64_t>(factors.exp[i]);
    Fraction& exponent = exponents[factors.p[i]];
    exponent = sum(exponent, reduced(power.numerator * multiplicity, power.denominator));
  }
}

void multiply_factor(Exponents& exponents, std::string_view factor, std::string_view text) {
  Fraction power{1, 1};
  const auto caret = factor.find("^(");
  if (caret != std::string_view::npos) {
    const auto slash = factor.find('/', caret);
    if (slash == std::string_view::npos || factor.back() != ')') refuse(text);
    power = reduced(whole(factor.substr(caret + 2, slash - caret - 2), text),
                    whole(factor.substr(slash + 1, factor.size() - slash - 2), text));
    factor = factor.substr(0, caret);
  }
  const auto point = factor.find('.');
  const std::string_view integer = factor.substr(0, point);
  const std::string_view decimals =
      point == std::string_view::npos ? std::string_view() : factor.substr(point + 1);
  const std::int64_t number = whole(std::string(integer) + std::string(decimals), text);
  if (number == 0 || power.denominator == 0) refuse(text);
  multiply(exponents, static_cast<std::uint64_t>(number), power);
  for (std::size_t i = 0; i < decimals.size(); ++i)
    multiply(exponents, 10, {-power.numerator, power.denominator});
}

/// The denominator of exponent/terms in lowest terms.
std::uint64_t denominator_over(const PrimePower& power, std::uint64_t terms) {
  const std::uint64_t denominator = static_cast<std::uint64_t>(power.denominator) * terms;
  const auto numerator =
      static_cast<std::uint64_t>(power.numerator < 0 ? -power.numerator : power.numerator);
  return denominator / std::gcd(numerator, denominator);
}

}  // namespace

RadicalBase parse_radical_base(std::string_view text) {
  Exponents exponents;
  std::string_view rest = text;
  while (true) {
    const auto star = rest.find('*');
    multiply_factor(exponents, rest.substr(0, star), text);
    if (star == std::string_view::npos) break;
    rest = rest.substr(star + 1);
  }
  RadicalBase base;
  for (const auto& [prime, power] : exponents)
    if (power.numerator != 0) base.push_back({prime, power.numerator, power.denominator});
  if (base.empty()) refuse(text);
  return base;
}

std::uint64_t independent_rank(const RadicalBase& base, std::uint64_t terms) {
  std::uint64_t rank = 1;
  for (const PrimePower& power : base) rank = std::lcm(rank, denominator_over(power, terms));
  return rank;
}

FrequencyRatio frequency_ratio(const RadicalBase& base, std::uint64_t terms) {
  const std::uint64_t rank = independent_rank(base, terms);
  FrequencyRatio ratio;
  const std::uint64_t length = (terms + rank - 1) / rank;
  const double limit = 62.0 / static_cast<double>(length);
  double bits = 0;
  for (const PrimePower& power : base) {
    const auto denominator = static_cast<std::int64_t>(terms) * power.denominator;
    const std::int64_t exponent = power.numerator * static_cast<std::int64_t>(rank) / denominator;
    std::uint64_t& side = exponent > 0 ? ratio.fast : ratio.slow;
    for (std::int64_t i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) {
      bits += static_cast<double>(FLINT_BIT_COUNT(power.prime));
      if (bits > limit)
        throw InputError("base: the ratio of its dependent frequencies is too large to enclose");
      side *= power.prime;
    }
  }
  return ratio;
}

}  // namespace tapalab
