#include "analysis/histogram.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "analysis/pair_draws.hpp"
#include "analysis/smoothed_curve.hpp"
#include "sim/backend.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/moment_order.hpp"
#include "sim/mutants.hpp"
#include "sim/random/bounded.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kLargestDistance = (std::uint64_t{1} << 63) - 1;
/// Samples whose distances are tabled together.
constexpr std::uint64_t kChunk = 1 << 15;
constexpr std::uint64_t kDeviceChunk = 1 << 20;
/// Distances of both ranges whose expected mean is computed.
constexpr std::uint64_t kMostExpected = 20'000;

void check(const HistogramTask& task) {
  for (const DistanceRange& range : {task.near, task.far})
    if (range.first > range.last || range.last > kLargestDistance)
      throw InputError("distance range: accepted is FIRST:LAST with 0 <= FIRST <= LAST <= 2^63-1");
  if (task.pairs < 2 || task.pairs > kMostPairs)
    throw InputError("--pairs: accepted are 2 to " + std::to_string(kMostPairs));
  if (task.bins < 1 || task.bins > 10'000) throw InputError("--bins: accepted are 1 to 10000");
}

std::uint64_t drawn_distance(const DistanceRange& range, std::uint64_t sample, std::uint32_t draw,
                             PhiloxKey key) {
  return range.first + bounded_uniform(range.size(), sample, draw, Stream::distance, key);
}

/// Every distance of the range where there are fewer of them than samples, else nothing.
std::vector<std::uint64_t> all_distances(const HistogramTask& task) {
  std::vector<std::uint64_t> all;
  if (task.near.size() > task.pairs || task.far.size() > task.pairs) return all;
  for (const DistanceRange& range : {task.near, task.far})
    for (std::uint64_t i = 0; i < range.size(); ++i) all.push_back(range.first + i);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// a - b of distances, rounded once.
double signed_difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<double>(static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b));
}

struct DrawnDistances {
  std::vector<std::uint64_t> near, far;
};

std::vector<std::uint64_t> distinct(const DrawnDistances& drawn) {
  std::vector<std::uint64_t> all = drawn.near;
  all.insert(all.end(), drawn.far.begin(), drawn.far.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Scores of kLanes samples, each at a distance of its own.
class LaneScores {
 public:
  LaneScores(const ScoreTables& tables, const double* x) : tables_(tables) {
    const BlockKernels& kernels = block_kernels(simd_level());
    if (const auto* phase = std::get_if<PhaseTables>(&tables)) {
      A_.resize(kLanes);
      B_.resize(kLanes);
      plain_.resize(kLanes);
      kernels.phase_features(*phase, x, A_.data(), B_.data());
      kernels.fine_phi(*phase, x, B_.data(), plain_.data());
      return;
    }
    const auto& rotary = std::get<RotaryTables>(tables);
    A_.resize(rotary.pairs.size() * kLanes);
    B_.resize(A_.size());
    plain_.resize(kLanes);
    kernels.rotary_features(rotary, x, A_.data(), B_.data(), plain_.data());
  }

  double at(int lane, std::size_t distance_index) const {
    const auto index = static_cast<std::size_t>(lane);
    if (const auto* phase = std::get_if<PhaseTables>(&tables_))
      return score<DoublePrecision>(A_[index], TwoTerm<double>{B_[index], plain_[index]},
                                    phase->scales[distance_index]);
    const auto& rotary = std::get<RotaryTables>(tables_);
    const std::size_t pairs = rotary.pairs.size();
    double sum = plain_[index];
    for (std::size_t d = 0; d < pairs; ++d) {
      const std::size_t i = d * kLanes + index;
      sum =
          add_rotary<DoublePrecision>(sum, A_[i], B_[i], rotary.angles[distance_index * pairs + d]);
    }
    return sum;
  }

 private:
  const ScoreTables& tables_;
  // of phase scores: amplitude, and phi in two terms
  std::vector<double> A_, B_, plain_;
};

/// Samples from `begin` on, with the places of their distances among those of the tables.
struct DifferenceChunk {
  std::uint64_t begin;
  std::vector<std::uint32_t> near, far;
};

std::vector<std::uint32_t> distance_places(const std::vector<std::uint64_t>& drawn,
                                           const std::vector<std::uint64_t>& distances) {
  std::vector<std::uint32_t> places;
  places.reserve(drawn.size());
  for (const std::uint64_t distance : drawn) {
    places.push_back(static_cast<std::uint32_t>(
        std::lower_bound(distances.begin(), distances.end(), distance) - distances.begin()));
  }
  return places;
}

void host_differences(const ScoreTables& tables, const PairDraws& draws,
                      const DifferenceChunk& chunk, unsigned threads, double* differences) {
  const std::size_t count = chunk.near.size();
  const auto groups = static_cast<std::int64_t>((count + kLanes - 1) / kLanes);
  const int workers = threads != 0 ? static_cast<int>(threads) : omp_get_max_threads();
#pragma omp parallel num_threads(workers)
  {
    std::vector<double> x(2 * std::size_t{draws.head_dim()} * kLanes);
#pragma omp for schedule(static)
    for (std::int64_t group = 0; group < groups; ++group) {
      const auto first = static_cast<std::size_t>(group) * kLanes;
      draws.lanes(chunk.begin + first, x.data());
      const LaneScores scores(tables, x.data());
      for (int lane = 0; lane < kLanes; ++lane) {
        const std::size_t i = first + static_cast<std::size_t>(lane);
        if (i >= count) break;
        differences[i] = scores.at(lane, chunk.near[i]) - scores.at(lane, chunk.far[i]);
      }
    }
  }
}

std::unique_ptr<DeviceDifferences> device_differences(const HistogramTask& task,
                                                      const ScoreTables& tables) {
  auto result = task.device->differences(tables, task.density.law, task.encoding, task.seed);
  if (!result) throw UnavailableError("--engine gpu: this device does not draw");
  return result;
}

/// The average of the exact means over every distance of both ranges.
std::optional<Quantity> expected_mean(const HistogramTask& task) {
  if (task.near.size() > kMostExpected || task.far.size() > kMostExpected ||
      task.near.size() + task.far.size() > kMostExpected)
    return {};
  Wide mean = 0, error = 0;
  ErrorKind kind = ErrorKind::rounding;
  for (const bool is_near : {true, false}) {
    const DistanceRange& range = is_near ? task.near : task.far;
    CurveTask curve_task;
    curve_task.encoding = task.encoding;
    curve_task.density = task.density;
    curve_task.head_dim = task.head_dim;
    for (std::uint64_t i = 0; i < range.size(); ++i)
      curve_task.distances.distances.push_back(range.first + i);
    curve_task.sampling.threads = task.threads;
    const Engine engine = choose_engine(curve_task).engine;
    const bool tokens = std::holds_alternative<EmpiricalDensity>(task.density.law);
    if ((engine != Engine::exact && engine != Engine::quadrature) ||
        (tokens && !is_smoothed(curve_task)))
      return {};
    const int sign = is_near || mutant("histogram-sign") ? 1 : -1;
    const Wide n(static_cast<double>(range.size()));
    for (const CurvePoint& point : compute_curve(curve_task).points) {
      if (!point.mean) return {};
      mean += sign * point.mean->estimate.wide() / n;
      error += point.mean->error.absolute.wide() / n;
      if (point.mean->error.kind == ErrorKind::quadrature) kind = ErrorKind::quadrature;
    }
  }
  return with_symmetric_error(LogNumber(mean), kind, false,
                              Wide(error + abs(mean) * Wide("1e-40")));
}

}  // namespace

void check_histogram(const HistogramTask& task) {
  check(task);
  check_phases_resolved(task.encoding, task.density, task.head_dim,
                        {task.near.last, task.far.last});
  const PairDraws draws(task.encoding, task.density, task.head_dim, task.seed);
}

std::vector<double> score_differences(const HistogramTask& task) {
  check_histogram(task);
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const PairDraws draws(task.encoding, task.density, task.head_dim, task.seed);
  const PhiloxKey key = stream_key(task.seed);
  std::vector<std::uint64_t> distances = all_distances(task);
  const bool tabled = !distances.empty();
  ScoreTables tables = make_score_tables(model, distances);
  std::unique_ptr<DeviceDifferences> on_device;
  if (task.device && tabled) on_device = device_differences(task, tables);
  std::vector<double> differences(task.pairs);
  const auto* rotary = std::get_if<RotaryScore>(&model);
  const double slope = rotary != nullptr ? static_cast<double>(rotary->slope) : 0;
  const std::uint64_t together = task.device && tabled ? kDeviceChunk : kChunk;
  for (std::uint64_t begin = 0; begin < task.pairs; begin += together) {
    throw_if_interrupted();
    const std::uint64_t count = std::min(together, task.pairs - begin);
    DrawnDistances drawn;
    for (std::uint64_t i = 0; i < count; ++i) {
      drawn.near.push_back(drawn_distance(task.near, begin + i, 0, key));
      drawn.far.push_back(drawn_distance(task.far, begin + i, 1, key));
    }
    if (!tabled) {
      distances = distinct(drawn);
      tables = make_score_tables(model, distances);
      if (task.device) on_device = device_differences(task, tables);
    }
    const DifferenceChunk chunk{begin, distance_places(drawn.near, distances),
                                distance_places(drawn.far, distances)};
    double* out = differences.data() + begin;
    if (on_device) {
      on_device->fill(begin, chunk.near, chunk.far, out);
    } else {
      host_differences(tables, draws, chunk, task.threads, out);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      out[i] += slope * signed_difference(drawn.far[i], drawn.near[i]);
    }
  }
  return differences;
}

ScoreHistogram score_histogram(const HistogramTask& task) {
  check_sampled_mean(task.density.law, "--density");
  const std::vector<double> differences = score_differences(task);
  ScoreHistogram result;
  result.task = task;
  Moments moments;
  for (const double value : differences) moments.add(value);
  if (!std::isfinite(moments.mean) || !std::isfinite(moments.m4))
    throw InputError("histogram: score differences leave the range of double");
  if (moments.m2 > 0 && moments.m4 < 1e-290)
    throw InputError(
        "histogram: score differences are too small for their fourth powers in double; accepted: "
        "scales that keep them above about 1e-70");
  const auto [least, most] = std::minmax_element(differences.begin(), differences.end());
  result.smallest = *least;
  result.largest = *most;
  result.mean =
      with_confidence(moments.mean, mean_interval(moments, task.confidence), task.confidence);
  const Interval variance = variance_interval(moments, task.confidence);
  result.standard_deviation =
      with_confidence(std::sqrt(sample_variance(moments)),
                      {std::sqrt(variance.lower), std::sqrt(variance.upper)}, task.confidence);
  result.spread_unavailable = spread_unavailable(task.density.law);
  result.expected_mean = expected_mean(task);

  // one value alone gets a bin around it
  const double width = *most > *least ? (*most - *least) / static_cast<double>(task.bins)
                                      : std::max(1e-9, 1e-9 * std::abs(*least));
  const double start =
      *most > *least ? *least : *least - width * static_cast<double>(task.bins) / 2;
  for (std::size_t i = 0; i < task.bins; ++i)
    result.bins.push_back(
        {start + width * static_cast<double>(i), start + width * static_cast<double>(i + 1), 0});
  for (const double value : differences) {
    const double place = std::floor((value - start) / width);
    const double last = static_cast<double>(task.bins - 1);
    auto bin = static_cast<std::size_t>(std::clamp(place, 0.0, last));
    // the edges as printed decide, not the quotient's rounding
    if (bin > 0 && value < result.bins[bin].low) --bin;
    if (bin + 1 < task.bins && value >= result.bins[bin].high) ++bin;
    ++result.bins[bin].count;
  }
  return result;
}

}  // namespace tapalab
