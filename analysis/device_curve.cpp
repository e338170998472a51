// The samples of the plain Monte Carlo engine, with their scores from a device.
#include <algorithm>
#include <variant>

#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "analysis/sampling_run.hpp"
#include "analysis/score_offset.hpp"
#include "sim/backend.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/monte_carlo.hpp"

namespace tapalab {
namespace {

// One call to the device: enough pairs to fill it, few enough for the memory of the host.
constexpr std::size_t kPairsTogether = 64 * kBlockSamples;
constexpr std::size_t kMostScores = std::size_t{1} << 25;

/// Draws pairs as the host's engine does (sim/monte_carlo.cpp): sample i is the same pair.
class PairDraws {
 public:
  explicit PairDraws(const CurveTask& task)
      : head_dim_(task.head_dim),
        source_(make_density_source(task.density.law, task.encoding, task.head_dim,
                                    task.sampling.seed)),
        lanes_(std::size_t{2} * task.head_dim * kLanes) {
    if (const auto* gaussian = std::get_if<GaussianSource>(&source_)) {
      normals_.resize(gaussian->single_normals());
    }
  }

  /// True where every distance has draws of its own.
  bool per_distance() const {
    const auto* tokens = std::get_if<TokenSource>(&source_);
    return tokens != nullptr && tokens->per_distance();
  }
  bool has_pairs(std::uint64_t distance) const {
    const auto* tokens = std::get_if<TokenSource>(&source_);
    return tokens == nullptr || !tokens->per_distance() || tokens->has_pairs(distance);
  }

  /// `single`: from normals in float (ScoreSampler::draws_single).
  PairBatch batch(std::uint64_t first, std::size_t count, std::uint64_t distance, bool single) {
    const std::size_t dim = head_dim_;
    PairBatch batch{count, head_dim_, std::vector<double>(count * dim),
                    std::vector<double>(count * dim)};
    for (std::size_t begin = 0; begin < count; begin += kLanes) {
      draw(first + begin, distance, single);
      const std::size_t filled = std::min<std::size_t>(kLanes, count - begin);
      for (std::size_t lane = 0; lane < filled; ++lane) {
        for (std::size_t c = 0; c < dim; ++c) {
          batch.queries[(begin + lane) * dim + c] = lanes_[c * kLanes + lane];
          batch.keys[(begin + lane) * dim + c] = lanes_[(dim + c) * kLanes + lane];
        }
      }
    }
    return batch;
  }

 private:
  void draw(std::uint64_t first, std::uint64_t distance, bool single) {
    const SimdLevel level = simd_level();
    if (const auto* gaussian = std::get_if<GaussianSource>(&source_); gaussian && single) {
      gaussian->single_lanes(normal_kernels(level), first, normals_.data(), lanes_.data());
      return;
    }
    draw_lanes(source_, block_kernels(level), first, distance, lanes_.data());
  }

  std::uint32_t head_dim_;
  DensitySource source_;
  std::vector<float> normals_;
  std::vector<double> lanes_;
};

// Moments of each distance over one block of samples, scores pair by pair.
void add_blocks(const std::vector<double>& scores, std::size_t count, std::size_t distances,
                std::size_t first_distance, std::vector<CurveMoments>& blocks) {
  const BlockKernels& kernels = block_kernels(simd_level());
  std::vector<double> column(kBlockSamples);
  for (std::size_t begin = 0; begin < count; begin += kBlockSamples) {
    const std::size_t size = std::min(kBlockSamples, count - begin);
    for (std::size_t d = 0; d < distances; ++d) {
      for (std::size_t i = 0; i < size; ++i) column[i] = scores[(begin + i) * distances + d];
      blocks[begin / kBlockSamples].points[first_distance + d].score =
          kernels.moments(column.data(), size);
    }
  }
}

Quantity sampled(double estimate, const Interval& interval, double level) {
  Quantity quantity;
  quantity.estimate = LogNumber(estimate);
  quantity.error.kind = ErrorKind::confidence;
  quantity.error.level = level;
  quantity.error.lower = LogNumber(interval.lower);
  quantity.error.upper = LogNumber(interval.upper);
  quantity.error.absolute =
      LogNumber(std::max({0.0, interval.upper - estimate, estimate - interval.lower}));
  quantity.sign_resolved =
      interval.lower > 0 || interval.upper < 0 || (interval.lower == 0 && interval.upper == 0);
  return quantity;
}

CurvePoint point_of(std::uint64_t distance, const Moments& moments, double level) {
  CurvePoint point;
  point.distance = distance;
  point.engine = Engine::gpu;
  if (moments.count < 2) return point;  // no pair of tokens at this distance
  point.mean = sampled(moments.mean, mean_interval(moments, level), level);
  point.variance = sampled(sample_variance(moments), variance_interval(moments, level), level);
  point.status = point.mean->sign_resolved ? Status::converged : Status::unresolved;
  return point;
}

// A run of distances whose samples come from the same draws.
std::size_t run_length(const ScoreSampler& host, std::size_t first, std::size_t most) {
  std::size_t length = 1;
  while (length < most && host.draws_single(first + length) == host.draws_single(first)) ++length;
  return length;
}

}  // namespace

DistanceCurve device_curve(const CurveTask& task) {
  const std::string missing =
      task.device == nullptr ? "no device was given" : task.device->unavailable_reason();
  if (!missing.empty()) throw UnavailableError("--engine gpu: " + missing);
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const auto& distances = task.distances.distances;
  const std::uint64_t samples = task.sampling.samples;
  // Refuses what the host's engine refuses, such as phases that samples in double do not resolve.
  const ScoreSampler host = make_sampler(task);
  PairDraws draws(task);
  SamplingState state;
  for (std::uint64_t first = 0; first < samples; first += kPairsTogether) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kPairsTogether, samples - first));
    std::vector<CurveMoments> blocks((count + kBlockSamples - 1) / kBlockSamples);
    for (auto& block : blocks) block.points.resize(distances.size());
    const std::size_t most =
        draws.per_distance() ? 1 : std::max<std::size_t>(1, kMostScores / kPairsTogether);
    PairBatch batch;
    for (std::size_t d = 0, together = 0; d < distances.size(); d += together) {
      throw_if_interrupted();
      together = run_length(host, d, std::min(most, distances.size() - d));
      const auto begin = distances.begin() + static_cast<std::ptrdiff_t>(d);
      const std::vector<std::uint64_t> part(begin, begin + static_cast<std::ptrdiff_t>(together));
      if (!draws.has_pairs(part.front())) continue;
      const bool single = host.draws_single(d);
      if (d == 0 || draws.per_distance() || single != host.draws_single(d - 1)) {
        batch = draws.batch(first, count, part.front(), single);
      }
      add_blocks(task.device->scores(model, batch, part), count, part.size(), d, blocks);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      state.insert(0, first / kBlockSamples + i, std::move(blocks[i]));
    }
    if (task.progress) {
      task.progress(static_cast<double>(first + count) / static_cast<double>(samples));
    }
  }
  DistanceCurve curve{task.encoding, task.density, task.head_dim, task.sampling.seed, samples, {}};
  const CurveMoments total = state.total();
  for (std::size_t i = 0; i < distances.size(); ++i) {
    CurvePoint point = point_of(distances[i], total.points[i].score, task.sampling.confidence);
    add_offset(point, score_offset(model, distances[i]));
    if (point.mean) {
      point.status = point.mean->sign_resolved ? Status::converged : Status::unresolved;
    }
    curve.points.push_back(std::move(point));
  }
  return curve;
}

}  // namespace tapalab
