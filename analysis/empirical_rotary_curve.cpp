// Rotary scores over the token pairs of a file (eq. 2, 3), from the moments of queries and keys.
#include <algorithm>
#include <cmath>

#include "analysis/empirical.hpp"
#include "analysis/empirical_bootstrap.hpp"
#include "analysis/empirical_products.hpp"
#include "analysis/score_offset.hpp"
#include "sim/interrupt.hpp"

namespace tapalab::empirical {
namespace {

constexpr std::size_t kRotaryTile = 32;

/// cos and sin of every pair's angle at one distance, times the pair's weight and the score's
/// scale, and those alone.
struct Rotation {
  std::vector<double> cosine, sine, modulus;
};

Rotation rotation_at(const RotaryScore& score, std::uint64_t distance) {
  Rotation rotation;
  for (const auto& pair : score.pairs) {
    const WideComplex rotated = score.scale * pair.rotation_at(distance);
    rotation.cosine.push_back(static_cast<double>(rotated.re));
    rotation.sine.push_back(static_cast<double>(rotated.im));
    rotation.modulus.push_back(static_cast<double>(Wide(score.scale * pair.weight_at(distance))));
  }
  return rotation;
}

/// The score is q . rotate(k): A cos + B sin = q_1 (k_1 cos + k_2 sin) + q_2 (k_2 cos - k_1 sin).
/// Elements of `from` and `to` lie `stride` apart; coordinates outside the score become 0.
void rotate(const RotaryScore& score, const Rotation& rotation, const double* from, double* to,
            std::size_t stride) {
  for (std::size_t i = 0; i < score.head_dim; ++i) to[i * stride] = 0;
  for (std::size_t d = 0; d < score.pairs.size(); ++d) {
    const double first = from[score.pairs[d].first * stride];
    const double second = from[score.pairs[d].second * stride];
    to[score.pairs[d].first * stride] = first * rotation.cosine[d] + second * rotation.sine[d];
    to[score.pairs[d].second * stride] = second * rotation.cosine[d] - first * rotation.sine[d];
  }
  const auto scale = static_cast<double>(score.scale);
  for (const auto i : score.plain) to[i * stride] = scale * from[i * stride];
}

/// Sums of A_d, B_d and the plain products in every cell: cells x (2 pairs + plain), A_0, B_0, ...
std::vector<double> feature_sums(const RotaryScore& score, const TokenTable& table,
                                 const PairPlan& plan) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> products;
  for (const auto& pair : score.pairs) {
    products.insert(products.end(), {{pair.first, pair.first},
                                     {pair.second, pair.second},
                                     {pair.first, pair.second},
                                     {pair.second, pair.first}});
  }
  for (const auto i : score.plain) products.emplace_back(i, i);
  const std::size_t columns = products.size();
  std::vector<double> left(table.tokens * columns), right(table.tokens * columns);
  for (std::size_t t = 0; t < table.tokens; ++t)
    for (std::size_t c = 0; c < columns; ++c) {
      left[t * columns + c] = table.queries[t * table.head_dim + products[c].first];
      right[t * columns + c] = table.keys[t * table.head_dim + products[c].second];
    }
  const auto sums = product_sums(plan, left, right, columns);
  const std::size_t pairs = score.pairs.size(), features = 2 * pairs + score.plain.size();
  std::vector<double> result(plan.cells() * features);
  for (std::size_t cell = 0; cell < plan.cells(); ++cell) {
    const double* from = &sums[cell * columns];
    double* to = &result[cell * features];
    for (std::size_t d = 0; d < pairs; ++d) {
      to[2 * d] = from[4 * d] + from[4 * d + 1];          // A_d
      to[2 * d + 1] = from[4 * d + 2] - from[4 * d + 3];  // B_d
    }
    for (std::size_t i = 0; i < score.plain.size(); ++i) to[2 * pairs + i] = from[4 * pairs + i];
  }
  return result;
}

/// scale sum_d (mu_d cos + nu_d sin), the plain products included.
double mean_score(const RotaryScore& score, const Rotation& rotation, const double* features) {
  double sum = 0, plain = 0;
  const std::size_t pairs = score.pairs.size();
  for (std::size_t d = 0; d < pairs; ++d)
    sum += features[2 * d] * rotation.cosine[d] + features[2 * d + 1] * rotation.sine[d];
  for (std::size_t i = 0; i < score.plain.size(); ++i) plain += features[2 * pairs + i];
  return sum + static_cast<double>(score.scale) * plain;
}

/// scale (sum_d w_d sqrt(mu_d^2 + nu_d^2) + |plain|): the largest mean that any angles give.
double largest_mean(const RotaryScore& score, const Rotation& rotation, const double* features) {
  double sum = 0, plain = 0;
  const std::size_t pairs = score.pairs.size();
  for (std::size_t d = 0; d < pairs; ++d)
    sum += rotation.modulus[d] * std::hypot(features[2 * d], features[2 * d + 1]);
  for (std::size_t i = 0; i < score.plain.size(); ++i) plain += features[2 * pairs + i];
  return sum + static_cast<double>(score.scale) * std::abs(plain);
}

/// sum of score^2 in every cell.
class SquareSums {
 public:
  SquareSums(const RotaryScore& score, const TokenTable& table, const PairPlan& plan)
      : score_(score), table_(table), plan_(plan), dim_(table.head_dim) {
    if (plan.listed()) return;
    // Full cells need only sum q q^T and sum k k^T of their blocks: sum (q.k')^2 is their inner
    // product, taken over the upper triangle.
    const auto query = second_moments(table.queries);
    key_ = second_moments(table.keys);
    for (std::size_t b = 0; b < plan.blocks.count(); ++b)
      for (std::size_t i = 0; i < dim_; ++i)
        for (std::size_t j = i; j < dim_; ++j)
          packed_query_.push_back((i == j ? 1 : 2) * query[(b * dim_ + i) * dim_ + j]);
  }

  void at(const Rotation& rotation, double* sums) const {
    if (plan_.listed()) {
      listed(rotation, sums);
      return;
    }
    const std::size_t blocks = plan_.blocks.count(), packed = dim_ * (dim_ + 1) / 2;
    std::vector<double> keys(packed * blocks), half(dim_ * dim_), full(dim_ * dim_);
    for (std::size_t b = 0; b < blocks; ++b) {
      const double* from = &key_[b * dim_ * dim_];
      for (std::size_t j = 0; j < dim_; ++j) rotate(score_, rotation, from + j, &half[j], dim_);
      for (std::size_t i = 0; i < dim_; ++i)
        rotate(score_, rotation, &half[i * dim_], &full[i * dim_], 1);
      std::size_t p = 0;
      for (std::size_t i = 0; i < dim_; ++i)
        for (std::size_t j = i; j < dim_; ++j) keys[p++ * blocks + b] = full[i * dim_ + j];
    }
    product(packed_query_.data(), keys.data(), sums, blocks, packed, blocks);
    if (plan_.rule == PairRule::causal) keep_past(rotation, sums);
  }

 private:
  std::vector<double> second_moments(const std::vector<double>& rows) const {
    const std::size_t blocks = plan_.blocks.count();
    std::vector<double> moments(blocks * dim_ * dim_);
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = plan_.blocks.begin(b), size = plan_.blocks.size(b);
      const std::vector<double> part(
          rows.begin() + static_cast<std::ptrdiff_t>(begin * dim_),
          rows.begin() + static_cast<std::ptrdiff_t>((begin + size) * dim_));
      const auto columns = transposed(part, size, dim_);
      product(columns.data(), part.data(), &moments[b * dim_ * dim_], dim_, size, dim_);
    }
    return moments;
  }

  std::vector<double> rotated_keys(const Rotation& rotation) const {
    std::vector<double> keys(table_.keys.size());
    for (std::size_t t = 0; t < table_.tokens; ++t)
      rotate(score_, rotation, &table_.keys[t * dim_], &keys[t * dim_], 1);
    return keys;
  }

  void listed(const Rotation& rotation, double* sums) const {
    const auto keys = rotated_keys(rotation);
    for (std::size_t cell = 0; cell < plan_.cells(); ++cell) {
      sums[cell] = 0;
      for (std::size_t p = plan_.starts[cell]; p < plan_.starts[cell + 1]; ++p) {
        double value = 0;
        for (std::size_t i = 0; i < dim_; ++i)
          value += table_.queries[plan_.queries[p] * dim_ + i] * keys[plan_.keys[p] * dim_ + i];
        sums[cell] += value * value;
      }
    }
  }

  /// Causal pairs: no cell above the diagonal, and on it the pairs with m >= n alone.
  void keep_past(const Rotation& rotation, double* sums) const {
    const auto keys = transposed(rotated_keys(rotation), table_.tokens, dim_);
    const std::size_t blocks = plan_.blocks.count();
    double tile[kRotaryTile * kRotaryTile];
    for (std::size_t i = 0; i < blocks; ++i) {
      for (std::size_t j = i; j < blocks; ++j) sums[i * blocks + j] = 0;
      const std::size_t end = plan_.blocks.edges[i + 1];
      for (std::size_t m = plan_.blocks.begin(i); m < end; m += kRotaryTile)
        for (std::size_t n = plan_.blocks.begin(i); n <= m; n += kRotaryTile) {
          const std::size_t rows = std::min(kRotaryTile, end - m),
                            cols = std::min(kRotaryTile, end - n);
          product(&table_.queries[m * dim_], dim_, &keys[n], table_.tokens, tile, cols, rows, dim_,
                  cols);
          double sum = 0;
          for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < cols && n + c <= m + r; ++c)
              sum += tile[r * cols + c] * tile[r * cols + c];
          sums[i * blocks + i] += sum;
        }
    }
  }

  const RotaryScore& score_;
  const TokenTable& table_;
  const PairPlan& plan_;
  std::size_t dim_;
  std::vector<double> key_;           // blocks x dim x dim
  std::vector<double> packed_query_;  // blocks x dim (dim + 1)/2, entries off the diagonal doubled
};

/// The points of some distances that share their pairs.
void fill_points(const CurveTask& task, const RotaryScore& score, const TokenTable& table,
                 const PairPlan& plan, std::size_t begin, std::size_t end,
                 std::vector<CurvePoint>& points) {
  const auto& distances = task.distances.distances;
  const int workers = worker_count(task);
  const Bootstrap bootstrap(plan, task.sampling.seed, task.sampling.confidence);
  const std::size_t width = 2 * score.pairs.size() + score.plain.size();
  const auto sums = feature_sums(score, table, plan);
  const auto features_r = bootstrap.means(sums, width, workers);
  std::vector<double> features(width);
  for (std::size_t f = 0; f < width; ++f)
    features[f] = pairwise_sum(&sums[f], plan.cells(), width) / plan.pairs;
  const std::size_t replicas = features_r.size() / width;
  const SquareSums squares(score, table, plan);

  for (; begin < end; begin += std::min(kDistancesTogether, end - begin)) {
    const std::size_t count = std::min(kDistancesTogether, end - begin);
    std::vector<Rotation> rotations(count);
    std::vector<double> square_sums(plan.cells() * count);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (std::size_t d = 0; d < count; ++d) {
      if (interrupted()) continue;  // nothing may be thrown across threads
      rotations[d] = rotation_at(score, distances[begin + d]);
      std::vector<double> cells(plan.cells());
      squares.at(rotations[d], cells.data());
      for (std::size_t cell = 0; cell < cells.size(); ++cell)
        square_sums[cell * count + d] = cells[cell];
    }
    throw_if_interrupted();
    const auto squares_r = bootstrap.means(square_sums, count, workers);
    for (std::size_t d = 0; d < count; ++d) {
      const double mean = mean_score(score, rotations[d], features.data());
      const double square = pairwise_sum(&square_sums[d], plan.cells(), count) / plan.pairs;
      const double envelope = largest_mean(score, rotations[d], features.data());
      std::vector<double> envelopes_r, means_r, variances_r;
      for (std::size_t r = 0; r < replicas; ++r) {
        envelopes_r.push_back(largest_mean(score, rotations[d], &features_r[r * width]));
        means_r.push_back(mean_score(score, rotations[d], &features_r[r * width]));
        variances_r.push_back(squares_r[r * count + d] - means_r.back() * means_r.back());
      }
      const double rounding = 0x1p-45 * std::max(envelope, std::sqrt(square));
      CurvePoint& point = points[begin + d];
      point.mean = bootstrap.interval(mean, means_r, rounding);
      point.envelope = bootstrap.interval_of_norm(envelope, envelopes_r, rounding);
      point.variance =
          bootstrap.interval_of_variance(square - mean * mean, variances_r, 0x1p-44 * square);
      add_offset(point, score.offset(point.distance));
      finish_point(task, point);
    }
    if (task.progress)
      task.progress(static_cast<double>(begin + count) / static_cast<double>(distances.size()));
  }
}

}  // namespace

std::vector<CurvePoint> rotary_points(const CurveTask& task, const RotaryScore& score,
                                      const TokenTable& table, PairRule rule) {
  const auto& distances = task.distances.distances;
  std::vector<CurvePoint> points(distances.size());
  for (std::size_t d = 0; d < distances.size(); ++d) points[d].distance = distances[d];
  if (rule != PairRule::at_distance) {
    fill_points(task, score, table, make_plan(rule, table.tokens), 0, distances.size(), points);
    return points;
  }
  for (std::size_t d = 0; d < distances.size(); ++d) {
    const PairPlan plan = make_plan(rule, table.tokens, distances[d]);
    if (plan.pairs >= 2) fill_points(task, score, table, plan, d, d + 1, points);
  }
  return points;
}

}  // namespace tapalab::empirical
