#include "sim/sampling_plan.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "sim/errors.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/sample_block.hpp"

namespace tapalab {
namespace {

using Plan = ScoreSampler::Plan;

// Turns below which a sampled phase is that of the density (monte_carlo.hpp).
constexpr double kCoarseTurns = 0x1p42;
constexpr double kFineTurns = 0x1p66;
// Coordinates that are rounded move a density without atoms by nothing that could be seen; an
// atom's phase moves by 2^-53 of its turns a few times, here below 2^-30.
constexpr double kAtomTurns = 0x1p20;
// Phases from here on take phi in two terms: the rounding of a plain sum, 2^-53 of it a few times,
// stays below 2^-28 turns.
constexpr double kPlainTurns = 0x1p22;
// Phases below this take normals in float: even a sum of coordinates of 24 bits has twelve left.
constexpr double kSingleTurns = 0x1p12;

// `random` is empty for the values of a file: exact, whatever their bits.
bool resolves_finely(const PhaseTables& tables, const std::vector<bool>& random) {
  if (!tables.exact_phase_weights) return false;
  if (random.empty()) return true;
  return tables.phase_linear.empty() &&
         std::all_of(tables.phase.begin(), tables.phase.end(), [&](const FlatBilinearTerm& term) {
           return random[term.query] && random[tables.head_dim + term.key];
         });
}

// Finds what each distance needs, and refuses those that nothing here resolves.
void plan_phases(Plan& plan, const std::vector<bool>& random, bool atoms) {
  const bool gaussian = std::holds_alternative<GaussianSource>(plan.source);
  plan.resolution.assign(plan.distances.size(), gaussian ? Resolution::single : Resolution::plain);
  const auto* tables = std::get_if<PhaseTables>(&plan.tables);
  if (tables == nullptr) return;
  const auto* tokens = std::get_if<TokenSource>(&plan.source);
  const double most = resolves_finely(*tables, random) ? kFineTurns
                      : atoms                          ? kAtomTurns
                                                       : kCoarseTurns;
  BlockWorkspace work(plan);
  double size = -1;  // not known yet
  for (std::size_t i = 0; i < plan.distances.size(); ++i) {
    const std::uint64_t distance = plan.distances[i];
    if (tokens != nullptr && !tokens->has_pairs(distance)) continue;
    if (size < 0 || (tokens != nullptr && tokens->per_distance())) {
      fill_features(plan, {}, {0, kBlockSamples, distance}, false, work);
      double sum = 0;
      for (const double phi : work.phi) sum += phi * phi;
      size = std::sqrt(sum / static_cast<double>(kBlockSamples));
    }
    const double turns = tables->scales[i].hi * size;
    if (turns >= kSingleTurns) plan.resolution[i] = Resolution::plain;
    if (turns >= kPlainTurns) plan.resolution[i] = Resolution::fine;
    if (turns < most) continue;
    throw InputError(
        "--engine: sampling resolves phases in double, and at distance " +
        std::to_string(distance) + " they are of 2^" +
        std::to_string(static_cast<int>(std::min(9999.0, std::floor(std::log2(turns))))) +
        " turns; accepted: below 2^" + std::to_string(std::ilogb(most)) +
        (most == kFineTurns ? ""
                            : " (2^66 where phases are products of coordinates that vary, with "
                              "weights that are doubles)") +
        ", or another engine");
  }
}

template <class Source>
std::shared_ptr<const Plan> make_plan(const ScoreModel& score, std::uint32_t head_dim,
                                      std::vector<std::uint64_t> distances, Source source,
                                      Arrangement arrangement, const std::vector<bool>& random,
                                      bool atoms = false) {
  auto tables = make_score_tables(score, distances);
  const auto plan = std::make_shared<Plan>(
      Plan{head_dim, std::move(tables), std::move(distances), std::move(source), arrangement, {}});
  plan_phases(*plan, random, atoms);
  return plan;
}

SampleSource arranged_source(const DensityLaw& law, const Encoding& encoding,
                             std::uint32_t head_dim, std::uint64_t seed, Arrangement arrangement) {
  const auto gaussian = [&](const GaussianModel& model) -> SampleSource {
    if (arrangement == Arrangement::sobol) return SobolSource(covariance_root(model), seed);
    return GaussianSource(model, seed);
  };
  if (const auto* scalar = std::get_if<GaussianDensity>(&law))
    return gaussian(lower(*scalar, encoding, head_dim));
  if (const auto* full = std::get_if<FullGaussianDensity>(&law))
    return gaussian(lower(*full, head_dim));
  if (const auto* product = std::get_if<ProductDensity>(&law)) {
    ProductModel model = lower(*product, encoding, head_dim);
    if (arrangement == Arrangement::sobol) return SobolSource(std::move(model), seed);
    return ProductSource(std::move(model), seed);
  }
  if (arrangement != Arrangement::independent)
    throw InputError("--estimator: density " + std::string(density_name(law)) +
                     " has no mirror images and no Sobol points; accepted: auto, plain");
  return std::visit([](auto source) -> SampleSource { return source; },
                    make_density_source(law, encoding, head_dim, seed));
}

void check_head_dim(std::uint32_t score, std::uint32_t density) {
  if (score != density) {
    throw InputError("--head-dim: the encoding has head dimension " + std::to_string(score) +
                     " and the density " + std::to_string(density) +
                     "; accepted: the same for both");
  }
}

}  // namespace

ScoreSampler::ScoreSampler(const ScoreModel& score, const GaussianModel& density,
                           std::vector<std::uint64_t> distances, std::uint64_t seed,
                           Arrangement arrangement) {
  check_head_dim(head_dim_of(score), density.head_dim);
  const std::vector<bool> random = random_coordinates(density);
  if (arrangement == Arrangement::sobol) {
    plan_ = make_plan(score, density.head_dim, std::move(distances),
                      SobolSource(covariance_root(density), seed), arrangement, random);
  } else {
    plan_ = make_plan(score, density.head_dim, std::move(distances), GaussianSource(density, seed),
                      arrangement, random);
  }
}

ScoreSampler::ScoreSampler(const ScoreModel& score, const EmpiricalDensity& density,
                           std::vector<std::uint64_t> distances, std::uint64_t seed)
    : ScoreSampler(score, DensityLaw(density), Encoding{}, std::move(distances), seed) {}

ScoreSampler::ScoreSampler(const ScoreModel& score, const DensityLaw& density,
                           const Encoding& encoding, std::vector<std::uint64_t> distances,
                           std::uint64_t seed, Arrangement arrangement) {
  const std::uint32_t head_dim = head_dim_of(score);
  const std::uint32_t dictated = dictated_head_dim(density);
  if (dictated != 0) check_head_dim(head_dim, dictated);
  plan_ = make_plan(score, head_dim, std::move(distances),
                    arranged_source(density, encoding, head_dim, seed, arrangement), arrangement,
                    random_coordinates(density, encoding, head_dim), has_atoms(density));
}

bool ScoreSampler::draws_single(std::size_t distance) const {
  return plan_->resolution[distance] == Resolution::single;
}

}  // namespace tapalab
