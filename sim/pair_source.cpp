#include "sim/pair_source.hpp"

#include <algorithm>

#include "sim/errors.hpp"
#include "sim/random/permutation.hpp"

namespace tapalab {

void add_root(const SparseRoot& root, DrawTables& tables) {
  const auto before = static_cast<std::uint32_t>(tables.entries.size());
  tables.root_mean.insert(tables.root_mean.end(), root.mean.begin(), root.mean.end());
  for (const std::uint32_t begin : root.begin) tables.begin.push_back(before + begin);
  for (const SparseRoot::Entry& entry : root.entries) {
    tables.entries.push_back({entry.column, 0, entry.weight});
  }
}

namespace {

TokenRule token_rule(PairRule rule) {
  switch (rule) {
    case PairRule::all:
      return TokenRule::all;
    case PairRule::causal:
      return TokenRule::causal;
    case PairRule::shuffled:
      return TokenRule::shuffled;
    case PairRule::at_distance:
      break;
  }
  return TokenRule::at_distance;
}

}  // namespace

GaussianSource::GaussianSource(const GaussianModel& model, std::uint64_t seed)
    : root_(covariance_root(model)), key_(stream_key(seed)) {}

DrawTables GaussianSource::tables() const {
  DrawTables tables;
  tables.kind = DrawKind::gaussian;
  tables.head_dim = static_cast<std::uint32_t>(root_.mean.size() / 2);
  tables.key = key_;
  add_root(root_, tables);
  return tables;
}

TokenSource::TokenSource(const EmpiricalDensity& density, std::uint64_t seed)
    : table_(density.table), rule_(token_rule(density.pairs)), key_(stream_key(seed)) {
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
  if (rule_ == TokenRule::shuffled) partner_ = shuffled_partner(table_->tokens, kPairingSeed);
}

bool TokenSource::has_pairs(std::uint64_t distance) const {
  return rule_ != TokenRule::at_distance || distance < table_->tokens;
}

TokenPair TokenSource::pair(std::uint64_t sample, std::uint64_t distance) const {
  return token_pair(rule_, table_->tokens, partner_.data(), sample, distance, key_);
}

DrawTables TokenSource::tables() const {
  DrawTables tables;
  tables.kind = DrawKind::tokens;
  tables.head_dim = table_->head_dim;
  tables.key = key_;
  if (!blur_.mean.empty()) add_root(blur_, tables);
  tables.rule = rule_;
  tables.tokens = table_->tokens;
  tables.queries = {table_, &table_->queries};
  tables.keys = {table_, &table_->keys};
  tables.partner = partner_;
  return tables;
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
