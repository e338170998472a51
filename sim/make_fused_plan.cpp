#include "sim/make_fused_plan.hpp"

#include <algorithm>
#include <cmath>

#include "sim/gaussian_sampler.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {
namespace {

constexpr std::uint32_t kMostFusedDim = 1024;

// The law of pair i, where coordinates i and D + i depend on each other alone.
std::optional<FusedLaw> pair_law(const SparseRoot& root, std::uint32_t head_dim, std::uint32_t i) {
  const std::uint32_t key = head_dim + i;
  FusedLaw law{root.mean[i], 0, root.mean[key], 0, 0};
  for (std::uint32_t e = root.begin[i]; e < root.begin[i + 1]; ++e) {
    if (root.entries[e].column != i) return std::nullopt;
    law.scale_q = root.entries[e].weight;
  }
  for (std::uint32_t e = root.begin[key]; e < root.begin[key + 1]; ++e) {
    const auto [column, unused, weight] = root.entries[e];
    if (column != i && column != key) return std::nullopt;
    (column == i ? law.slope : law.spread) = weight;
  }
  return law;
}

// The law that pairs begin .. end-1 share.
std::optional<FusedLaw> shared_law(const SparseRoot& root, std::uint32_t head_dim,
                                   std::uint32_t begin, std::uint32_t end) {
  const auto first = pair_law(root, head_dim, begin);
  for (std::uint32_t i = begin + 1; first && i < end; ++i) {
    if (pair_law(root, head_dim, i) != first) return std::nullopt;
  }
  return first;
}

// Terms q_i k_i, i = first, first + 1, ..., of weight 1.
bool is_diagonal(const std::vector<FlatBilinearTerm>& terms, std::uint32_t first) {
  for (const FlatBilinearTerm& term : terms) {
    if (term.query != first || term.key != first || term.weight != 1) return false;
    ++first;
  }
  return true;
}

// Terms q_i + k_i over i = first .. head_dim - 1, of weight 1.
bool is_sum(const std::vector<FlatLinearTerm>& terms, std::uint32_t first, std::uint32_t head_dim) {
  std::vector<bool> seen(2 * std::size_t{head_dim}, false);
  for (const FlatLinearTerm& term : terms) {
    if (term.weight != 1 || term.coordinate % head_dim < first || seen[term.coordinate]) {
      return false;
    }
    seen[term.coordinate] = true;
  }
  return terms.size() == 2 * std::size_t{head_dim - first};
}

bool plan_phase(const PhaseTables& tables, const SparseRoot& root, FusedPlan& plan) {
  const std::uint32_t dim = tables.head_dim;
  const auto amplitude = static_cast<std::uint32_t>(tables.amplitude.size());
  if (amplitude == 0 || amplitude >= dim || amplitude % 4 != 0 || dim % 4 != 0 ||
      !is_diagonal(tables.amplitude, 0)) {
    return false;
  }
  if (tables.phase_linear.empty()) {
    if (tables.phase.size() != dim - amplitude || !is_diagonal(tables.phase, amplitude)) {
      return false;
    }
    plan.kind = FusedKind::bilinear;
  } else {
    if (!tables.phase.empty() || !is_sum(tables.phase_linear, amplitude, dim)) return false;
    plan.kind = FusedKind::linear;
  }
  const auto first = shared_law(root, dim, 0, amplitude);
  const auto second = shared_law(root, dim, amplitude, dim);
  if (!first || !second) return false;
  plan.amplitude_dim = amplitude;
  plan.amplitude = *first;
  plan.phase = *second;
  plan.scale = tables.amplitude_scale;
  plan.scales = tables.scales;
  return true;
}

// The rotary kernels sum products in float, which keeps 2^-24 of each: large means would show in
// the intervals of many samples. Such laws are drawn and scored in double.
bool resolved_in_float(const FusedLaw& law) {
  const double sd_k = std::max(law.spread, std::abs(law.slope) * std::min(1.0, law.scale_q));
  const auto usual = [](double mean, double sd) {
    return sd >= 1e-12 && sd <= 1e12 && std::abs(mean) <= 2 * sd;
  };
  return usual(law.mean_q, law.scale_q) && usual(law.mean_k, sd_k);
}

bool plan_rotary(const RotaryTables& tables, const SparseRoot& root, FusedPlan& plan) {
  const std::uint32_t dim = tables.head_dim, half = dim / 2;
  if (dim % 8 != 0 || tables.pairs.size() != half || !tables.plain.empty()) return false;
  bool adjacent = true, halves = true;
  for (std::uint32_t d = 0; d < half; ++d) {
    const FlatRotaryPair pair = tables.pairs[d];
    adjacent = adjacent && pair.first == 2 * d && pair.second == 2 * d + 1;
    halves = halves && pair.first == d && pair.second == d + half;
  }
  const auto law = shared_law(root, dim, 0, dim);
  if ((!adjacent && !halves) || !law || !resolved_in_float(*law)) return false;
  plan.kind = adjacent ? FusedKind::adjacent : FusedKind::halves;
  plan.amplitude = plan.phase = *law;
  plan.scale = tables.scale;
  plan.angles = tables.angles;
  return true;
}

}  // namespace

std::optional<FusedPlan> make_fused_plan(const ScoreModel& score, const GaussianModel& density,
                                         const std::vector<std::uint64_t>& distances,
                                         std::uint64_t seed) {
  if (head_dim_of(score) != density.head_dim || density.head_dim > kMostFusedDim) {
    return std::nullopt;
  }
  FusedPlan plan;
  plan.head_dim = density.head_dim;
  plan.key = stream_key(seed);
  const SparseRoot root = covariance_root(density);
  const ScoreTables tables = make_score_tables(score, distances);
  const auto* phase = std::get_if<PhaseTables>(&tables);
  const bool known = phase != nullptr ? plan_phase(*phase, root, plan)
                                      : plan_rotary(std::get<RotaryTables>(tables), root, plan);
  if (!known) return std::nullopt;
  return plan;
}

}  // namespace tapalab
