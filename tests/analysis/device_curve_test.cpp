// The engine gpu on a backend that every machine has: the host's own.
#include <cmath>

#include "analysis/experiment.hpp"
#include "catch.hpp"
#include "sim/backend.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

CurveTask task_of(const char* encoding, const std::string& density, std::uint32_t head_dim) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances = parse_distances("0,1,7,1000,2^20");
  task.sampling.samples = 70'000;  // more than one batch, and a last block that is not full
  task.sampling.seed = 11;
  return task;
}

class Missing final : public Backend {
 public:
  std::string name() const override { return "missing"; }
  std::string unavailable_reason() const override { return "it is not here"; }
  std::vector<double> scores(const ScoreModel&, const PairBatch&,
                             const std::vector<std::uint64_t>&) const override {
    throw std::logic_error("scores of a missing device");
  }
};

}  // namespace

TEST_CASE("Engine gpu draws the samples of mc: means and variances differ by rounding alone") {
  const std::string tokens = "empirical:file=\"" + std::string(TAPALAB_TEST_DATA) +
                             "/qk.safetensors\",q=layers.3.q,k=layers.3.k";
  for (CurveTask task : {task_of("tapa", "gaussian:rho=0.25", 8), task_of("rope", "sech", 6),
                         task_of("tapa:law=linear", tokens, 64),
                         task_of("rope", tokens + ",pairs=at-distance", 64)}) {
    INFO(task.encoding.spec << " under " << task.density.spec);
    task.distances = parse_distances("0,1,7,500");
    task.engine = Engine::mc;
    const DistanceCurve host = compute_curve(task);
    task.engine = Engine::gpu;
    task.device = make_cpu_backend();
    const DistanceCurve device = compute_curve(task);
    CHECK(device.samples == host.samples);
    REQUIRE(device.points.size() == host.points.size());
    for (std::size_t i = 0; i < host.points.size(); ++i) {
      const CurvePoint& point = device.points[i];
      const CurvePoint& expected = host.points[i];
      CHECK(point.engine == Engine::gpu);
      CHECK(point.status == expected.status);
      REQUIRE(point.mean);
      REQUIRE(expected.mean);
      const double error = expected.mean->error.absolute.value();
      CHECK(std::abs(point.mean->estimate.value() - expected.mean->estimate.value()) <=
            1e-9 * error);
      CHECK(point.mean->error.absolute.value() == Approx(error).epsilon(1e-9));
      CHECK(point.variance->estimate.value() ==
            Approx(expected.variance->estimate.value()).epsilon(1e-9));
      CHECK_FALSE(point.envelope);
    }
  }
}

TEST_CASE("Engine gpu without a device says what is missing") {
  CurveTask task = task_of("tapa", "gaussian:rho=0.25", 8);
  task.engine = Engine::gpu;
  CHECK_THROWS_AS(compute_curve(task), UnavailableError);
  task.device = std::make_shared<Missing>();
  try {
    compute_curve(task);
    FAIL("it ran");
  } catch (const UnavailableError& error) {
    CHECK(std::string(error.what()).find("it is not here") != std::string::npos);
  }
}
