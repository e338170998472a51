// The engine gpu without a device: what analysis makes of a backend's samples.
#include <cmath>
#include <random>

#include "analysis/conditional/device_conditional.hpp"
#include "analysis/experiment.hpp"
#include "analysis/sampling_run.hpp"
#include "catch.hpp"
#include "sim/backend.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/leaf_sums.hpp"

using namespace tapalab;

namespace {

// Samples of the host in the place of a device's.
class HostSampler final : public DeviceSampler {
 public:
  HostSampler(const ScoreModel& score, const GaussianModel& law,
              const std::vector<std::uint64_t>& distances, std::uint64_t seed)
      : sampler_(score, law, distances, seed) {}
  HostSampler(const ScoreModel& score, const DensityLaw& law, const Encoding& encoding,
              const std::vector<std::uint64_t>& distances, std::uint64_t seed)
      : sampler_(score, law, encoding, distances, seed) {}
  void add(std::uint64_t begin, std::uint64_t end, SamplingState& state) const override {
    sampler_.add(begin, end, 1, {}, state);
  }

 private:
  ScoreSampler sampler_;
};

// Conditional samples by the library's normals.
class HostConditional final : public DeviceSampler {
 public:
  explicit HostConditional(FusedPlan plan) : plan_(std::move(plan)) {}
  void add(std::uint64_t begin, std::uint64_t end, SamplingState& state) const override {
    for (std::uint64_t first = begin; first < end; first += kBlockSamples) {
      const std::uint64_t count = std::min<std::uint64_t>(kBlockSamples, end - first);
      std::mt19937_64 random(first + 1);
      std::normal_distribution<double> normal;
      std::vector<LeafSums> sums(plan_.forms.size());
      for (std::uint64_t i = 0; i < count; ++i) {
        double sum = 0, squares = 0;
        for (std::uint32_t j = 0; j < plan_.head_dim; ++j) {
          const double z = normal(random);
          sum += z;
          squares += z * z;
        }
        for (std::size_t d = 0; d < sums.size(); ++d) {
          const ConditionalForm& form = plan_.forms[d];
          const double turns = form.turns0 + form.turns1 * sum + form.turns2 * squares;
          sums[d].add(std::exp(form.log1 * sum + form.log2 * squares), sincos_2pi(turns), {});
        }
      }
      CurveMoments moments;
      for (const LeafSums& one : sums) moments.points.push_back(moments_of(one, count, {}));
      state.insert(0, first / kBlockSamples, std::move(moments));
    }
  }

 private:
  FusedPlan plan_;
};

class HostDevice final : public Backend {
 public:
  std::string name() const override { return "host"; }
  std::string unavailable_reason() const override { return {}; }
  std::vector<double> scores(const ScoreModel& model, const PairBatch& batch,
                             const std::vector<std::uint64_t>& distances) const override {
    return make_cpu_backend()->scores(model, batch, distances);
  }
  std::unique_ptr<DeviceSampler> sampler(const ScoreModel& score, const GaussianModel& law,
                                         const std::vector<std::uint64_t>& distances,
                                         std::uint64_t seed) const override {
    return std::make_unique<HostSampler>(score, law, distances, seed);
  }
  std::unique_ptr<DeviceSampler> drawn_sampler(const ScoreModel& score, const DensityLaw& law,
                                               const Encoding& encoding,
                                               const std::vector<std::uint64_t>& distances,
                                               std::uint64_t seed) const override {
    return std::make_unique<HostSampler>(score, law, encoding, distances, seed);
  }
  std::unique_ptr<DeviceSampler> conditional_sampler(const FusedPlan& plan) const override {
    return std::make_unique<HostConditional>(plan);
  }
};

CurveTask task_of(const char* encoding, const char* density, std::uint32_t head_dim,
                  const char* distances) {
  CurveTask task{parse_encoding(encoding),
                 parse_density(density),
                 head_dim,
                 parse_distances(distances),
                 Engine::gpu,
                 {},
                 {}};
  task.device = std::make_shared<HostDevice>();
  task.sampling.threads = 1;
  return task;
}

}  // namespace

TEST_CASE("Block sums about any centre are the block's moments") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> scores, sines, excesses;
  const Centres centre{7.5, -0.25, 20};
  LeafSums sums;
  for (int i = 0; i < 777; ++i) {
    const double a = 8 + normal(random);
    const SinCos<double> wave = sincos_2pi(0.03 * normal(random));
    sums.add(a, wave, centre);
    scores.push_back(a * wave.cos);
    sines.push_back(a * wave.sin);
    excesses.push_back(0.5 * (scores.back() * scores.back() - sines.back() * sines.back()));
  }
  const ScoreMoments seen = moments_of(sums, scores.size(), centre);
  const BlockKernels& kernels = block_kernels(SimdLevel::scalar);
  const Moments score = kernels.moments(scores.data(), scores.size());
  CHECK(seen.score.count == 777);
  CHECK(seen.score.mean == Approx(score.mean).epsilon(1e-13));
  CHECK(seen.score.m2 == Approx(score.m2).epsilon(1e-12));
  CHECK(seen.score.m3 == Approx(score.m3).epsilon(1e-11));
  CHECK(seen.score.m4 == Approx(score.m4).epsilon(1e-11));
  for (const auto& [values, part] :
       {std::pair{&sines, &seen.sine}, std::pair{&excesses, &seen.excess}}) {
    const CompanionMoments expected =
        kernels.companion(values->data(), scores.data(), scores.size(), score);
    CHECK(part->mean == Approx(expected.mean).epsilon(1e-12));
    CHECK(part->m2 == Approx(expected.m2).epsilon(1e-11));
    CHECK(part->cross == Approx(expected.cross).epsilon(1e-11));
  }
}

TEST_CASE("A device's samples make the curve that they make with mc") {
  CurveTask task = task_of("tapa", "gaussian:rho=0.25", 16, "1,1000,2^40");
  task.sampling.samples = 30000;
  const DistanceCurve device = compute_curve(task);
  task.engine = Engine::mc;
  const DistanceCurve host = compute_curve(task);
  REQUIRE(device.points.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const CurvePoint &a = device.points[i], &b = host.points[i];
    CHECK(a.engine == Engine::gpu);
    REQUIRE((a.mean && a.variance && a.envelope && a.variance_excess));
    CHECK(a.mean->estimate.value() == b.mean->estimate.value());
    CHECK(a.variance->error.upper.value() == b.variance->error.upper.value());
    CHECK(a.envelope->estimate.value() == b.envelope->estimate.value());
    CHECK(a.variance_excess->estimate.value() == b.variance_excess->estimate.value());
  }
}

TEST_CASE(
    "A device that draws every density makes the curves of mc, sine part and excess included") {
  for (const auto& [encoding, density] :
       {std::pair{"tapa", "laplace"}, std::pair{"tapa", "mixture:weight=0.3,rho=0.9;weight=0.7"},
        std::pair{"rope", "student-t:nu=10"}}) {
    INFO(encoding << " under " << density);
    CurveTask task = task_of(encoding, density, 16, "1,1000");
    task.sampling.samples = 5000;
    const DistanceCurve device = compute_curve(task);
    CHECK(device_kernel_text(task).find("kernel of all scores and densities") != std::string::npos);
    task.engine = Engine::mc;
    const DistanceCurve host = compute_curve(task);
    for (std::size_t i = 0; i < 2; ++i) {
      const CurvePoint &a = device.points[i], &b = host.points[i];
      REQUIRE((a.mean && a.variance && a.envelope.has_value() == b.envelope.has_value()));
      CHECK(a.mean->estimate.value() == b.mean->estimate.value());
      CHECK(a.variance->estimate.value() == b.variance->estimate.value());
      if (a.envelope) CHECK(a.envelope->estimate.value() == b.envelope->estimate.value());
    }
  }
}

TEST_CASE("A backend that does not draw is no engine") {
  CurveTask task = task_of("tapa", "laplace", 16, "1,1000");
  task.device = make_cpu_backend();
  CHECK_THROWS_AS(compute_curve(task), UnavailableError);
}

TEST_CASE("Conditional samples of a device hold the exact mean in their interval") {
  for (const char* density : {"gaussian:rho=0.25",
                              "gaussian:rho=-0.5,p.mean_q=0.3,p.mean_k=-0.2,a.mean_q=1,a.mean_k=1,"
                              "p.scale_q=1.5,p.scale_k=0.75"}) {
    for (const Estimator estimator : {Estimator::zero_variance, Estimator::importance}) {
      CurveTask task = task_of("tapa:law=linear", density, 64, "1,4,100,2^20,2^62");
      task.sampling.samples = 40960;
      task.sampling.confidence = 0.9999;
      task.sampling.estimator = estimator;
      const DistanceCurve sampled = compute_curve(task);
      CHECK(sampled.samples == 40960);
      CHECK(sampled.estimator == to_string(estimator));
      task.engine = Engine::exact;
      task.sampling.estimator = Estimator::automatic;
      const DistanceCurve exact = compute_curve(task);
      REQUIRE(sampled.points.size() == 5);
      for (std::size_t i = 0; i < 5; ++i) {
        INFO(density << " at " << sampled.points[i].distance);
        const Wide truth = exact.points[i].mean->estimate.wide();
        const Quantity& mean = *sampled.points[i].mean;
        CHECK(mean.error.lower.wide() <= truth);
        CHECK(truth <= mean.error.upper.wide());
        // Narrow enough to say something: a hundredth of the mean, or so.
        CHECK(mean.error.absolute.wide() <= Wide(0.3) * abs(truth));
      }
    }
  }
}

TEST_CASE("Conditional estimates on a device refuse what they do not know") {
  for (const auto& [encoding, density, estimator] :
       {std::tuple{"tapa", "sech", Estimator::zero_variance},
        std::tuple{"tapa", "gaussian:rho=0.25", Estimator::conditional},
        std::tuple{"rope", "gaussian:rho=0.25", Estimator::importance}}) {
    CurveTask task = task_of(encoding, density, 16, "1");
    task.sampling.estimator = estimator;
    CHECK_THROWS_AS(compute_curve(task), InputError);
  }
  CurveTask task = task_of("tapa", "gaussian:rho=0.25", 16, "1");
  task.device = nullptr;
  CHECK_THROWS_AS(compute_curve(task), UnavailableError);
}
