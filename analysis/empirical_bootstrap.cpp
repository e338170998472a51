#include "analysis/empirical_bootstrap.hpp"

#include <omp.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "analysis/empirical_products.hpp"
#include "sim/interrupt.hpp"

namespace tapalab::empirical {
namespace {

/// Order statistic number p (count + 1), interpolated; `sorted` ascending.
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * (static_cast<double>(sorted.size()) + 1) - 1;
  const double inside = std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(inside);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (inside - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double mean_of(const std::vector<double>& x) {
  return pairwise_sum(x.data(), x.size()) / static_cast<double>(x.size());
}

double deviation_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  std::vector<double> squares;
  for (const double value : x) squares.push_back((value - mean) * (value - mean));
  return std::sqrt(mean_of(squares));
}

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

Quantity confidence(double estimate, double lower, double upper, double level) {
  Quantity quantity;
  quantity.estimate = LogNumber(estimate);
  quantity.error.kind = ErrorKind::confidence;
  quantity.error.level = level;
  quantity.error.lower = LogNumber(lower);
  quantity.error.upper = LogNumber(upper);
  quantity.error.absolute = LogNumber(std::max({upper - estimate, estimate - lower, 0.0}));
  return quantity;
}

/// Quantiles of the deviations that the tails (1 - level)/2 leave.
std::pair<double, double> deviations(const std::vector<double>& replicates, double level) {
  const double mean = mean_of(replicates);
  const double tail = (1 - level) / 2;
  if (tail * (static_cast<double>(replicates.size()) + 1) < 10) {
    const double reach = normal_quantile((1 + level) / 2) * deviation_of(replicates);
    return {-reach, reach};
  }
  std::vector<double> sorted;
  for (const double value : replicates) sorted.push_back(value - mean);
  std::sort(sorted.begin(), sorted.end());
  return {quantile(sorted, tail), quantile(sorted, 1 - tail)};
}

}  // namespace

std::uint64_t SplitMix64::next() {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t SplitMix64::below(std::uint64_t range) {
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Product>(next()) * range >> 64);
}

Bootstrap::Bootstrap(const PairPlan& plan, std::uint64_t seed, double level)
    : plan_(plan), level_(level), draws_(kReplicates * plan.blocks.count(), 0.0) {
  const std::size_t blocks = plan.blocks.count();
  SplitMix64 random{seed};
  for (std::size_t replicate = 0; replicate < kReplicates; ++replicate)
    for (std::size_t draw = 0; draw < blocks; ++draw)
      draws_[replicate * blocks + random.below(blocks)] += 1;
  factor_ = 1;
  if (blocks >= 2) {
    const double b = static_cast<double>(blocks);
    const boost::math::students_t student(b - 1);
    factor_ = std::sqrt(b / (b - 1)) * boost::math::quantile(student, (1 + level) / 2) /
              normal_quantile((1 + level) / 2);
  }
}

std::vector<double> Bootstrap::means(const std::vector<double>& sums, std::size_t columns,
                                     unsigned threads) const {
  const std::size_t cells = plan_.cells(), blocks = plan_.blocks.count();
  constexpr std::size_t kTogether = 37;  // replicates in one product; 27 products cover them all
  std::vector<double> totals(kReplicates * columns);
  std::vector<double> pairs(kReplicates);
  const int workers = threads == 0 ? omp_get_max_threads() : static_cast<int>(threads);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
  for (std::size_t first = 0; first < kReplicates; first += kTogether) {
    if (interrupted()) continue;  // nothing may be thrown across threads
    const std::size_t count = std::min(kTogether, kReplicates - first);
    std::vector<double> weights(count * cells);
    for (std::size_t r = 0; r < count; ++r) {
      const double* draws = &draws_[(first + r) * blocks];
      double* row = &weights[r * cells];
      if (plan_.by_block_pair()) {
        for (std::size_t i = 0; i < blocks; ++i)
          for (std::size_t j = 0; j < blocks; ++j) row[i * blocks + j] = draws[i] * draws[j];
      } else {
        std::copy(draws, draws + blocks, row);
      }
      // Sums of products of small integers: exact.
      pairs[first + r] = std::inner_product(row, row + cells, plan_.counts.begin(), 0.0);
    }
    product(weights.data(), sums.data(), &totals[first * columns], count, cells, columns);
  }
  throw_if_interrupted();
  std::size_t kept = 0;
  for (std::size_t r = 0; r < kReplicates; ++r) {
    if (pairs[r] == 0) continue;
    for (std::size_t c = 0; c < columns; ++c)
      totals[kept * columns + c] = totals[r * columns + c] / pairs[r];
    ++kept;
  }
  totals.resize(kept * columns);
  return totals;
}

Quantity Bootstrap::interval(double estimate, const std::vector<double>& replicates,
                             double rounding) const {
  const auto [low, high] = deviations(replicates, level_);
  // The deviations straddle 0 but for levels of a few percent.
  return confidence(estimate, estimate - std::max(factor_ * high, 0.0) - rounding,
                    estimate - std::min(factor_ * low, 0.0) + rounding, level_);
}

Quantity Bootstrap::interval_of_variance(double estimate, const std::vector<double>& replicates,
                                         double rounding) const {
  std::vector<double> logarithms;
  for (const double value : replicates) {
    if (!(value > 0) || !(estimate > 0)) return interval(estimate, replicates, rounding);
    logarithms.push_back(std::log(value));
  }
  const auto [low, high] = deviations(logarithms, level_);
  return confidence(estimate, estimate * std::exp(-std::max(factor_ * high, 0.0)) - rounding,
                    estimate * std::exp(-std::min(factor_ * low, 0.0)) + rounding, level_);
}

Quantity Bootstrap::interval_of_norm(double estimate, const std::vector<double>& replicates,
                                     double rounding) const {
  const auto [low, high] = deviations(replicates, level_);
  const double bias = mean_of(replicates) - estimate;
  const double lower = estimate - factor_ * high - std::max(bias, 0.0) - rounding;
  const double upper = estimate - factor_ * low - std::min(bias, 0.0) + rounding;
  return confidence(estimate, std::max(0.0, std::min(lower, estimate)), std::max(upper, estimate),
                    level_);
}

Quantity Bootstrap::interval_of_modulus(double re, double im,
                                        const std::vector<double>& replicates_re,
                                        const std::vector<double>& replicates_im,
                                        double rounding) const {
  const double mean_re = mean_of(replicates_re), mean_im = mean_of(replicates_im);
  std::vector<double> distances;
  for (std::size_t r = 0; r < replicates_re.size(); ++r)
    distances.push_back(std::hypot(replicates_re[r] - mean_re, replicates_im[r] - mean_im));
  double radius;
  if ((1 - level_) * (static_cast<double>(distances.size()) + 1) < 10) {
    // Both parts within the normal bound for half the tail each.
    const double z = normal_quantile(1 - (1 - level_) / 4);
    radius = z * std::hypot(deviation_of(replicates_re), deviation_of(replicates_im));
  } else {
    std::sort(distances.begin(), distances.end());
    radius = quantile(distances, level_);
  }
  const double modulus = std::hypot(re, im);
  const double reach = factor_ * radius + rounding;
  return confidence(modulus, std::max(0.0, modulus - reach), modulus + reach, level_);
}

double Bootstrap::standard_error(const std::vector<double>& replicates) const {
  const double b = static_cast<double>(plan_.blocks.count());
  return deviation_of(replicates) * std::sqrt(b / (b - 1));
}

std::vector<double> column_of(const std::vector<double>& matrix, std::size_t columns,
                              std::size_t column) {
  std::vector<double> values;
  values.reserve(matrix.size() / columns);
  for (std::size_t i = column; i < matrix.size(); i += columns) values.push_back(matrix[i]);
  return values;
}

}  // namespace tapalab::empirical
