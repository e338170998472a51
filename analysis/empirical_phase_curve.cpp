// Phase scores over the token pairs of a file: a cos(2 pi s phi) (eq. 9, 10, 12, 16).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "analysis/empirical.hpp"
#include "analysis/empirical_bootstrap.hpp"
#include "analysis/empirical_phase_sums.hpp"
#include "analysis/empirical_products.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"

namespace tapalab::empirical {
namespace {

constexpr std::size_t kTile = 32;
constexpr std::size_t kPerDistance = 3;  // columns of the sums at one distance

/// A distance's scale and the error of its phases in turns.
struct Scale {
  PhaseScale value;
  double largest = 0;  ///< |phase| over all pairs, turns
  double error = 0;
};

Scale scale_at(const PhaseScore& score, const PhaseTable& table, std::uint64_t distance) {
  const Wide s = score.phase_scale(distance) * table.unit();
  const double magnitude = std::abs(static_cast<double>(s));
  Scale scale{make_phase_scale(s), magnitude * table.largest(),
              0x1p-49 + magnitude * table.error()};
  if (!(scale.error < 0.25) || !(scale.largest < 0x1p80))
    throw InputError(
        fmt::format("distance {}: the phases of the file's tokens reach {:.1g} turns, known to "
                    "{:.1g} turns; an "
                    "alpha and distances that leave them known to a quarter of a turn are accepted",
                    distance, scale.largest, scale.error));
  return scale;
}

/// Sums of every cell: cells x (3 distances + 1); the last column is sum a^2.
class CellSums {
 public:
  CellSums(const PairPlan& plan, const PhaseTable& table, const std::vector<Scale>& scales)
      : plan_(plan),
        table_(table),
        scales_(scales),
        columns_(kPerDistance * scales.size() + 1),
        sums_(plan.cells() * columns_, 0.0) {}

  std::size_t columns() const { return columns_; }
  const std::vector<double>& values() const { return sums_; }

  void compute_listed(int workers) {
#pragma omp parallel num_threads(workers)
    {
      PairValues values;
#pragma omp for schedule(dynamic, 16)
      for (std::size_t cell = 0; cell < plan_.cells(); ++cell) {
        if (interrupted()) continue;  // nothing may be thrown across threads
        for (std::size_t p = plan_.starts[cell]; p < plan_.starts[cell + 1]; p += kTile * kTile) {
          const std::size_t count = std::min(kTile * kTile, plan_.starts[cell + 1] - p);
          table_.list(&plan_.queries[p], &plan_.keys[p], count, values);
          add(cell, values);
        }
      }
    }
    throw_if_interrupted();
  }

  /// One row of cells: the pairs of query block `block`.
  void compute_dense_row(std::size_t block, int workers) {
    const std::size_t blocks = plan_.blocks.count();
    const std::size_t last = plan_.rule == PairRule::causal ? block + 1 : blocks;
#pragma omp parallel num_threads(workers)
    {
      PairValues values;
#pragma omp for schedule(dynamic)
      for (std::size_t key_block = 0; key_block < last; ++key_block) {
        if (!interrupted()) compute_cell(block, key_block, values);
      }
    }
    throw_if_interrupted();
  }

 private:
  void compute_cell(std::size_t query_block, std::size_t key_block, PairValues& values) {
    const auto& edges = plan_.blocks.edges;
    const std::size_t query_end = edges[query_block + 1], key_end = edges[key_block + 1];
    const bool causal = plan_.rule == PairRule::causal && query_block == key_block;
    for (std::size_t m = edges[query_block]; m < query_end; m += kTile) {
      const std::size_t queries = std::min(kTile, query_end - m);
      for (std::size_t n = edges[key_block]; n < key_end; n += kTile) {
        if (causal && n > m + queries - 1) break;
        const std::size_t keys = std::min(kTile, key_end - n);
        table_.tile(m, queries, n, keys, values);
        if (causal) drop_future(m, queries, n, keys, values);
        add(query_block * plan_.blocks.count() + key_block, values);
      }
    }
  }

  /// An amplitude of 0 takes a pair out of every sum.
  static void drop_future(std::size_t m, std::size_t queries, std::size_t n, std::size_t keys,
                          PairValues& values) {
    for (std::size_t i = 0; i < queries; ++i)
      for (std::size_t j = 0; j < keys; ++j)
        if (n + j > m + i) values.amplitude[i * keys + j] = 0;
  }

  void add(std::size_t cell, const PairValues& values) {
    double* out = &sums_[cell * columns_];
    for (std::size_t d = 0; d < scales_.size(); ++d) {
      const PhaseSums sums = phase_sums(values, scales_[d].value, scales_[d].largest);
      out[kPerDistance * d] += sums.cosine;
      out[kPerDistance * d + 1] += sums.sine;
      out[kPerDistance * d + 2] += sums.second;
    }
    double squares = 0;
    for (const double a : values.amplitude) squares += a * a;
    out[columns_ - 1] += squares;
  }

  const PairPlan& plan_;
  const PhaseTable& table_;
  const std::vector<Scale>& scales_;
  std::size_t columns_;
  std::vector<double> sums_;
};

/// mean = Re Phi_1, envelope = |Phi_1|, Var = (E a^2 + Re Phi_2(4 pi s))/2 - mean^2 and its excess
/// over E a^2/2.
CurvePoint make_point(const CellSums& sums, const PairPlan& plan, const Bootstrap& bootstrap,
                      const std::vector<double>& replicates, std::size_t index,
                      const Scale& scale) {
  const std::size_t columns = sums.columns(), base = kPerDistance * index;
  const auto average = [&](std::size_t column) {
    return pairwise_sum(&sums.values()[column], plan.cells(), columns) / plan.pairs;
  };
  const double re = average(base), im = average(base + 1), second = average(base + 2);
  const double square = average(columns - 1);  // E a^2
  const auto re_r = column_of(replicates, columns, base);
  const auto im_r = column_of(replicates, columns, base + 1);
  const auto second_r = column_of(replicates, columns, base + 2);
  const auto square_r = column_of(replicates, columns, columns - 1);
  std::vector<double> variance_r, excess_r;
  for (std::size_t r = 0; r < re_r.size(); ++r) {
    excess_r.push_back(second_r[r] / 2 - re_r[r] * re_r[r]);
    variance_r.push_back(square_r[r] / 2 + excess_r.back());
  }
  const double phase_error = 2 * std::numbers::pi * scale.error + 0x1p-45;
  const double rounding = std::sqrt(square) * phase_error;
  const double square_rounding = square * phase_error + 2 * std::abs(re) * rounding;
  const double excess = second / 2 - re * re;

  CurvePoint point;
  point.mean = bootstrap.interval(re, re_r, rounding);
  point.envelope = bootstrap.interval_of_modulus(re, im, re_r, im_r, rounding);
  point.variance = bootstrap.interval_of_variance(square / 2 + excess, variance_r, square_rounding);
  point.variance_excess = bootstrap.interval(excess, excess_r, square_rounding);
  return point;
}

void report(const CurveTask& task, double fraction) {
  if (task.progress) task.progress(fraction);
}

}  // namespace

std::vector<CurvePoint> phase_points(const CurveTask& task, const PhaseScore& score,
                                     const TokenTable& table, PairRule rule) {
  const auto& distances = task.distances.distances;
  const int workers = worker_count(task);
  const PhaseTable phases(score, table);
  const bool each = rule == PairRule::at_distance;  // other pairs at each distance
  const std::size_t together = each ? 1 : kDistancesTogether;
  std::vector<CurvePoint> points(distances.size());
  for (std::size_t begin = 0; begin < distances.size(); begin += together) {
    const std::size_t end = std::min(begin + together, distances.size());
    std::vector<Scale> scales;
    for (std::size_t d = begin; d < end; ++d) {
      points[d].distance = distances[d];
      scales.push_back(scale_at(score, phases, distances[d]));
    }
    const PairPlan plan = make_plan(rule, table.tokens, each ? distances[begin] : 0);
    if (plan.pairs < 2) continue;
    CellSums sums(plan, phases, scales);
    if (plan.listed()) {
      sums.compute_listed(workers);
    } else {
      const std::size_t rows = plan.blocks.count();
      for (std::size_t row = 0; row < rows; ++row) {
        sums.compute_dense_row(row, workers);
        const double done = static_cast<double>(row + 1) / static_cast<double>(rows);
        report(task, (static_cast<double>(begin) + done * static_cast<double>(end - begin)) /
                         static_cast<double>(distances.size()));
      }
    }
    const Bootstrap bootstrap(plan, task.sampling.seed, task.sampling.confidence);
    const auto replicates = bootstrap.means(sums.values(), sums.columns(), workers);
    for (std::size_t d = begin; d < end; ++d) {
      CurvePoint point =
          make_point(sums, plan, bootstrap, replicates, d - begin, scales[d - begin]);
      point.distance = distances[d];
      finish_point(task, point);
      points[d] = point;
    }
    report(task, static_cast<double>(end) / static_cast<double>(distances.size()));
  }
  return points;
}

}  // namespace tapalab::empirical
