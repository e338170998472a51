#include "sim/pair_source.hpp"

#include <algorithm>
#include <cmath>

#include "sim/errors.hpp"
#include "sim/random/bounded.hpp"
#include "sim/random/permutation.hpp"

namespace tapalab {

GaussianSource::GaussianSource(const GaussianModel& model, std::uint64_t seed)
    : root_(covariance_root(model)), key_(stream_key(seed)) {}

TokenSource::TokenSource(const EmpiricalDensity& density, std::uint64_t seed)
    : table_(density.table), rule_(density.pairs), key_(stream_key(seed)) {
  if (!table_ || table_->tokens == 0) {
    throw InputError("density empirical: no tokens to sample; accepted: at least one token");
  }
  if (table_->tokens >= std::uint64_t{1} << 32) {
    throw InputError("density empirical: " + std::to_string(table_->tokens) +
                     " tokens; accepted for sampling: fewer than 2^32");
  }
  if (density.bandwidth.compare(0) > 0) {
    blur_ = identity_root(table_->head_dim, density.bandwidth.value());
  }
  if (rule_ == PairRule::shuffled) partner_ = shuffled_partner(table_->tokens, kPairingSeed);
}

bool TokenSource::has_pairs(std::uint64_t distance) const {
  return rule_ != PairRule::at_distance || distance < table_->tokens;
}

CausalPair causal_pair(std::uint64_t index) {
  // m is the largest integer with m (m + 1)/2 <= index; the square root is off by a few at most.
  auto m =
      static_cast<std::uint64_t>((std::sqrt(8.0 * static_cast<double>(index) + 1.0) - 1.0) * 0.5);
  while (m * (m + 1) / 2 > index) --m;
  while ((m + 1) * (m + 2) / 2 <= index) ++m;
  return {m, index - m * (m + 1) / 2};
}

TokenSource::TokenPair TokenSource::pair(std::uint64_t sample, std::uint64_t distance) const {
  const std::uint64_t tokens = table_->tokens;
  const auto draw = [&](std::uint64_t bound, std::uint32_t number) {
    return bounded_uniform(bound, sample, number, Stream::token_pair, key_);
  };
  switch (rule_) {
    case PairRule::all: {
      const std::uint64_t index = draw(tokens * tokens, 0);
      return {index / tokens, index % tokens};
    }
    case PairRule::causal: {
      const CausalPair pair = causal_pair(draw(tokens * (tokens + 1) / 2, 0));
      return {pair.m, pair.n};
    }
    case PairRule::shuffled: {
      const std::uint64_t query = draw(tokens, 0);
      return {query, partner_[query]};
    }
    case PairRule::at_distance: {
      const std::uint64_t key = draw(tokens - distance, static_cast<std::uint32_t>(distance));
      return {key + distance, key};
    }
  }
  return {0, 0};
}

void TokenSource::lanes(std::uint64_t first, std::uint64_t distance, double* x) const {
  const std::size_t dim = table_->head_dim;
  const bool blurred = !blur_.mean.empty();
  if (blurred) {
    block_kernels(simd_level()).gaussian_lanes(blur_, key_, first, x);
  } else {
    std::fill_n(x, 2 * dim * kLanes, 0.0);
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const TokenPair tokens = pair(first + lane, distance);
    const double* query = table_->queries.data() + tokens.query * dim;
    const double* key = table_->keys.data() + tokens.key * dim;
    for (std::size_t c = 0; c < dim; ++c) {
      x[c * kLanes + lane] += query[c];
      x[(dim + c) * kLanes + lane] += key[c];
    }
  }
}

}  // namespace tapalab
