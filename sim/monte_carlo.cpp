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
#include <utility>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/sample_block.hpp"
#include "sim/sampling_plan.hpp"

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

void ScoreSampler::add(std::uint64_t begin, std::uint64_t end, unsigned threads,
                       const std::function<void(std::uint64_t)>& progress,
                       SamplingState& state) const {
  if (begin % kBlockSamples != 0) {
    throw std::invalid_argument("ScoreSampler: a range begins within a block");
  }
  if (begin >= end) return;
  const Plan& plan = *plan_;
  const SamplerKernels kernels;
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
    std::optional<BlockWorkspace> work, mirror;
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
