// Which two tokens of a file a sample is made of, from random words. Host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/random/bounded.hpp"

namespace tapalab {

/// PairRule (sim/density.hpp) without what that header needs.
enum class TokenRule : std::uint32_t { all, causal, shuffled, at_distance };

struct TokenPair {
  std::uint64_t query;
  std::uint64_t key;
};

/// The pair m >= n with number m (m + 1)/2 + n. index < 2^63.
struct CausalPair {
  std::uint64_t m;
  std::uint64_t n;
};
TAPALAB_HD inline CausalPair causal_pair(std::uint64_t index) {
  // m is the largest integer with m (m + 1)/2 <= index; the square root is off by a few at most.
  auto m =
      static_cast<std::uint64_t>((std::sqrt(8.0 * static_cast<double>(index) + 1.0) - 1.0) * 0.5);
  while (m * (m + 1) / 2 > index) --m;
  while ((m + 1) * (m + 2) / 2 <= index) ++m;
  return {m, index - m * (m + 1) / 2};
}

/// The pair of a sample from the stream `token_pair`, each pair of the rule with the same
/// probability, by integer arithmetic alone:
///   all          query m and key n, independent
///   causal       the pairs with m >= n, the diagonal included
///   shuffled     query m with key partner[m]
///   at_distance  m = n + distance, distance < tokens
/// tokens < 2^32.
TAPALAB_HD inline TokenPair token_pair(TokenRule rule, std::uint64_t tokens,
                                       const std::uint32_t* partner, std::uint64_t sample,
                                       std::uint64_t distance, PhiloxKey random) {
  if (rule == TokenRule::all) {
    const std::uint64_t index =
        bounded_uniform(tokens * tokens, sample, 0, Stream::token_pair, random);
    return {index / tokens, index % tokens};
  }
  if (rule == TokenRule::causal) {
    const CausalPair pair = causal_pair(
        bounded_uniform(tokens * (tokens + 1) / 2, sample, 0, Stream::token_pair, random));
    return {pair.m, pair.n};
  }
  if (rule == TokenRule::shuffled) {
    const std::uint64_t query = bounded_uniform(tokens, sample, 0, Stream::token_pair, random);
    return {query, partner[query]};
  }
  const std::uint64_t key = bounded_uniform(
      tokens - distance, sample, static_cast<std::uint32_t>(distance), Stream::token_pair, random);
  return {key + distance, key};
}

}  // namespace tapalab
