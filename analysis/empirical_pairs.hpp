// Which (query token, key token) pairs of a file are averaged, and how they fall into the cells
// that the block bootstrap resamples.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/density.hpp"

namespace tapalab::empirical {

/// Contiguous blocks of nearly equal length: 32 tokens each, but at least 16 blocks (or one per
/// token) and at most 64. `edges[b]` is the first token of block b, `edges.back()` the count.
struct Blocks {
  std::vector<std::size_t> edges;

  std::size_t count() const { return edges.size() - 1; }
  std::size_t begin(std::size_t block) const { return edges[block]; }
  std::size_t size(std::size_t block) const { return edges[block + 1] - edges[block]; }
};
Blocks make_blocks(std::size_t tokens);

/// The pairs of one rule.
///   all          every query with every key: tokens^2 pairs
///   causal       query position m >= key position n, m = n included as in causal attention
///   shuffled     query m with key shuffled_partner(tokens, kPairingSeed)[m]: tokens pairs
///                (sim/random/permutation.hpp)
///   at_distance  query n + distance with key n: tokens - distance pairs
/// Cells: for the first three rules cell (i, j) = i * blocks + j holds the pairs of query block i
/// and key block j; for at_distance cell b holds the pairs whose key index lies in block b of the
/// tokens - distance pairs.
struct PairPlan {
  PairRule rule = PairRule::all;
  std::size_t tokens = 0;
  Blocks blocks;
  std::vector<double> counts;  ///< pairs in each cell
  double pairs = 0;            ///< pairs in all
  // shuffled and at_distance: the pairs, cell by cell; cell c holds indices starts[c] ..
  // starts[c+1]-1. Empty for the dense rules.
  std::vector<std::size_t> queries, keys, starts;

  std::size_t cells() const { return counts.size(); }
  bool listed() const { return !starts.empty(); }
  bool by_block_pair() const { return rule != PairRule::at_distance; }
};

/// `distance` matters for at_distance alone; a plan without pairs has no cells.
PairPlan make_plan(PairRule rule, std::size_t tokens, std::uint64_t distance = 0);

/// For each cell and each column c: sum over its pairs (m, n) of left(m, c) * right(n, c), both
/// tokens x columns, row by row; the result is cells x columns. Dense rules take
/// O(tokens * columns + cells * columns).
std::vector<double> product_sums(const PairPlan& plan, const std::vector<double>& left,
                                 const std::vector<double>& right, std::size_t columns);

}  // namespace tapalab::empirical
