// Slow references for the empirical engine: loops over pairs in 57 digits.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "analysis/experiment.hpp"
#include "sim/random/permutation.hpp"
#include "sim/score_model.hpp"

namespace tapalab::testing {

/// Standard normal numbers, the same on every platform (Box-Muller over mt19937_64).
class Normals {
 public:
  explicit Normals(std::uint64_t seed) : engine_(seed) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  std::mt19937_64 engine_;
};

/// tokens x dim of stationary AR(1) sequences of unit variance, x_t = phi x_(t-1) + noise, plus
/// `mean`; queries and keys independent.
inline std::shared_ptr<TokenTable> random_table(std::uint64_t seed, std::size_t tokens,
                                                std::uint32_t dim, double mean, double phi) {
  Normals normal(seed);
  auto table = std::make_shared<TokenTable>();
  table->tokens = tokens;
  table->head_dim = dim;
  for (auto* values : {&table->queries, &table->keys}) {
    std::vector<double> state(dim);
    for (auto& x : state) x = normal();
    for (std::size_t t = 0; t < tokens; ++t)
      for (auto& x : state) {
        values->push_back(mean + x);
        x = phi * x + std::sqrt(1 - phi * phi) * normal();
      }
  }
  return table;
}

inline CurveTask empirical_task(const Encoding& encoding, std::shared_ptr<const TokenTable> table,
                                PairRule rule, std::vector<std::uint64_t> distances) {
  CurveTask task;
  task.encoding = encoding;
  EmpiricalDensity density;
  density.pairs = rule;
  density.table = table;
  task.density = {"empirical", density};
  task.head_dim = table->head_dim;
  task.distances = {"", std::move(distances)};
  return task;
}

/// The (query, key) token pairs of a rule, as theory defines it.
inline std::vector<std::pair<std::size_t, std::size_t>> pairs_of(PairRule rule, std::size_t tokens,
                                                                 std::uint64_t distance) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  const auto partner = shuffled_partner(tokens, kPairingSeed);
  for (std::size_t m = 0; m < tokens; ++m)
    for (std::size_t n = 0; n < tokens; ++n)
      if (rule == PairRule::all || (rule == PairRule::causal && m >= n) ||
          (rule == PairRule::shuffled && n == partner[m]) ||
          (rule == PairRule::at_distance && m >= n && m - n == distance))
        pairs.emplace_back(m, n);
  return pairs;
}

/// Averages over the pairs at one distance.
struct Brute {
  double count = 0;
  long double mean = 0, envelope = 0, second_moment = 0;  ///< of the score
  long double amplitude_square = 0, excess = 0;           ///< phase scores
  long double variance = 0;
};

inline Brute brute(const PhaseScore& score, const TokenTable& table, PairRule rule,
                   std::uint64_t distance) {
  Brute result;
  long double sine = 0, second = 0;
  const Wide s = score.phase_scale(distance);
  for (const auto& [m, n] : pairs_of(rule, table.tokens, distance)) {
    const double* q = &table.queries[m * table.head_dim];
    const double* k = &table.keys[n * table.head_dim];
    Wide a = 0, phi = 0;
    for (const auto& term : score.amplitude)
      a += term.weight * Wide(q[term.query]) * Wide(k[term.key]);
    for (const auto& term : score.phase_bilinear)
      phi += term.weight * Wide(q[term.query]) * Wide(k[term.key]);
    for (const auto& term : score.phase_linear)
      phi += term.weight * Wide(term.coordinate < table.head_dim
                                    ? q[term.coordinate]
                                    : k[term.coordinate - table.head_dim]);
    const auto amplitude = static_cast<long double>(a);
    const auto turns = static_cast<long double>(reduce_turns(s * phi));
    const long double angle = 2 * std::numbers::pi_v<long double> * turns;
    const long double value = amplitude * std::cos(angle);
    result.mean += value;
    sine += amplitude * std::sin(angle);
    result.second_moment += value * value;
    result.amplitude_square += amplitude * amplitude;
    second += amplitude * amplitude * std::cos(2 * angle);
    result.count += 1;
  }
  const auto count = static_cast<long double>(result.count);
  for (auto* sum : {&result.mean, &sine, &result.second_moment, &result.amplitude_square, &second})
    *sum /= count;
  result.envelope = std::hypot(result.mean, sine);
  result.variance = result.second_moment - result.mean * result.mean;
  result.excess = second / 2 - result.mean * result.mean;
  return result;
}

inline Brute brute(const RotaryScore& score, const TokenTable& table, PairRule rule,
                   std::uint64_t distance) {
  Brute result;
  std::vector<long double> cosine, sine, mu(score.pairs.size()), nu(score.pairs.size());
  for (const auto& pair : score.pairs) {
    const Wide turns = reduce_turns(Wide(distance) * pair.frequency_turns);
    const Wide weight = pair.weight * exp(Wide(-pair.decay * Wide(distance)));
    cosine.push_back(static_cast<long double>(Wide(weight * cos_turns(turns))));
    sine.push_back(static_cast<long double>(Wide(weight * sin_turns(turns))));
  }
  const auto scale = static_cast<long double>(score.scale);
  long double plain_mean = 0;
  for (const auto& [m, n] : pairs_of(rule, table.tokens, distance)) {
    const double* q = &table.queries[m * table.head_dim];
    const double* k = &table.keys[n * table.head_dim];
    long double value = 0;
    for (std::size_t d = 0; d < score.pairs.size(); ++d) {
      const std::uint32_t first = score.pairs[d].first, second = score.pairs[d].second;
      const long double a = static_cast<long double>(q[first]) * k[first] +
                            static_cast<long double>(q[second]) * k[second];
      const long double b = static_cast<long double>(q[first]) * k[second] -
                            static_cast<long double>(q[second]) * k[first];
      mu[d] += a;
      nu[d] += b;
      value += a * cosine[d] + b * sine[d];
    }
    for (const auto i : score.plain) {
      value += static_cast<long double>(q[i]) * k[i];
      plain_mean += static_cast<long double>(q[i]) * k[i];
    }
    result.mean += scale * value;
    result.second_moment += scale * scale * value * value;
    result.count += 1;
  }
  const auto count = static_cast<long double>(result.count);
  result.mean /= count;
  result.second_moment /= count;
  result.envelope = scale * std::abs(plain_mean) / count;
  for (std::size_t d = 0; d < mu.size(); ++d)
    result.envelope += scale * std::hypot(mu[d], nu[d]) / count;
  result.variance = result.second_moment - result.mean * result.mean;
  return result;
}

}  // namespace tapalab::testing
