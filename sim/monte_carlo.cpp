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
#include "sim/errors.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/pair_source.hpp"

namespace tapalab {

void ScoreMoments::merge(const ScoreMoments& other) {
  score.merge(other.score);
  sine.merge(other.sine);
  excess.merge(other.excess);
}

void CurveMoments::merge(const CurveMoments& other) {
  if (other.points.empty()) return;
  if (points.empty()) {
    points = other.points;
    return;
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i].merge(other.points[i]);
}

struct ScoreSampler::Plan {
  std::uint32_t head_dim;
  ScoreTables tables;
  std::vector<std::uint64_t> distances;
  std::variant<GaussianSource, TokenSource, ProductSource> source;
};

namespace {

using Plan = ScoreSampler::Plan;

// Arrays that one thread uses for block after block.
struct Workspace {
  std::vector<double> x, amplitude, phi;  // phase scores
  std::vector<double> A, B, plain;        // rotary scores
  std::vector<double> scores, sines, excesses;

  explicit Workspace(const Plan& plan) : x(2 * std::size_t{plan.head_dim} * kLanes) {
    if (const auto* rotary = std::get_if<RotaryTables>(&plan.tables)) {
      A.resize(rotary->pairs.size() * kBlockSamples);
      B.resize(A.size());
      plain.resize(kBlockSamples);
      scores.resize(kDistanceTile * kBlockSamples);
    } else {
      for (auto* array : {&amplitude, &phi, &scores, &sines, &excesses}) {
        array->resize(kBlockSamples);
      }
    }
  }
};

void draw(const Plan& plan, const BlockKernels& kernels, std::uint64_t first,
          std::uint64_t distance, double* x) {
  if (const auto* gaussian = std::get_if<GaussianSource>(&plan.source)) {
    gaussian->lanes(kernels, first, x);
  } else if (const auto* product = std::get_if<ProductSource>(&plan.source)) {
    product->lanes(first, x);
  } else {
    std::get<TokenSource>(plan.source).lanes(first, distance, x);
  }
}

// Draws the block's samples and reduces them to what scores at every distance are made of.
void fill_features(const Plan& plan, const BlockKernels& kernels, std::uint64_t first,
                   std::size_t count, std::uint64_t distance, Workspace& work) {
  for (std::size_t lane = 0; lane < count; lane += kLanes) {
    draw(plan, kernels, first + lane, distance, work.x.data());
    if (const auto* phase = std::get_if<PhaseTables>(&plan.tables)) {
      kernels.phase_features(*phase, work.x.data(), work.amplitude.data() + lane,
                             work.phi.data() + lane);
    } else {
      const auto& rotary = std::get<RotaryTables>(plan.tables);
      const std::size_t group = lane * rotary.pairs.size();
      kernels.rotary_features(rotary, work.x.data(), work.A.data() + group, work.B.data() + group,
                              work.plain.data() + lane);
    }
  }
}

// Moments of the block at distances begin .. end-1, from its features.
void measure(const Plan& plan, const BlockKernels& kernels, std::size_t count, std::size_t begin,
             std::size_t end, Workspace& work, CurveMoments& moments) {
  if (const auto* phase = std::get_if<PhaseTables>(&plan.tables)) {
    for (std::size_t i = begin; i < end; ++i) {
      kernels.phase_scores(work.amplitude.data(), work.phi.data(), phase->scales[i], count,
                           work.scores.data(), work.sines.data(), work.excesses.data());
      moments.points[i].score = kernels.moments(work.scores.data(), count);
      moments.points[i].sine = kernels.moments(work.sines.data(), count);
      moments.points[i].excess = kernels.moments(work.excesses.data(), count);
    }
    return;
  }
  const auto& rotary = std::get<RotaryTables>(plan.tables);
  for (std::size_t tile = begin; tile < end; tile += kDistanceTile) {
    const std::size_t size = std::min(kDistanceTile, end - tile);
    kernels.rotary_scores(work.A.data(), work.B.data(), work.plain.data(), rotary.pairs.size(),
                          rotary.angles.data() + tile * rotary.pairs.size(), size,
                          work.scores.data());
    for (std::size_t i = 0; i < size; ++i) {
      moments.points[tile + i].score =
          kernels.moments(work.scores.data() + i * kBlockSamples, count);
    }
  }
}

CurveMoments sample_block(const Plan& plan, const BlockKernels& kernels, std::uint64_t first,
                          std::size_t count, Workspace& work) {
  CurveMoments moments;
  moments.points.resize(plan.distances.size());
  const auto* tokens = std::get_if<TokenSource>(&plan.source);
  if (tokens == nullptr || !tokens->per_distance()) {
    fill_features(plan, kernels, first, count, 0, work);
    measure(plan, kernels, count, 0, plan.distances.size(), work, moments);
    return moments;
  }
  for (std::size_t i = 0; i < plan.distances.size(); ++i) {
    if (!tokens->has_pairs(plan.distances[i])) continue;
    fill_features(plan, kernels, first, count, plan.distances[i], work);
    measure(plan, kernels, count, i, i + 1, work, moments);
  }
  return moments;
}

// Fourth powers that leave the range of a double would make an interval silently wrong.
void check_range(const Moments& moments, std::uint64_t distance) {
  if (moments.count == 0) return;
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

void check_head_dim(std::uint32_t score, std::uint32_t density) {
  if (score != density) {
    throw InputError("--head-dim: the encoding has head dimension " + std::to_string(score) +
                     " and the density " + std::to_string(density) +
                     "; accepted: the same for both");
  }
}

}  // namespace

ScoreSampler::ScoreSampler(const ScoreModel& score, const GaussianModel& density,
                           std::vector<std::uint64_t> distances, std::uint64_t seed) {
  check_head_dim(head_dim_of(score), density.head_dim);
  auto tables = make_score_tables(score, distances);
  plan_ = std::make_shared<const Plan>(Plan{density.head_dim, std::move(tables),
                                            std::move(distances), GaussianSource(density, seed)});
}

ScoreSampler::ScoreSampler(const ScoreModel& score, const ProductModel& density,
                           std::vector<std::uint64_t> distances, std::uint64_t seed) {
  check_head_dim(head_dim_of(score), density.head_dim);
  auto tables = make_score_tables(score, distances);
  plan_ = std::make_shared<const Plan>(Plan{density.head_dim, std::move(tables),
                                            std::move(distances), ProductSource(density, seed)});
}

ScoreSampler::ScoreSampler(const ScoreModel& score, const EmpiricalDensity& density,
                           std::vector<std::uint64_t> distances, std::uint64_t seed) {
  TokenSource source(density, seed);
  check_head_dim(head_dim_of(score), density.table->head_dim);
  auto tables = make_score_tables(score, distances);
  plan_ = std::make_shared<const Plan>(
      Plan{density.table->head_dim, std::move(tables), std::move(distances), std::move(source)});
}

void ScoreSampler::add(std::uint64_t begin, std::uint64_t end, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress,
                       SamplingState& state) const {
  if (begin % kBlockSamples != 0) {
    throw std::invalid_argument("ScoreSampler: a range begins within a block");
  }
  if (begin >= end) return;
  const Plan& plan = *plan_;
  const BlockKernels& kernels = block_kernels(simd_level());
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
    std::optional<Workspace> work;
#pragma omp for schedule(dynamic, 1)
    for (std::uint64_t unit = first_unit; unit < last_unit; ++unit) {
      if (failed) continue;
      try {
        if (!work) work.emplace(plan);
        SamplingState part;
        const std::uint64_t unit_end = std::min((unit + 1) << level, last_block);
        std::uint64_t samples = 0;
        for (std::uint64_t block = std::max(unit << level, first_block); block < unit_end;
             ++block) {
          const std::uint64_t first = block * kBlockSamples;
          const auto count =
              static_cast<std::size_t>(std::min<std::uint64_t>(kBlockSamples, end - first));
          part.insert(0, block, sample_block(plan, kernels, first, count, *work));
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
  const CurveMoments total = result.total();
  for (std::size_t i = 0; i < total.points.size(); ++i) {
    check_range(total.points[i].score, plan.distances[i]);
  }
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
