// Rational independence of RoPE's frequencies f_d = b^(-2d/D), d = 0 .. D/2 - 1, decided in
// integers: docs/theory/theorem-2.1.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapalab {

/// p^(numerator/denominator), denominator > 0, in lowest terms, numerator not 0.
struct PrimePower {
  std::uint64_t prime = 0;
  std::int64_t numerator = 0, denominator = 1;
};

/// A positive number other than 1 as its prime powers, by rising prime: rationals have denominators
/// 1, radicals others.
using RadicalBase = std::vector<PrimePower>;

/// "500000", "12.5", or a product of powers "10000*8^(128/126)" (NTK-aware scaling). Throws
/// InputError for anything else, for 1, and for numbers beyond 2^63.
RadicalBase parse_radical_base(std::string_view text);

/// The least n >= 1 with b^(n/terms) rational: the degree of b^(1/terms) over the rationals, and
/// the rank of its powers 0 .. n-1. The `terms` frequencies are independent if and only if n >=
/// terms.
std::uint64_t independent_rank(const RadicalBase& base, std::uint64_t terms);

/// b^(rank/terms) = fast/slow in lowest terms, for a dependent base: f_{d + rank} = f_d slow/fast.
/// Throws InputError where fast^(terms/rank) does not fit 62 bits.
struct FrequencyRatio {
  std::uint64_t fast = 1, slow = 1;
};
FrequencyRatio frequency_ratio(const RadicalBase& base, std::uint64_t terms);

}  // namespace tapalab
