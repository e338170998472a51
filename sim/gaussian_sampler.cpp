#include "sim/gaussian_sampler.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

using Block = std::vector<std::uint32_t>;  // coordinates, ascending

// Coordinates that any chain of covariances connects.
std::vector<Block> independent_blocks(const GaussianModel& model) {
  const std::size_t size = model.mean.size();
  std::vector<std::uint32_t> parent(size);
  std::iota(parent.begin(), parent.end(), std::uint32_t{0});
  const auto root = [&](std::uint32_t c) {
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
  };
  for (const auto& term : model.covariance) {
    const std::uint32_t a = root(term.row), b = root(term.col);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::vector<Block> by_root(size);
  for (std::uint32_t c = 0; c < size; ++c) by_root[root(c)].push_back(c);
  std::erase_if(by_root, [](const Block& block) { return block.empty(); });
  return by_root;
}

// Cholesky of a dense n x n lower triangle, in place, row by row.
void factor(std::vector<Wide>& a, const Block& block) {
  const std::size_t n = block.size();
  for (std::size_t j = 0; j < n; ++j) {
    Wide pivot = a[j * n + j];
    const Wide threshold = ldexp(pivot, -150);
    for (std::size_t k = 0; k < j; ++k) pivot -= a[j * n + k] * a[j * n + k];
    if (pivot < -threshold) {
      throw InputError("covariance: not positive semidefinite at coordinate " +
                       std::to_string(block[j]) + " of x = (q, k)");
    }
    const bool zero = pivot <= threshold;
    const Wide root = zero ? Wide(0) : sqrt(pivot);
    a[j * n + j] = root;
    for (std::size_t i = j + 1; i < n; ++i) {
      Wide entry = a[i * n + j];
      if (!zero) {
        for (std::size_t k = 0; k < j; ++k) entry -= a[i * n + k] * a[j * n + k];
        entry /= root;
      } else {
        entry = 0;
      }
      a[i * n + j] = entry;
    }
  }
}

}  // namespace

SparseRoot covariance_root(const GaussianModel& model) {
  const std::size_t size = model.mean.size();
  const std::vector<Block> blocks = independent_blocks(model);
  std::vector<std::uint32_t> block_of(size), place_of(size);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    for (std::uint32_t i = 0; i < blocks[b].size(); ++i) {
      block_of[blocks[b][i]] = b;
      place_of[blocks[b][i]] = i;
    }
  }
  std::vector<std::vector<Wide>> dense(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    dense[b].assign(blocks[b].size() * blocks[b].size(), Wide(0));
  }
  for (const auto& term : model.covariance) {
    const std::uint32_t b = block_of[term.row];
    dense[b][place_of[term.row] * blocks[b].size() + place_of[term.col]] = term.value;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) factor(dense[b], blocks[b]);

  SparseRoot result;
  result.begin.push_back(0);
  for (std::uint32_t row = 0; row < size; ++row) {
    result.mean.push_back(static_cast<double>(model.mean[row]));
    const Block& block = blocks[block_of[row]];
    for (std::uint32_t j = 0; j <= place_of[row]; ++j) {
      const Wide& weight = dense[block_of[row]][place_of[row] * block.size() + j];
      if (weight != 0) result.entries.push_back({block[j], 0, static_cast<double>(weight)});
    }
    result.begin.push_back(static_cast<std::uint32_t>(result.entries.size()));
  }
  return result;
}

SparseRoot identity_root(std::uint32_t head_dim, double scale) {
  SparseRoot root;
  const std::uint32_t size = 2 * head_dim;
  root.mean.assign(size, 0.0);
  root.begin.push_back(0);
  for (std::uint32_t row = 0; row < size; ++row) {
    root.entries.push_back({row, 0, scale});
    root.begin.push_back(row + 1);
  }
  return root;
}

}  // namespace tapalab
