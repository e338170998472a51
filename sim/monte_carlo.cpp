#include "sim/monte_carlo.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "sim/block_kernels.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/make_score_tables.hpp"

namespace tapalab {

void CurveMoments::merge(const CurveMoments& other) {
  if (other.points.empty()) return;
  if (points.empty()) {
    points = other.points;
    return;
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].merge(other.points[i]);
}

namespace {

// How the phases at a distance are computed.
enum class Resolution {
  single,  // normals in float, phi a plain sum
  plain,   // normals in double, phi a plain sum
  fine,    // normals in double, phi in two terms
};

using SampleSource = std::variant<GaussianSource, TokenSource, ProductSource, MixtureSource,
                                  RadialSource, SobolSource>;

}  // namespace

struct ScoreSampler::Plan {
  std::uint32_t head_dim;
  ScoreTables tables;
  std::vector<std::uint64_t> distances;
  SampleSource source;
  Arrangement arrangement = Arrangement::independent;
  /// Of each distance, by the turns of its phases. What a distance needs does not depend on the
  /// others: where they differ, each kind has its own draws.
  std::vector<Resolution> resolution{};

  bool mirrored() const { return arrangement == Arrangement::mirrored; }
  /// Points of CurveMoments.
  std::size_t points() const {
    return distances.size() * (mirrored()                          ? 2
                               : arrangement == Arrangement::sobol ? std::size_t{kSobolReplicas}
                                                                   : 1);
  }
  bool any(Resolution kind) const {
    return std::find(resolution.begin(), resolution.end(), kind) != resolution.end();
  }
};

namespace {

using Plan = ScoreSampler::Plan;

// Arrays that one thread uses for block after block.
struct Workspace {
  std::vector<float> normals;
  std::vector<double> x, amplitude, phi, phi_hi, phi_lo;  // phase scores
  std::vector<double> A, B, plain;                        // rotary scores
  std::vector<double> scores, sines, excesses, squares;

  explicit Workspace(const Plan& plan) : x(2 * std::size_t{plan.head_dim} * kLanes) {
    if (const auto* gaussian = std::get_if<GaussianSource>(&plan.source)) {
      normals.resize(gaussian->single_normals());
    }
    if (const auto* rotary = std::get_if<RotaryTables>(&plan.tables)) {
      A.resize(rotary->pairs.size() * kBlockSamples);
      B.resize(A.size());
      plain.resize(kBlockSamples);
      scores.resize(kDistanceTile * kBlockSamples);
    } else {
      for (auto* array : {&amplitude, &phi, &phi_hi, &phi_lo, &scores, &sines, &excesses}) {
        array->resize(kBlockSamples);
      }
    }
    if (plan.mirrored()) squares.resize(kBlockSamples);
  }
};

struct Kernels {
  const BlockKernels& block = block_kernels(simd_level());
  const NormalKernels& normal = normal_kernels(simd_level());
};

// The samples of a block: `distance` matters to token pairs at a distance alone.
struct BlockRange {
  std::uint64_t first;
  std::size_t count;
  std::uint64_t distance = 0;
  bool mirrored = false;  ///< the mirror images of the samples
};

void draw(const Plan& plan, const Kernels& kernels, const BlockRange& range, std::uint64_t first,
          bool single, Workspace& work) {
  double* x = work.x.data();
  if (const auto* gaussian = std::get_if<GaussianSource>(&plan.source)) {
    if (single) {
      gaussian->single_lanes(kernels.normal, first, work.normals.data(), x, range.mirrored);
    } else if (range.mirrored) {
      gaussian->mirrored_lanes(first, x);
    } else {
      gaussian->lanes(kernels.block, first, x);
    }
  } else if (const auto* product = std::get_if<ProductSource>(&plan.source)) {
    range.mirrored ? product->mirrored_lanes(first, x) : product->lanes(first, x);
  } else if (const auto* sobol = std::get_if<SobolSource>(&plan.source)) {
    sobol->lanes(first, x);
  } else if (const auto* mixture = std::get_if<MixtureSource>(&plan.source)) {
    mixture->lanes(kernels.block, first, x);
  } else if (const auto* radial = std::get_if<RadialSource>(&plan.source)) {
    radial->lanes(kernels.block, first, x);
  } else {
    std::get<TokenSource>(plan.source).lanes(first, range.distance, x);
  }
}

// Forms that use each coordinate about once are computed without storing x.
bool draws_features(const Plan& plan) {
  const auto* tables = std::get_if<PhaseTables>(&plan.tables);
  return tables != nullptr &&
         tables->amplitude.size() + tables->phase.size() + tables->phase_linear.size() <=
             std::size_t{4} * plan.head_dim;
}

// Draws the block's samples and reduces them to what scores at every distance are made of.
void fill_features(const Plan& plan, const Kernels& kernels, const BlockRange& range, bool single,
                   Workspace& work) {
  const bool fine = !single && plan.any(Resolution::fine);
  if (single && draws_features(plan)) {
    const auto& gaussian = std::get<GaussianSource>(plan.source);
    for (std::size_t lane = 0; lane < range.count; lane += kLanes) {
      gaussian.single_features(kernels.normal, std::get<PhaseTables>(plan.tables),
                               range.first + lane, work.normals.data(),
                               work.amplitude.data() + lane, work.phi.data() + lane,
                               range.mirrored);
    }
    return;
  }
  for (std::size_t lane = 0; lane < range.count; lane += kLanes) {
    draw(plan, kernels, range, range.first + lane, single, work);
    if (const auto* phase = std::get_if<PhaseTables>(&plan.tables)) {
      kernels.block.phase_features(*phase, work.x.data(), work.amplitude.data() + lane,
                                   work.phi.data() + lane);
      if (fine) {
        kernels.block.fine_phi(*phase, work.x.data(), work.phi_hi.data() + lane,
                               work.phi_lo.data() + lane);
      }
    } else {
      const auto& rotary = std::get<RotaryTables>(plan.tables);
      const std::size_t group = lane * rotary.pairs.size();
      kernels.block.rotary_features(rotary, work.x.data(), work.A.data() + group,
                                    work.B.data() + group, work.plain.data() + lane);
    }
  }
}

ScoreMoments phase_moments(const BlockKernels& kernels, std::size_t count, Workspace& work) {
  const Moments score = kernels.moments(work.scores.data(), count);
  return {score, kernels.companion(work.sines.data(), work.scores.data(), count, score),
          kernels.companion(work.excesses.data(), work.scores.data(), count, score)};
}

// What the samples of `work` record at one distance of a phase score.
void phase_scores_at(const Plan& plan, const BlockKernels& kernels, std::size_t count,
                     std::size_t distance, Workspace& work) {
  const TwoTerm<double> scale = std::get<PhaseTables>(plan.tables).scales[distance];
  if (plan.resolution[distance] == Resolution::fine) {
    kernels.fine_scores(work.amplitude.data(), work.phi_hi.data(), work.phi_lo.data(), scale, count,
                        work.scores.data(), work.sines.data(), work.excesses.data());
  } else {
    kernels.phase_scores(work.amplitude.data(), work.phi.data(), scale, count, work.scores.data(),
                         work.sines.data(), work.excesses.data());
  }
}

// Each value with that of its mirror image: their average takes its place.
void average(const std::vector<double>& mirror, std::size_t from, std::size_t count,
             std::vector<double>& values) {
  for (std::size_t i = from; i < from + count; ++i) values[i] = 0.5 * (values[i] + mirror[i]);
}

// Scores become averages of pairs, and `squares` those of their squares.
void average_scores(const Workspace& mirror, std::size_t from, std::size_t count, Workspace& work) {
  for (std::size_t i = 0; i < count; ++i) {
    const double a = work.scores[from + i], b = mirror.scores[from + i];
    work.squares[i] = 0.5 * (a * a + b * b);
  }
  average(mirror.scores, from, count, work.scores);
}

// The tile's distances of a rotary score.
void rotary_scores_at(const Plan& plan, const BlockKernels& kernels, std::size_t tile,
                      std::size_t size, Workspace& work) {
  const auto& rotary = std::get<RotaryTables>(plan.tables);
  kernels.rotary_scores(work.A.data(), work.B.data(), work.plain.data(), rotary.pairs.size(),
                        rotary.angles.data() + tile * rotary.pairs.size(), size,
                        work.scores.data());
}

// Which distances of the block are measured: begin .. end-1 that take such draws.
struct Measured {
  std::size_t count, begin, end;
  bool single;
};

// Moments of the block from its features, and from those of its mirror images where there are any.
// Those of distance i go to points[offset + i].
void measure(const Plan& plan, const BlockKernels& kernels, const Measured& what,
             std::size_t offset, Workspace& work, Workspace* mirror, CurveMoments& moments) {
  const std::size_t squares = plan.distances.size();  // where averages of squares stand
  if (std::holds_alternative<PhaseTables>(plan.tables)) {
    for (std::size_t i = what.begin; i < what.end; ++i) {
      if ((plan.resolution[i] == Resolution::single) != what.single) continue;
      phase_scores_at(plan, kernels, what.count, i, work);
      if (mirror != nullptr) {
        phase_scores_at(plan, kernels, what.count, i, *mirror);
        average_scores(*mirror, 0, what.count, work);
        average(mirror->sines, 0, what.count, work.sines);
        average(mirror->excesses, 0, what.count, work.excesses);
      }
      ScoreMoments& point = moments.points[offset + i];
      point = phase_moments(kernels, what.count, work);
      if (mirror == nullptr) continue;
      moments.points[squares + i] = {
          point.score,
          {},
          kernels.companion(work.squares.data(), work.scores.data(), what.count, point.score)};
    }
    return;
  }
  for (std::size_t tile = what.begin; tile < what.end; tile += kDistanceTile) {
    const std::size_t size = std::min(kDistanceTile, what.end - tile);
    rotary_scores_at(plan, kernels, tile, size, work);
    if (mirror != nullptr) rotary_scores_at(plan, kernels, tile, size, *mirror);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = i * kBlockSamples;
      if (mirror != nullptr) average_scores(*mirror, from, what.count, work);
      const double* scores = work.scores.data() + from;
      const Moments score = kernels.moments(scores, what.count);
      moments.points[offset + tile + i].score = score;
      if (mirror == nullptr) continue;
      moments.points[squares + tile + i] = {
          score, {}, kernels.companion(work.squares.data(), scores, what.count, score)};
    }
  }
}

CurveMoments sample_block(const Plan& plan, const Kernels& kernels, std::uint64_t first,
                          std::size_t count, Workspace& work, Workspace* mirror) {
  CurveMoments moments;
  const std::size_t distances = plan.distances.size();
  moments.points.resize(plan.points());
  const auto* tokens = std::get_if<TokenSource>(&plan.source);
  if (tokens == nullptr || !tokens->per_distance()) {
    const std::size_t offset =
        plan.arrangement == Arrangement::sobol ? sobol_place(first).replica * distances : 0;
    for (const bool single : {true, false}) {
      if (single ? !plan.any(Resolution::single)
                 : !plan.any(Resolution::plain) && !plan.any(Resolution::fine)) {
        continue;
      }
      fill_features(plan, kernels, {first, count}, single, work);
      if (mirror != nullptr) fill_features(plan, kernels, {first, count, 0, true}, single, *mirror);
      measure(plan, kernels.block, {count, 0, distances, single}, offset, work, mirror, moments);
    }
    return moments;
  }
  for (std::size_t i = 0; i < distances; ++i) {
    if (!tokens->has_pairs(plan.distances[i])) continue;
    fill_features(plan, kernels, {first, count, plan.distances[i]}, false, work);
    measure(plan, kernels.block, {count, i, i + 1, false}, 0, work, nullptr, moments);
  }
  return moments;
}

// Fourth powers that leave the range of a double would make an interval silently wrong. Averages
// over pairs may vanish where scores do not, and then their squares are looked at.
void check_point(Moments moments, const CompanionMoments* squares, std::uint64_t distance) {
  if (moments.count == 0) return;
  if (squares != nullptr && moments.m2 == 0) {
    moments = {moments.count, squares->mean, squares->m2, 0, squares->m2};
  }
  const bool too_large = !std::isfinite(moments.mean) || !std::isfinite(moments.m2) ||
                         !std::isfinite(moments.m3) || !std::isfinite(moments.m4);
  const bool too_small = moments.m2 > 0 && moments.m4 < 1e-290;
  const bool vanished = moments.m2 == 0 && std::abs(moments.mean) < 1e-140;
  if (too_large || too_small || vanished) {
    throw InputError("density: at distance " + std::to_string(distance) + " scores are too " +
                     (too_large ? "large" : "small (or all 0)") +
                     " to sample in double; accepted: scales that keep scores between about 1e-70 "
                     "and 1e70");
  }
}

// Ranges of 2^level blocks, aligned: each is one node of the dyadic sum, and one unit of work. Few
// enough to keep merging cheap, many enough to keep threads busy and progress moving.
unsigned unit_level(std::uint64_t blocks) {
  unsigned level = 0;
  while (level < 10 && (blocks >> (level + 1)) >= 512) ++level;
  return level;
}

constexpr std::uint64_t kMostThreads = 4096;

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
  Workspace work(plan);
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

template <class Density>
std::vector<Moments> sample_all(const ScoreModel& score, const Density& density,
                                const std::vector<std::uint64_t>& distances,
                                const MonteCarloRequest& request) {
  if (request.samples < 2) {
    throw InputError("--samples is " + std::to_string(request.samples) +
                     "; accepted: an integer of at least 2");
  }
  SamplingState state;
  ScoreSampler(score, density, distances, request.seed)
      .add(0, request.samples, request.threads, request.progress, state);
  std::vector<Moments> moments;
  for (const auto& point : state.total().points) moments.push_back(point.score);
  return moments;
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

void check_range(const CurveMoments& total, const std::vector<std::uint64_t>& distances,
                 Arrangement arrangement) {
  const bool mirrored = arrangement == Arrangement::mirrored;
  const std::size_t scores = mirrored ? distances.size() : total.points.size();
  for (std::size_t i = 0; i < scores && i < total.points.size(); ++i) {
    check_point(total.points[i].score,
                mirrored ? &total.points[distances.size() + i].excess : nullptr,
                distances[i % distances.size()]);
  }
}

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

void ScoreSampler::add(std::uint64_t begin, std::uint64_t end, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress,
                       SamplingState& state) const {
  if (begin % kBlockSamples != 0) {
    throw std::invalid_argument("ScoreSampler: a range begins within a block");
  }
  if (begin >= end) return;
  const Plan& plan = *plan_;
  const Kernels kernels;
  if (plan.arrangement == Arrangement::sobol && end > kMostSobolSamples) {
    throw InputError("--samples: a run of Sobol points has at most 2^36 samples");
  }
  const std::uint64_t first_block = begin / kBlockSamples;
  const std::uint64_t last_block = (end - 1) / kBlockSamples + 1;
  const unsigned level = unit_level(last_block - first_block);
  const std::uint64_t first_unit = first_block >> level;
  const std::uint64_t last_unit = ((last_block - 1) >> level) + 1;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  const auto team =
      static_cast<int>(std::min<std::uint64_t>({threads, last_unit - first_unit, kMostThreads}));

  SamplingState result = state;
  std::mutex mutex;  // of `result` and `failure`
  std::exception_ptr failure;
  std::atomic<bool> failed{false};
  std::atomic<std::uint64_t> done{0};
  std::uint64_t reported = 0;  // by the first thread of the team alone
#pragma omp parallel num_threads(team)
  {
    std::optional<Workspace> work, mirror;
#pragma omp for schedule(dynamic, 1)
    for (std::uint64_t unit = first_unit; unit < last_unit; ++unit) {
      if (failed) continue;
      try {
        if (!work) work.emplace(plan);
        if (plan.mirrored() && !mirror) mirror.emplace(plan);
        SamplingState part;
        const std::uint64_t unit_end = std::min((unit + 1) << level, last_block);
        std::uint64_t samples = 0;
        for (std::uint64_t block = std::max(unit << level, first_block); block < unit_end;
             ++block) {
          throw_if_interrupted();
          const std::uint64_t first = block * kBlockSamples;
          const auto count =
              static_cast<std::size_t>(std::min<std::uint64_t>(kBlockSamples, end - first));
          part.insert(
              0, block,
              sample_block(plan, kernels, first, count, *work, mirror ? &*mirror : nullptr));
          samples += count;
        }
        done += samples;
        {
          const std::lock_guard lock(mutex);
          result.insert(std::move(part));
        }
        if (progress && omp_get_thread_num() == 0) {
          reported = done;
          progress(reported);
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
  check_range(result.total(), plan.distances, plan.arrangement);
  if (progress && reported != end - begin) progress(end - begin);
  state = std::move(result);
}

std::vector<Moments> sample_scores(const ScoreModel& score, const GaussianModel& density,
                                   const std::vector<std::uint64_t>& distances,
                                   const MonteCarloRequest& request) {
  return sample_all(score, density, distances, request);
}

std::vector<Moments> sample_scores(const ScoreModel& score, const EmpiricalDensity& density,
                                   const std::vector<std::uint64_t>& distances,
                                   const MonteCarloRequest& request) {
  return sample_all(score, density, distances, request);
}

}  // namespace tapalab
