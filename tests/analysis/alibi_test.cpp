// ALiBi adds a number to every score: means and their intervals move by it, variances do not.
#include <cmath>

#include "analysis/crosscheck/scores.hpp"
#include "analysis/experiment.hpp"
#include "analysis/histogram.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

constexpr std::uint64_t kFarthest = (std::uint64_t{1} << 63) - 1;

CurveTask task_of(const char* encoding, const std::string& density, std::uint32_t head_dim) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances.distances = {0, 1, 1000, kFarthest};
  return task;
}

// sqrt(D) rho - slope distance, for coordinates of unit variance
Wide closed_mean(const Wide& slope, std::uint64_t distance) {
  return Wide(4 - slope * Wide(distance));
}

}  // namespace

TEST_CASE("ALiBi's exact mean is sqrt(D) rho - slope distance, its variance 1 + rho^2") {
  const DistanceCurve curve = compute_curve(task_of("alibi:slope=0.1", "gaussian:rho=0.5", 64));
  REQUIRE(curve.points.size() == 4);
  for (const CurvePoint& point : curve.points) {
    INFO(point.distance);
    const Wide mean = closed_mean(Wide("0.1"), point.distance);
    CHECK(point.engine == Engine::exact);
    CHECK(point.status == Status::converged);
    CHECK(abs(point.mean->estimate.wide() - mean) <= Wide("1e-50") * (abs(mean) + 1));
    CHECK(point.mean->error.lower.wide() <= mean);
    CHECK(point.mean->error.upper.wide() >= mean);
    CHECK(point.variance->estimate.value() == Approx(1.25).epsilon(1e-14));
    const Wide envelope = 4 + Wide("0.1") * Wide(point.distance);
    CHECK(abs(point.envelope->estimate.wide() - envelope) <= Wide("1e-50") * envelope);
  }
}

TEST_CASE("ALiBi's sampled means hold the exact ones, and keep the samples' own interval") {
  for (const char* density : {"gaussian:rho=0.5", "laplace"}) {
    INFO(density);
    CurveTask task = task_of("alibi:heads=8,head=2", density, 64);
    const DistanceCurve exact = compute_curve(task);
    task.engine = Engine::mc;
    task.sampling.samples = 20'000;
    task.sampling.confidence = 0.9999;
    const DistanceCurve sampled = compute_curve(task);
    task.encoding = parse_encoding("nope");
    const DistanceCurve plain = compute_curve(task);
    for (std::size_t i = 0; i < 4; ++i) {
      const CurvePoint &found = sampled.points[i], &truth = exact.points[i];
      INFO(found.distance);
      CHECK(found.mean->error.lower.wide() <= truth.mean->estimate.wide());
      CHECK(found.mean->error.upper.wide() >= truth.mean->estimate.wide());
      CHECK(found.variance->error.lower.wide() <= truth.variance->estimate.wide());
      CHECK(found.variance->error.upper.wide() >= truth.variance->estimate.wide());
      CHECK(found.variance->estimate.wide() == plain.points[i].variance->estimate.wide());
      const Wide shift = ldexp(Wide(found.distance), -3);  // 2^(-8 3/8)
      CHECK(found.mean->estimate.wide() == plain.points[i].mean->estimate.wide() - shift);
    }
    CHECK(sampled.points[3].mean->sign_resolved);
  }
}

TEST_CASE("ALiBi over the pairs of a file is NoPE less slope distance") {
  const std::string file = "empirical:file=\"" TAPALAB_TEST_DATA
                           "/qk.safetensors\",q=layers.3.q,k=layers.3.k,head=0,pairs=causal";
  CurveTask task = task_of("alibi:slope=0.25", file, 64);
  task.distances.distances = {1, 4096};
  const DistanceCurve alibi = compute_curve(task);
  task.encoding = parse_encoding("nope");
  const DistanceCurve plain = compute_curve(task);
  for (std::size_t i = 0; i < 2; ++i) {
    const Quantity &moved = alibi.points[i].mean.value(), &still = plain.points[i].mean.value();
    const Wide shift = Wide(task.distances.distances[i]) / 4;
    CHECK(moved.estimate.wide() == still.estimate.wide() - shift);
    CHECK(moved.error.upper.wide() >= still.error.upper.wide() - shift);
    CHECK(moved.error.upper.wide() <= still.error.upper.wide() - shift + Wide("1e-12"));
    CHECK(alibi.points[i].variance->estimate.wide() == plain.points[i].variance->estimate.wide());
  }
}

TEST_CASE("Histograms of ALiBi hold the difference of the slopes") {
  HistogramTask task;
  task.encoding = parse_encoding("alibi:slope=0.125");
  task.density = parse_density("gaussian:rho=0.25");
  task.head_dim = 16;
  task.near = {0, 0};
  task.far = {1000, 1000};
  task.pairs = 4000;
  const ScoreHistogram found = score_histogram(task);
  CHECK(found.mean.estimate.value() == Approx(125).epsilon(1e-14));  // the same draw near and far
  REQUIRE(found.expected_mean);
  CHECK(found.expected_mean->estimate.value() == Approx(125).epsilon(1e-14));
  task.far = {900, 1100};
  const ScoreHistogram spread = score_histogram(task);
  CHECK(spread.mean.error.lower.value() <= spread.expected_mean->estimate.value());
  CHECK(spread.mean.error.upper.value() >= spread.expected_mean->estimate.value());
}

TEST_CASE("No kernel of ALiBi is emulated, and crosscheck says so") {
  CrosscheckTask task;
  task.encoding = parse_encoding("alibi");
  task.density = parse_density("gaussian");
  task.distances = parse_distances("1");
  task.samples = 16;
  CHECK_THROWS_AS(check_scores(task), InputError);
}
