#include "analysis/empirical_pairs.hpp"

#include <algorithm>
#include <numeric>

#include "sim/random/permutation.hpp"

namespace tapalab::empirical {
namespace {

/// Sums of the rows of each block: blocks x columns.
std::vector<double> block_sums(const Blocks& blocks, const std::vector<double>& rows,
                               std::size_t columns) {
  std::vector<double> sums(blocks.count() * columns, 0.0);
  for (std::size_t b = 0; b < blocks.count(); ++b)
    for (std::size_t t = blocks.edges[b]; t < blocks.edges[b + 1]; ++t)
      for (std::size_t c = 0; c < columns; ++c) sums[b * columns + c] += rows[t * columns + c];
  return sums;
}

/// Pairs m >= n inside one block, through the running sum of the keys.
void add_triangle(const Blocks& blocks, std::size_t block, const std::vector<double>& left,
                  const std::vector<double>& right, std::size_t columns, double* sums) {
  std::vector<double> before(columns, 0.0);
  for (std::size_t m = blocks.edges[block]; m < blocks.edges[block + 1]; ++m) {
    for (std::size_t c = 0; c < columns; ++c) {
      before[c] += right[m * columns + c];
      sums[c] += left[m * columns + c] * before[c];
    }
  }
}

void list_pairs(PairPlan& plan, const std::vector<std::size_t>& cell_of_pair,
                const std::vector<std::size_t>& queries, const std::vector<std::size_t>& keys,
                std::size_t cells) {
  std::vector<std::size_t> order(queries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cell_of_pair[a] < cell_of_pair[b]; });
  plan.counts.assign(cells, 0.0);
  for (const auto index : order) {
    plan.queries.push_back(queries[index]);
    plan.keys.push_back(keys[index]);
    plan.counts[cell_of_pair[index]] += 1;
  }
  plan.starts.assign(1, 0);
  for (const double count : plan.counts)
    plan.starts.push_back(plan.starts.back() + static_cast<std::size_t>(count));
}

}  // namespace

Blocks make_blocks(std::size_t tokens) {
  constexpr std::size_t kLength = 32, kFewest = 16, kMost = 64;
  const std::size_t count = std::clamp(tokens / kLength, std::min(kFewest, tokens), kMost);
  Blocks blocks;
  for (std::size_t b = 0; b <= count; ++b) blocks.edges.push_back(b * tokens / count);
  return blocks;
}

PairPlan make_plan(PairRule rule, std::size_t tokens, std::uint64_t distance) {
  PairPlan plan;
  plan.rule = rule;
  plan.tokens = tokens;
  if (tokens == 0 || (rule == PairRule::at_distance && distance >= tokens)) return plan;
  if (rule == PairRule::at_distance) {
    const std::size_t pairs = tokens - distance;
    plan.blocks = make_blocks(pairs);
    std::vector<std::size_t> cell, queries, keys;
    for (std::size_t b = 0; b < plan.blocks.count(); ++b)
      for (std::size_t n = plan.blocks.edges[b]; n < plan.blocks.edges[b + 1]; ++n) {
        cell.push_back(b);
        queries.push_back(n + distance);
        keys.push_back(n);
      }
    list_pairs(plan, cell, queries, keys, plan.blocks.count());
  } else {
    plan.blocks = make_blocks(tokens);
    const std::size_t count = plan.blocks.count();
    if (rule == PairRule::shuffled) {
      std::vector<std::size_t> block_of(tokens), cell(tokens), queries(tokens);
      for (std::size_t b = 0; b < count; ++b)
        for (std::size_t t = plan.blocks.edges[b]; t < plan.blocks.edges[b + 1]; ++t)
          block_of[t] = b;
      const auto partner = shuffled_partner(tokens, kPairingSeed);
      const std::vector<std::size_t> keys(partner.begin(), partner.end());
      for (std::size_t m = 0; m < tokens; ++m) {
        queries[m] = m;
        cell[m] = block_of[m] * count + block_of[keys[m]];
      }
      list_pairs(plan, cell, queries, keys, count * count);
    } else {
      plan.counts.assign(count * count, 0.0);
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < count; ++j) {
          const auto rows = static_cast<double>(plan.blocks.size(i));
          const auto cols = static_cast<double>(plan.blocks.size(j));
          double& cell = plan.counts[i * count + j];
          if (rule == PairRule::all || i > j) cell = rows * cols;
          if (rule == PairRule::causal && i == j) cell = rows * (rows + 1) / 2;
        }
    }
  }
  plan.pairs = std::accumulate(plan.counts.begin(), plan.counts.end(), 0.0);
  return plan;
}

std::vector<double> product_sums(const PairPlan& plan, const std::vector<double>& left,
                                 const std::vector<double>& right, std::size_t columns) {
  std::vector<double> sums(plan.cells() * columns, 0.0);
  if (plan.listed()) {
    for (std::size_t cell = 0; cell < plan.cells(); ++cell)
      for (std::size_t p = plan.starts[cell]; p < plan.starts[cell + 1]; ++p)
        for (std::size_t c = 0; c < columns; ++c)
          sums[cell * columns + c] +=
              left[plan.queries[p] * columns + c] * right[plan.keys[p] * columns + c];
    return sums;
  }
  if (plan.cells() == 0) return sums;
  const std::size_t count = plan.blocks.count();
  const auto lefts = block_sums(plan.blocks, left, columns);
  const auto rights = block_sums(plan.blocks, right, columns);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      double* cell = &sums[(i * count + j) * columns];
      if (plan.rule == PairRule::causal && i == j)
        add_triangle(plan.blocks, i, left, right, columns, cell);
      else if (plan.rule == PairRule::all || i > j)
        for (std::size_t c = 0; c < columns; ++c)
          cell[c] = lefts[i * columns + c] * rights[j * columns + c];
    }
  return sums;
}

}  // namespace tapalab::empirical
