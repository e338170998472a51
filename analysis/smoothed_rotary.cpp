// Rotary scores under a smoothed empirical density. At one distance the score is q^T R k. The
// bandwidth h leaves its mean and adds to its second moment
//   h^2 (E|R^T q|^2 + E|R k|^2) + h^4 |R|^2.
// For pairs=all queries and keys are independent: means and covariances of each are all that mean
// and variance ask for, and those of a joint Gaussian with them are the same.
#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/empirical.hpp"
#include "analysis/phase_point.hpp"
#include "analysis/rotary_moments.hpp"
#include "analysis/smoothed_curve.hpp"
#include "sim/interrupt.hpp"

namespace tapalab::empirical {
namespace {

using Real = long double;
constexpr Real kRotaryUnit = std::numeric_limits<Real>::epsilon();

/// One side of pairs=all: mean and covariance, h^2 included.
void add_side(const std::vector<double>& rows, std::size_t tokens, std::uint32_t dim,
              std::uint32_t offset, const Wide& h, GaussianModel& model) {
  std::vector<Real> mean(dim, 0);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::uint32_t i = 0; i < dim; ++i) mean[i] += rows[t * dim + i];
  }
  for (std::uint32_t i = 0; i < dim; ++i) {
    mean[i] /= static_cast<Real>(tokens);
    model.mean[offset + i] = Wide(mean[i]);
  }
  std::vector<Real> centred(dim), covariance(std::size_t{dim} * dim, 0);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::uint32_t i = 0; i < dim; ++i) centred[i] = rows[t * dim + i] - mean[i];
    for (std::uint32_t i = 0; i < dim; ++i) {
      for (std::uint32_t j = 0; j <= i; ++j) {
        covariance[std::size_t{i} * dim + j] += centred[i] * centred[j];
      }
    }
  }
  for (std::uint32_t i = 0; i < dim; ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      Wide value = Wide(covariance[std::size_t{i} * dim + j] / static_cast<Real>(tokens));
      if (i == j) value += h * h;
      model.covariance.push_back({offset + i, offset + j, value});
    }
  }
}

/// Quantities at one distance, before the offset of ALiBi.
struct RotaryValues {
  Estimate mean, envelope, variance;
  Wide variance_bound{0};
};

CurvePoint rotary_point(const RotaryScore& score, std::uint64_t distance, RotaryValues values) {
  if (score.slope != 0) {
    const Wide offset = score.offset(distance), rounding = 8 * wide_epsilon() * abs(offset);
    values.mean = {values.mean.value + offset, values.mean.error + rounding};
    values.envelope = {values.envelope.value + abs(offset), values.envelope.error + rounding};
  }
  const Wide bound = values.envelope.value + values.envelope.error;
  CurvePoint point;
  point.distance = distance;
  point.engine = Engine::exact;
  point.mean = bounded_quantity(values.mean, -bound, bound, ErrorKind::rounding);
  point.envelope = bounded_quantity(values.envelope, Wide(0), bound, ErrorKind::rounding);
  point.variance =
      bounded_quantity(values.variance, Wide(0), values.variance_bound, ErrorKind::rounding);
  for (auto* quantity : {&point.mean, &point.envelope, &point.variance}) {
    relate_to_envelope(**quantity, values.envelope.value);
  }
  const bool met = meets_promise(*point.mean, values.envelope.value) &&
                   meets_promise(*point.variance, point.variance->estimate.wide());
  point.status = met ? Status::converged : Status::target_not_met;
  return point;
}

/// E |q_i| and E |k_j| products bound the terms of every mean: their sum over used pairs.
Wide term_size(const RotaryScore& score, const TokenTable& table) {
  const std::uint32_t dim = table.head_dim;
  std::vector<Real> q(dim, 0), k(dim, 0);
  for (std::size_t t = 0; t < table.tokens; ++t) {
    for (std::uint32_t i = 0; i < dim; ++i) {
      q[i] += std::abs(table.queries[t * dim + i]);
      k[i] += std::abs(table.keys[t * dim + i]);
    }
  }
  Real sum = 0;
  for (const RotaryPair& pair : score.pairs) {
    sum += static_cast<Real>(pair.weight) * (q[pair.first] + q[pair.second]) *
           (k[pair.first] + k[pair.second]);
  }
  for (const std::uint32_t i : score.plain) sum += q[i] * k[i];
  const auto tokens = static_cast<Real>(table.tokens);
  return score.scale * Wide(sum / (tokens * tokens));
}

std::vector<CurvePoint> independent_points(const CurveTask& task, const RotaryScore& score,
                                           const TokenTable& table, const Wide& h) {
  GaussianModel model;
  model.head_dim = table.head_dim;
  model.mean.resize(2 * std::size_t{table.head_dim});
  add_side(table.queries, table.tokens, table.head_dim, 0, h, model);
  add_side(table.keys, table.tokens, table.head_dim, table.head_dim, h, model);
  const RotaryMoments moments(score, model);
  // Sums of `tokens` terms in long double stand in the means and covariances.
  const Wide unit = Wide(kRotaryUnit * static_cast<Real>(4 * table.tokens + 64));
  const Wide mean_size = term_size(score, table);
  std::vector<CurvePoint> points;
  for (const std::uint64_t distance : task.distances.distances) {
    throw_if_interrupted();
    const auto [mean, variance] = moments.at(distance);
    RotaryValues values{mean, moments.envelope(distance), variance, moments.variance_bound()};
    values.mean.error += unit * mean_size;
    values.envelope.error += unit * mean_size;
    values.variance.error += 4 * unit * moments.variance_bound();
    points.push_back(rotary_point(score, distance, values));
  }
  return points;
}

/// cos, sin and modulus of every rotated pair at one distance, the score's scale included.
struct Turned {
  std::vector<Real> cosine, sine, weight;
};

Turned turned_at(const RotaryScore& score, std::uint64_t distance) {
  Turned turned;
  for (const RotaryPair& pair : score.pairs) {
    const WideComplex rotation = score.scale * pair.rotation_at(distance);
    turned.cosine.push_back(static_cast<Real>(rotation.re));
    turned.sine.push_back(static_cast<Real>(rotation.im));
    turned.weight.push_back(static_cast<Real>(Wide(score.scale * pair.weight_at(distance))));
  }
  return turned;
}

std::vector<CurvePoint> listed_points(const CurveTask& task, const RotaryScore& score,
                                      const TokenTable& table, const PairLists& lists,
                                      std::size_t begin, std::size_t end, const Wide& bandwidth) {
  const std::size_t dim = table.head_dim, pairs = score.pairs.size();
  const auto scale = static_cast<Real>(score.scale), h = static_cast<Real>(bandwidth);
  std::vector<Turned> turned;
  for (std::size_t d = begin; d < end; ++d) {
    turned.push_back(turned_at(score, task.distances.distances[d]));
  }
  const auto noise_of = [&](const double* row, const Turned& at) {
    Real sum = 0;
    for (std::size_t d = 0; d < pairs; ++d) {
      const Real x = row[score.pairs[d].first], y = row[score.pairs[d].second];
      sum += at.weight[d] * at.weight[d] * (x * x + y * y);
    }
    for (const std::uint32_t i : score.plain) sum += scale * scale * row[i] * row[i];
    return sum;
  };
  std::vector<Real> features(2 * pairs + 1, 0), squares(turned.size(), 0), row(2 * pairs + 1);
  Real sizes = 0, square_sizes = 0;  // of the moduli of a pair's terms, and their squares
  for (std::size_t m = 0; m < table.tokens; ++m) {
    throw_if_interrupted();
    const double* q = &table.queries[m * dim];
    const PairLists::Keys keys = lists.of(m);
    for (std::size_t n = keys.first; n < keys.first + keys.count; ++n) {
      const double* k = &table.keys[n * dim];
      Real size = 0;
      for (std::size_t d = 0; d < pairs; ++d) {
        const Real q1 = q[score.pairs[d].first], q2 = q[score.pairs[d].second];
        const Real k1 = k[score.pairs[d].first], k2 = k[score.pairs[d].second];
        row[2 * d] = q1 * k1 + q2 * k2;
        row[2 * d + 1] = q1 * k2 - q2 * k1;
        size += static_cast<Real>(score.pairs[d].weight) * scale * (std::abs(q1) + std::abs(q2)) *
                (std::abs(k1) + std::abs(k2));
      }
      row.back() = 0;
      for (const std::uint32_t i : score.plain) {
        row.back() += Real(q[i]) * Real(k[i]);
        size += scale * std::abs(Real(q[i]) * Real(k[i]));
      }
      sizes += size;
      square_sizes += size * size;
      for (std::size_t f = 0; f < row.size(); ++f) features[f] += row[f];
      for (std::size_t d = 0; d < turned.size(); ++d) {
        Real value = scale * row.back();
        for (std::size_t i = 0; i < pairs; ++i) {
          value += turned[d].cosine[i] * row[2 * i] + turned[d].sine[i] * row[2 * i + 1];
        }
        squares[d] += value * value + h * h * (noise_of(q, turned[d]) + noise_of(k, turned[d]));
      }
    }
  }
  const auto count = static_cast<Real>(lists.pairs());
  const Wide unit = Wide(kRotaryUnit * (static_cast<Real>(2 * table.tokens) + 4 * Real(dim) + 64));
  std::vector<CurvePoint> points;
  for (std::size_t d = 0; d < turned.size(); ++d) {
    const Turned& at = turned[d];
    Real mean = scale * features.back(), envelope = std::abs(mean), own = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      mean += at.cosine[i] * features[2 * i] + at.sine[i] * features[2 * i + 1];
      envelope += at.weight[i] * std::hypot(features[2 * i], features[2 * i + 1]);
      own += 2 * at.weight[i] * at.weight[i];
    }
    own += scale * scale * static_cast<Real>(score.plain.size());
    mean /= count;
    const Real square = squares[d] / count + h * h * h * h * own;
    const Wide size = Wide(sizes / count);
    // Var = E score^2 - mean^2, each to `unit` of sums of moduli.
    const Wide error = unit * (Wide(square) + 2 * Wide(square_sizes / count) + 2 * size * size);
    RotaryValues values{{Wide(mean), unit * size},
                        {Wide(envelope / count), unit * size},
                        {Wide(square) - Wide(mean) * Wide(mean), error},
                        Wide(square) + error};
    points.push_back(rotary_point(score, task.distances.distances[begin + d], values));
  }
  return points;
}

}  // namespace

std::vector<CurvePoint> smoothed_rotary_points(const CurveTask& task, const RotaryScore& score,
                                               const TokenTable& table, PairRule rule,
                                               const Wide& bandwidth) {
  if (rule == PairRule::all) return independent_points(task, score, table, bandwidth);
  const auto& distances = task.distances.distances;
  const bool each = rule == PairRule::at_distance;
  std::vector<CurvePoint> points;
  for (std::size_t begin = 0; begin < distances.size();) {
    const std::size_t end =
        each ? begin + 1 : std::min(distances.size(), begin + kDistancesTogether);
    const PairLists lists(rule, table.tokens, each ? distances[begin] : 0);
    for (CurvePoint& point : listed_points(task, score, table, lists, begin, end, bandwidth)) {
      points.push_back(std::move(point));
    }
    begin = end;
  }
  return points;
}

}  // namespace tapalab::empirical
