#include "analysis/smoothed_curve.hpp"

#include <fmt/format.h>

#include <limits>

#include "analysis/empirical.hpp"
#include "sim/errors.hpp"
#include "sim/random/permutation.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

bool is_smoothed(const CurveTask& task) {
  const auto* density = std::get_if<EmpiricalDensity>(&task.density.law);
  return density != nullptr && density->bandwidth.compare(0) > 0;
}

double smoothed_cost(const CurveTask& task) {
  const auto& density = std::get<EmpiricalDensity>(task.density.law);
  if (!density.table) return 0;
  const double tokens = static_cast<double>(density.table->tokens), dim = task.head_dim;
  const auto distances = static_cast<double>(task.distances.distances.size());
  const double pairs = density.pairs == PairRule::all      ? tokens * tokens
                       : density.pairs == PairRule::causal ? tokens * (tokens + 1) / 2
                                                           : tokens;
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const bool all = density.pairs == PairRule::all;
  if (const auto* phase = std::get_if<PhaseScore>(&model)) {
    if (phase->amplitude_dim == 0) return std::numeric_limits<double>::infinity();
    const double dA = phase->amplitude_dim;
    if (all && phase->phase_bilinear.empty()) return tokens * dA * dA * distances / 4;
    return pairs * (dim / 8 + 30 * distances);
  }
  return all ? tokens * dim * dim + dim * dim * distances : pairs * dim * distances / 4;
}

DistanceCurve smoothed_curve(const CurveTask& task) {
  const auto& density = std::get<EmpiricalDensity>(task.density.law);
  const TokenTable& table = *density.table;
  if (table.head_dim != task.head_dim)
    throw InputError(fmt::format("--head-dim {}: the file's vectors have {} dimensions",
                                 task.head_dim, table.head_dim));
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const auto* phase = std::get_if<PhaseScore>(&model);
  if (phase != nullptr && phase->amplitude_dim == 0)
    throw InputError(fmt::format(
        "--engine: exact does not apply to {} under {}, whose amplitude and phase share "
        "coordinates that the bandwidth moves; accepted: mc, gpu",
        printable(task.encoding.spec), printable(task.density.spec)));
  if (const double cost = smoothed_cost(task); cost > kMostEmpiricalCost)
    throw InputError(fmt::format(
        "density {}: exact sums over its pairs at {} distances cost {:.2g} cosines; at most {:.2g} "
        "are accepted: take --engine mc, fewer distances, or skip= tokens",
        printable(task.density.spec), task.distances.distances.size(), cost, kMostEmpiricalCost));
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  const Wide bandwidth = density.bandwidth.wide();
  curve.points =
      phase != nullptr
          ? empirical::smoothed_phase_points(task, *phase, table, density.pairs, bandwidth)
          : empirical::smoothed_rotary_points(task, std::get<RotaryScore>(model), table,
                                              density.pairs, bandwidth);
  return curve;
}

namespace empirical {

PairLists::PairLists(PairRule rule, std::size_t tokens, std::uint64_t distance)
    : rule_(rule), tokens_(tokens), distance_(distance) {
  if (rule == PairRule::shuffled) partner_ = shuffled_partner(tokens, kPairingSeed);
}

PairLists::Keys PairLists::of(std::size_t query) const {
  switch (rule_) {
    case PairRule::all:
      return {0, tokens_};
    case PairRule::causal:
      return {0, query + 1};
    case PairRule::shuffled:
      return {partner_[query], 1};
    case PairRule::at_distance:
      if (query < distance_) return {0, 0};
      return {static_cast<std::size_t>(query - distance_), 1};
  }
  return {0, 0};
}

double PairLists::pairs() const {
  double sum = 0;
  for (std::size_t m = 0; m < tokens_; ++m) sum += static_cast<double>(of(m).count);
  return sum;
}

}  // namespace empirical
}  // namespace tapalab
