#include "analysis/empirical_moments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/empirical_bootstrap.hpp"
#include "analysis/empirical_pairs.hpp"
#include "analysis/empirical_products.hpp"
#include "sim/errors.hpp"
#include "sim/mutants.hpp"

namespace tapalab {
namespace {

using namespace empirical;

/// One statistic in every replicate, and over the file's pairs.
struct Statistic {
  double estimate = 0;
  std::vector<double> replicates;
};

MomentEstimate with_interval(const Bootstrap& bootstrap, const Statistic& statistic) {
  const Quantity quantity = bootstrap.interval(statistic.estimate, statistic.replicates,
                                               0x1p-45 * std::abs(statistic.estimate));
  if (!std::isfinite(quantity.error.lower.value()) || !std::isfinite(quantity.error.upper.value()))
    throw InputError("the products of the file's values leave the range of double");
  return {statistic.estimate, bootstrap.standard_error(statistic.replicates),
          quantity.error.lower.value(), quantity.error.upper.value()};
}

/// The averages of left(m, c) right(n, c) over pairs, one statistic for each column c.
class Averages {
 public:
  Averages(const PairPlan& plan, const Bootstrap& bootstrap, unsigned threads,
           const std::vector<double>& left, const std::vector<double>& right, std::size_t columns)
      : columns_(columns) {
    const auto sums = product_sums(plan, left, right, columns);
    replicates_ = bootstrap.means(sums, columns, threads);
    for (std::size_t c = 0; c < columns; ++c)
      averages_.push_back(pairwise_sum(&sums[c], plan.cells(), columns) / plan.pairs);
  }

  /// sum of weight * column over `terms`.
  Statistic combined(const std::vector<std::pair<std::size_t, double>>& terms) const {
    Statistic result{0, std::vector<double>(replicates_.size() / columns_, 0.0)};
    for (const auto& [column, weight] : terms) {
      result.estimate += weight * averages_[column];
      for (std::size_t r = 0; r < result.replicates.size(); ++r)
        result.replicates[r] += weight * replicates_[r * columns_ + column];
    }
    return result;
  }
  Statistic at(std::size_t column) const { return combined({{column, 1}}); }

 private:
  std::size_t columns_;
  std::vector<double> averages_, replicates_;
};

Statistic largest_over_smallest(const std::vector<Statistic>& statistics) {
  const auto ratio = [&](auto value) {
    double smallest = value(statistics.front()), largest = smallest;
    for (const auto& statistic : statistics) {
      smallest = std::min(smallest, value(statistic));
      largest = std::max(largest, value(statistic));
    }
    if (smallest == 0)
      throw InputError("the ratio of second moments is undefined: a coordinate is 0 in every pair");
    return largest / smallest;
  };
  Statistic result{ratio([](const Statistic& s) { return s.estimate; }), {}};
  for (std::size_t r = 0; r < statistics.front().replicates.size(); ++r)
    result.replicates.push_back(ratio([r](const Statistic& s) { return s.replicates[r]; }));
  return result;
}

}  // namespace

EmpiricalMoments empirical_moments(const TokenTable& table, const MomentOptions& options) {
  const std::size_t dim = table.head_dim, half = dim / 2;
  if (dim == 0 || dim % 2 != 0)
    throw InputError(
        fmt::format("head dimension {}: rotary pairs need an even one, at least 2", dim));
  if (!(options.level > 0 && options.level < 1))
    throw InputError(
        fmt::format("--confidence {}: strictly between 0 and 1 is accepted", options.level));
  const PairPlan plan = make_plan(options.rule, table.tokens, options.distance);
  if (plan.pairs < 2 || table.tokens < 2)
    throw InputError(fmt::format("{} tokens give fewer than two pairs{}", table.tokens,
                                 options.rule == PairRule::at_distance
                                     ? fmt::format(" at distance {}", options.distance)
                                     : std::string()));
  const Bootstrap bootstrap(plan, options.seed, options.level);

  // Columns per coordinate i, p its partner: q_i k_i, q_i k_p, (q_i k_i)^2, q_i q_p k_i k_p.
  const auto partner = [&](std::size_t i) {
    if (options.pairing == Pairing::adjacent) return i ^ 1;
    return i < half ? i + half : i - half;
  };
  std::vector<double> left(table.tokens * 4 * dim), right(left.size());
  for (std::size_t t = 0; t < table.tokens; ++t)
    for (std::size_t i = 0; i < dim; ++i) {
      const double q = table.queries[t * dim + i], k = table.keys[t * dim + i];
      const double q_partner = table.queries[t * dim + partner(i)];
      const double k_partner = table.keys[t * dim + partner(i)];
      const std::size_t row = t * 4 * dim;
      left[row + i] = left[row + dim + i] = q;
      right[row + i] = k;
      right[row + dim + i] = k_partner;
      left[row + 2 * dim + i] = q * q;
      right[row + 2 * dim + i] = k * k;
      left[row + 3 * dim + i] = q * q_partner;
      right[row + 3 * dim + i] = k * k_partner;
    }
  const Averages averages(plan, bootstrap, options.threads, left, right, 4 * dim);

  EmpiricalMoments moments;
  moments.pairs = plan.pairs;
  moments.blocks = plan.blocks.count();
  moments.replicates = Bootstrap::kReplicates;
  std::vector<Statistic> coordinates, pairs;
  for (std::size_t i = 0; i < dim; ++i) {
    coordinates.push_back(averages.at(2 * dim + i));
    moments.sigma2_coordinate.push_back(with_interval(bootstrap, coordinates.back()));
  }
  for (std::size_t d = 0; d < half; ++d) {
    const std::size_t first = options.pairing == Pairing::adjacent ? 2 * d : d;
    const std::size_t second = partner(first);
    moments.mu.push_back(with_interval(bootstrap, averages.combined({{first, 1}, {second, 1}})));
    moments.nu.push_back(with_interval(
        bootstrap, averages.combined({{dim + first, 1},
                                      {dim + second, mutated("empirical-sine-sign", -1.0, 1.0)}})));
    pairs.push_back(
        averages.combined({{2 * dim + first, 1}, {2 * dim + second, 1}, {3 * dim + first, 2}}));
    moments.sigma2_pair.push_back(with_interval(bootstrap, pairs.back()));
  }
  moments.coordinate_ratio = with_interval(bootstrap, largest_over_smallest(coordinates));
  moments.pair_ratio = with_interval(bootstrap, largest_over_smallest(pairs));
  return moments;
}

}  // namespace tapalab
