#include "analysis/empirical.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cmath>
#include <limits>

#include "analysis/empirical_pairs.hpp"
#include "sim/errors.hpp"
#include "sim/io/token_reader.hpp"

namespace tapalab {
namespace {

double pair_count(const EmpiricalDensity& density, std::size_t tokens) {
  const auto t = static_cast<double>(tokens);
  switch (density.pairs) {
    case PairRule::all:
      return t * t;
    case PairRule::causal:
      return t * (t + 1) / 2;
    default:
      return t;
  }
}

constexpr double kMostBytes = 4e9;

/// What rotary_points keeps for dense pairs: two and a half D x D matrices of double per block.
double moment_bytes(const EmpiricalDensity& density, const TokenTable& table) {
  if (density.pairs == PairRule::shuffled || density.pairs == PairRule::at_distance) return 0;
  const double dim = table.head_dim;
  return 20 * dim * dim * static_cast<double>(empirical::make_blocks(table.tokens).count());
}

}  // namespace

double empirical_cost(const CurveTask& task) {
  const auto* density = std::get_if<EmpiricalDensity>(&task.density.law);
  if (density == nullptr || !density->table) return 0;
  const double pairs = pair_count(*density, density->table->tokens);
  const bool rotary = std::holds_alternative<RotaryScore>(lower(task.encoding, task.head_dim));
  if (rotary && moment_bytes(*density, *density->table) > kMostBytes)
    return std::numeric_limits<double>::infinity();
  const auto distances = static_cast<double>(task.distances.distances.size());
  if (!rotary) return pairs * distances;
  const double dim = task.head_dim;
  const auto blocks = static_cast<double>(empirical::make_blocks(density->table->tokens).count());
  const bool dense = density->pairs == PairRule::all || density->pairs == PairRule::causal;
  // Additions and products run at about eight to a cosine.
  double products = dense ? blocks * blocks * dim * dim / 2 : pairs * dim;
  if (density->pairs == PairRule::causal) products += pairs * dim / blocks;
  return products * distances / 8;
}

DistanceCurve empirical_curve(const CurveTask& task) {
  const auto* density = std::get_if<EmpiricalDensity>(&task.density.law);
  if (density == nullptr)
    throw InputError(
        fmt::format("density {}: sums over token pairs need density empirical", task.density.spec));
  const auto table = density->table ? density->table
                                    : std::make_shared<const TokenTable>(read_tokens(
                                          density->file, density->query_tensor, density->key_tensor,
                                          density->head, density->skip));
  if (table->head_dim != task.head_dim)
    throw InputError(fmt::format("--head-dim {}: the file's vectors have {} dimensions",
                                 task.head_dim, table->head_dim));
  if (table->tokens < 2)
    throw InputError(fmt::format(
        "density {}: one token allows no interval; at least 2 are accepted", task.density.spec));
  if (!(task.sampling.confidence > 0 && task.sampling.confidence < 1))
    throw InputError(fmt::format("--confidence {}: strictly between 0 and 1 is accepted",
                                 task.sampling.confidence));
  const ScoreModel score = lower(task.encoding, task.head_dim);
  if (std::holds_alternative<RotaryScore>(score) && moment_bytes(*density, *table) > kMostBytes)
    throw InputError(
        fmt::format("density {}: the second moments of {} dimensions in blocks take {:.2g} bytes; "
                    "at most {:.2g} are "
                    "accepted: take --engine mc",
                    task.density.spec, task.head_dim, moment_bytes(*density, *table), kMostBytes));
  if (const double cost = empirical_cost(task); cost > kMostEmpiricalCost)
    throw InputError(fmt::format(
        "density {}: exact sums over its pairs at {} distances cost {:.2g} cosines; at most {:.2g} "
        "are accepted: take --engine mc, fewer distances, or skip= tokens",
        task.density.spec, task.distances.distances.size(), cost, kMostEmpiricalCost));

  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  curve.seed = task.sampling.seed;
  if (density->pairs != PairRule::at_distance)
    curve.samples = static_cast<std::uint64_t>(pair_count(*density, table->tokens));
  if (const auto* phase = std::get_if<PhaseScore>(&score))
    curve.points = empirical::phase_points(task, *phase, *table, density->pairs);
  else
    curve.points =
        empirical::rotary_points(task, std::get<RotaryScore>(score), *table, density->pairs);
  return curve;
}

namespace empirical {

int worker_count(const CurveTask& task) {
  return task.sampling.threads == 0 ? omp_get_max_threads()
                                    : static_cast<int>(task.sampling.threads);
}

void finish_point(const CurveTask& task, CurvePoint& point) {
  if (!point.mean) return;
  const Wide envelope = point.envelope->estimate.wide();
  const bool beyond_noise = point.envelope->error.lower.sign() > 0;
  for (auto* member : {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
    if (!*member) continue;
    Quantity& quantity = **member;
    const Wide lower = quantity.error.lower.wide(), upper = quantity.error.upper.wide();
    if (!isfinite(quantity.estimate.wide()) || !isfinite(lower) || !isfinite(upper))
      throw InputError(fmt::format(
          "density {}: the products of its values leave the range of double", task.density.spec));
    quantity.sign_resolved = lower > 0 || upper < 0 || (lower == 0 && upper == 0);
    if (beyond_noise) relate_to_envelope(quantity, envelope);
  }
  const auto& mean = *point.mean;
  const Wide size = abs(mean.estimate.wide()), error = mean.error.absolute.wide();
  const auto& sampling = task.sampling;
  const bool missed = (sampling.rel_tol && error > Wide(*sampling.rel_tol) * size) ||
                      (sampling.abs_tol && error > Wide(*sampling.abs_tol));
  point.status = missed                ? Status::target_not_met
                 : !mean.sign_resolved ? Status::unresolved
                                       : Status::converged;
}

}  // namespace empirical
}  // namespace tapalab
