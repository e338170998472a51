#include "gpu/cuda_backend.hpp"

#include "gpu/device_scores.hpp"
#include "gpu/drawn_differences.hpp"
#include "gpu/fused_moments.hpp"
#include "gpu/kernel_scores.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/make_fused_plan.hpp"
#include "sim/make_score_tables.hpp"

namespace tapalab {
namespace {

class FusedSampler final : public DeviceSampler {
 public:
  /// Without distances sums of any size are taken.
  FusedSampler(gpu::FusedRequest request, std::vector<std::uint64_t> distances)
      : distances_(std::move(distances)), fused_(std::move(request)) {}

  void add(std::uint64_t begin, std::uint64_t end, SamplingState& state) const override {
    SamplingState result = state;
    fused_.add(
        begin, end,
        [&](unsigned level, std::uint64_t index, std::vector<ScoreMoments> moments) {
          result.insert(level, index, CurveMoments{std::move(moments)});
        },
        throw_if_interrupted);
    if (!distances_.empty()) check_range(result.total(), distances_);
    state = std::move(result);
  }

 private:
  std::vector<std::uint64_t> distances_;
  gpu::FusedMoments fused_;
};

class CudaDifferences final : public DeviceDifferences {
 public:
  explicit CudaDifferences(const gpu::DrawnPlan& plan) : drawn_(plan) {}
  void fill(std::uint64_t first, const std::vector<std::uint32_t>& near,
            const std::vector<std::uint32_t>& far, double* differences) const override {
    drawn_.fill(first, near, far, differences);
  }

 private:
  gpu::DrawnDifferences drawn_;
};

// The host's first block says where the means are, and its plan which normals are in float.
void follow_host(const ScoreSampler& host, std::size_t distances, gpu::FusedRequest& request) {
  SamplingState pilot;
  host.add(0, kBlockSamples, 1, {}, pilot);
  const CurveMoments total = pilot.total();
  for (std::size_t i = 0; i < distances; ++i) {
    const ScoreMoments& point = total.points[i];
    request.centres.push_back({point.score.mean, point.sine.mean, point.excess.mean});
    request.draws_single.push_back(host.draws_single(i));
  }
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(CudaOptions options) : options_(options) {}

  std::string name() const override { return "cuda"; }
  std::string unavailable_reason() const override {
    const std::string reason = gpu::unavailable_reason();
    if (reason.empty()) gpu::choose_device(options_.device);
    return reason;
  }

  std::vector<double> scores(const ScoreModel& model, const PairBatch& batch,
                             const std::vector<std::uint64_t>& distances) const override {
    check_batch(model, batch);
    gpu::choose_device(options_.device);
    std::vector<double> result(batch.count * distances.size());
    gpu::device_scores(make_score_tables(model, distances), distances.size(), batch.head_dim,
                       batch.count, batch.queries.data(), batch.keys.data(), result.data());
    return result;
  }

  std::unique_ptr<DeviceSampler> sampler(const ScoreModel& score, const GaussianModel& density,
                                         const std::vector<std::uint64_t>& distances,
                                         std::uint64_t seed) const override {
    auto plan = make_fused_plan(score, density, distances, seed);
    if (!plan) return nullptr;
    require();
    gpu::FusedRequest request{std::move(*plan), {}, {}, gpu::Normals::fast};
    if (options_.exact_normals) request.normals = gpu::Normals::exact;
    // Its constructor refuses what samples do not resolve.
    follow_host(ScoreSampler(score, density, distances, seed), distances.size(), request);
    return std::make_unique<FusedSampler>(std::move(request), distances);
  }

  std::unique_ptr<DeviceSampler> drawn_sampler(const ScoreModel& score, const DensityLaw& density,
                                               const Encoding& encoding,
                                               const std::vector<std::uint64_t>& distances,
                                               std::uint64_t seed) const override {
    require();
    const DensitySource source = make_density_source(density, encoding, head_dim_of(score), seed);
    require_pairs(source, distances);
    gpu::FusedRequest request;
    request.drawn = std::make_shared<const gpu::DrawnPlan>(
        gpu::DrawnPlan{make_score_tables(score, distances), draw_tables(source), distances});
    follow_host(ScoreSampler(score, density, encoding, distances, seed), distances.size(), request);
    return std::make_unique<FusedSampler>(std::move(request), distances);
  }

  std::unique_ptr<DeviceDifferences> differences(const ScoreTables& tables,
                                                 const DensityLaw& density,
                                                 const Encoding& encoding,
                                                 std::uint64_t seed) const override {
    require();
    const std::uint32_t head_dim = std::visit([](const auto& t) { return t.head_dim; }, tables);
    gpu::DrawnPlan plan{
        tables, draw_tables(make_density_source(density, encoding, head_dim, seed)), {}};
    if (plan.draw.per_distance()) {
      throw InputError("density empirical: pairs=at-distance ties each pair to one distance");
    }
    return std::make_unique<CudaDifferences>(plan);
  }

  std::unique_ptr<DeviceSampler> conditional_sampler(const FusedPlan& plan) const override {
    require();
    gpu::FusedRequest request{plan, std::vector<Centres>(plan.forms.size()),
                              std::vector<bool>(plan.forms.size(), true), gpu::Normals::fast};
    return std::make_unique<FusedSampler>(std::move(request), std::vector<std::uint64_t>{});
  }

  std::optional<PhaseOutputs> kernel_scores(const PhaseBatch& batch) const override {
    require();
    return gpu::phase_scores(batch);
  }
  std::optional<RotaryOutputs> kernel_scores(const RotaryBatch& batch) const override {
    require();
    return gpu::rotary_scores(batch);
  }

 private:
  void require() const {
    const std::string reason = unavailable_reason();
    if (!reason.empty()) throw UnavailableError("backend cuda: " + reason);
  }

  CudaOptions options_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(CudaOptions options) {
  return std::make_unique<CudaBackend>(options);
}

}  // namespace tapalab
