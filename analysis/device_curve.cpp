// The samples of the plain Monte Carlo engine from a device.
#include <algorithm>
#include <optional>
#include <variant>

#include "analysis/experiment.hpp"
#include "analysis/sampling_run.hpp"
#include "sim/backend.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/make_fused_plan.hpp"
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

// A run of distances whose samples come from the same draws.
std::size_t run_length(const ScoreSampler& host, std::size_t first, std::size_t most) {
  std::size_t length = 1;
  while (length < most && host.draws_single(first + length) == host.draws_single(first)) ++length;
  return length;
}

// Draws pairs here, and has them scored by the device: for what it does not draw itself.
class ScoredSamples {
 public:
  explicit ScoredSamples(const CurveTask& task)
      : device_(task.device),
        model_(lower(task.encoding, task.head_dim)),
        distances_(task.distances.distances),
        host_(make_sampler(task)),
        draws_(task) {}

  void operator()(std::uint64_t begin, std::uint64_t end, SamplingState& state) {
    for (std::uint64_t first = begin; first < end; first += kPairsTogether) {
      throw_if_interrupted();
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(kPairsTogether, end - first));
      std::vector<CurveMoments> blocks = moments(first, count);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        state.insert(0, first / kBlockSamples + i, std::move(blocks[i]));
      }
    }
  }

 private:
  std::vector<CurveMoments> moments(std::uint64_t first, std::size_t count) {
    std::vector<CurveMoments> blocks((count + kBlockSamples - 1) / kBlockSamples);
    for (auto& block : blocks) block.points.resize(distances_.size());
    const std::size_t most =
        draws_.per_distance() ? 1 : std::max<std::size_t>(1, kMostScores / kPairsTogether);
    PairBatch batch;
    for (std::size_t d = 0, together = 0; d < distances_.size(); d += together) {
      together = run_length(host_, d, std::min(most, distances_.size() - d));
      const auto begin = distances_.begin() + static_cast<std::ptrdiff_t>(d);
      const std::vector<std::uint64_t> part(begin, begin + static_cast<std::ptrdiff_t>(together));
      if (!draws_.has_pairs(part.front())) continue;
      const bool single = host_.draws_single(d);
      if (d == 0 || draws_.per_distance() || single != host_.draws_single(d - 1)) {
        batch = draws_.batch(first, count, part.front(), single);
      }
      add_blocks(device_->scores(model_, batch, part), count, part.size(), d, blocks);
    }
    return blocks;
  }

  std::shared_ptr<const Backend> device_;
  ScoreModel model_;
  std::vector<std::uint64_t> distances_;
  // Refuses what the host's engine refuses, such as phases that samples in double do not resolve.
  ScoreSampler host_;
  PairDraws draws_;
};

// The Gaussian that a device may draw from itself.
std::optional<GaussianModel> gaussian_model(const CurveTask& task) {
  const auto& law = task.density.law;
  if (const auto* full = std::get_if<FullGaussianDensity>(&law)) {
    return lower(*full, task.head_dim);
  }
  if (const auto* gaussian = std::get_if<GaussianDensity>(&law)) {
    return lower(*gaussian, task.encoding, task.head_dim);
  }
  return std::nullopt;
}

}  // namespace

AddSamples device_samples(const CurveTask& task) {
  const std::string missing =
      task.device == nullptr ? "no device was given" : task.device->unavailable_reason();
  if (!missing.empty()) throw UnavailableError("--engine gpu: " + missing);
  if (const auto gaussian = gaussian_model(task)) {
    std::shared_ptr<const DeviceSampler> sampler =
        task.device->sampler(lower(task.encoding, task.head_dim), *gaussian,
                             task.distances.distances, task.sampling.seed);
    if (sampler) {
      return [sampler](std::uint64_t begin, std::uint64_t end, SamplingState& state) {
        sampler->add(begin, end, state);
      };
    }
  }
  return [samples = std::make_shared<ScoredSamples>(task)](std::uint64_t begin, std::uint64_t end,
                                                           SamplingState& state) {
    (*samples)(begin, end, state);
  };
}

bool has_companions(const CurveTask& task) {
  if (task.engine != Engine::gpu) return true;
  const auto gaussian = gaussian_model(task);
  return gaussian && make_fused_plan(lower(task.encoding, task.head_dim), *gaussian,
                                     task.distances.distances, task.sampling.seed);
}

DistanceCurve device_curve(const CurveTask& task) { return monte_carlo_curve(task); }

}  // namespace tapalab
