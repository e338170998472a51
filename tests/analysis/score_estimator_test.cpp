// antithetic and qmc against closed forms, and what they promise: less variance, the same bits from
// threads, shards and checkpoints, clear refusals.
#include "analysis/score_estimator.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/checkpoint.hpp"
#include "analysis/sampling_run.hpp"
#include "analysis/shards.hpp"
#include "analysis/writers/json.hpp"
#include "catch.hpp"
#include "empirical_brute.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

CurveTask scores_task(const std::string& encoding, const std::string& density,
                      const std::string& distances, Estimator estimator,
                      std::uint64_t samples = 32'768, std::uint32_t head_dim = 8) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances = parse_distances(distances);
  task.engine = Engine::mc;
  task.sampling.samples = samples;
  task.sampling.estimator = estimator;
  return task;
}

DistanceCurve closed_form(CurveTask task) {
  task.engine = Engine::automatic;
  task.sampling.estimator = Estimator::standard;
  return compute_curve(task);
}

double half_width(const std::optional<Quantity>& quantity) {
  return quantity->error.absolute.value();
}

// Distance from the truth, in halves of the interval and of the rounding of either.
double misses_scores(const std::optional<Quantity>& sampled, const std::optional<Quantity>& truth) {
  const double off = std::abs(sampled->estimate.value() - truth->estimate.value());
  return off / (half_width(sampled) + half_width(truth) + 1e-14);
}

}  // namespace

TEST_CASE("Antithetic and qmc agree with the closed form: mean, envelope, variance and excess") {
  for (const char* encoding :
       {"tapa", "tapa:share=0.25,law=linear", "tapa-linear", "rope", "nope"}) {
    for (const char* density : {"gaussian:rho=0.25,mean_q=0.5", "sech:mean_k=0.5", "uniform"}) {
      for (const Estimator estimator : {Estimator::antithetic, Estimator::qmc}) {
        const CurveTask task = scores_task(encoding, density, "0,1,1000,300000", estimator);
        const DistanceCurve curve = compute_curve(task), truth = closed_form(task);
        INFO(encoding << " " << density << " " << to_string(estimator));
        CHECK(curve.estimator == to_string(estimator));
        REQUIRE(curve.points.size() == 4);
        for (std::size_t i = 0; i < 4; ++i) {
          const CurvePoint &point = curve.points[i], &exact = truth.points[i];
          INFO("distance " << point.distance);
          CHECK(point.engine == (estimator == Estimator::qmc ? Engine::qmc : Engine::mc));
          CHECK(misses_scores(point.mean, exact.mean) < 2.5);
          REQUIRE(point.variance);
          CHECK(misses_scores(point.variance, exact.variance) < 2.5);
          REQUIRE(point.envelope.has_value() == point.variance_excess.has_value());
          if (!point.envelope || !exact.envelope) continue;
          CHECK(misses_scores(point.envelope, exact.envelope) < 2.5);
          CHECK(misses_scores(point.variance_excess, exact.variance_excess) < 2.5);
        }
      }
    }
  }
}

TEST_CASE("Pairs take out what is linear in the key, and Sobol points what is smooth") {
  // RoPE under independent coordinates: a pair's average is 0 whatever q is.
  const DistanceCurve zero =
      compute_curve(scores_task("rope", "uniform", "3", Estimator::antithetic));
  CHECK(zero.points[0].mean->estimate.value() == 0);
  CHECK(half_width(zero.points[0].mean) == 0);
  // rho |q|^2/sqrt(D) is left of nope: standard deviation sqrt(2) rho against sqrt(1 + rho^2).
  const double plain =
      half_width(compute_curve(scores_task("nope", "gaussian:rho=0.25", "0", Estimator::plain))
                     .points[0]
                     .mean);
  const double pairs =
      half_width(compute_curve(scores_task("nope", "gaussian:rho=0.25", "0", Estimator::antithetic))
                     .points[0]
                     .mean);
  CHECK(pairs / plain == Approx(std::sqrt(2 * 0.0625 / 1.0625)).epsilon(0.03));
  // Two coordinates a side and few turns: smooth.
  const auto small = [](Estimator estimator) {
    return compute_curve(
        scores_task("tapa", "gaussian:rho=0.5,scale_k=0.2", "0,1", estimator, 1 << 18, 2));
  };
  const DistanceCurve points = small(Estimator::qmc), independent = small(Estimator::plain);
  CHECK(half_width(points.points[0].mean) < 0.1 * half_width(independent.points[0].mean));
  CHECK(half_width(points.points[1].mean) < 0.5 * half_width(independent.points[1].mean));
}

TEST_CASE("The pilot run takes pairs for RoPE, plain for far TAPA, and says why") {
  CurveTask rope = scores_task("rope", "gaussian:rho=0.25", "0,10", Estimator::automatic);
  const EstimatorChoice pairs = choose_estimator(rope);
  CHECK(pairs.estimator == Estimator::antithetic);
  CHECK(pairs.reason.find("pilot run") != std::string::npos);
  CHECK(resolved(rope).sampling.estimator == Estimator::antithetic);
  const CurveTask far = scores_task("tapa:law=linear,alpha=1", "gaussian:rho=0.25", "1000,3000",
                                    Estimator::automatic, 32'768, 64);
  CHECK(choose_estimator(far).estimator == Estimator::plain);
  rope.sampling.estimator = Estimator::standard;
  CHECK(choose_estimator(rope).estimator == Estimator::plain);
  rope.engine = Engine::qmc;
  CHECK(resolved(rope).sampling.estimator == Estimator::qmc);
}

TEST_CASE("No split into threads or shards and no kept part changes a bit of antithetic or qmc") {
  for (const Estimator estimator : {Estimator::antithetic, Estimator::qmc}) {
    ExperimentSpec spec;
    spec.encodings = {parse_encoding("tapa"), parse_encoding("rope")};
    spec.densities = {parse_density("gaussian:rho=0.25"), parse_density("student-t:nu=9")};
    spec.distances = parse_distances("0,1,1000");
    spec.head_dim = 4;
    spec.engine = Engine::mc;
    spec.estimator = estimator;
    spec.samples = 20'001;
    spec = completed(spec);
    std::vector<std::string> expected;
    for (const CurveTask& task : plan_curves(spec, 2)) {
      expected.push_back(curve_json(compute_curve(task)).dump());
    }
    const auto tasks = plan_curves(spec, 1);
    std::vector<ShardText> shards;
    for (const std::uint64_t index : {3, 1, 2}) {
      std::vector<SampleRange> ranges;
      for (const CurveTask& task : tasks) {
        ranges.push_back(sample_range(resolved(task), {index, 3}, {}, nullptr));
      }
      shards.push_back({"part", json_text(shard_json(spec, tasks, {index, 3}, ranges,
                                                     nlohmann::ordered_json::object()))});
    }
    const MergedShards merged = merge_shards(shards, 1);
    REQUIRE(merged.curves.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      INFO(to_string(estimator) << " curve " << i);
      CHECK(curve_json(merged.curves[i]).dump() == expected[i]);
      // From what was kept after some rounds.
      const CurveTask task = resolved(tasks[i]);
      SampleRange kept = shard_range(task.sampling.samples, {});
      make_sampler(task).add(0, 7168, 1, {}, kept.state);
      kept.done = 7168;
      const SampleRange whole = sample_range(task, {}, {}, &kept);
      CHECK(curve_json(sampled_curve(task, whole.state, whole.done)).dump() == expected[i]);
    }
    // Their samples are not those of the plain estimator.
    auto plain = tasks;
    for (CurveTask& task : plain) task.sampling.estimator = Estimator::plain;
    CHECK(first_difference(sampling_identity(tasks, {}), sampling_identity(plain, {})) != "");
  }
}

TEST_CASE("Sampled pairs of a file agree with sums over them under every rule") {
  for (const PairRule rule :
       {PairRule::all, PairRule::causal, PairRule::shuffled, PairRule::at_distance}) {
    for (const char* encoding : {"tapa", "rope"}) {
      CurveTask task = testing::empirical_task(
          parse_encoding(encoding), testing::random_table(7, 96, 4, 0.5, 0.5), rule, {0, 3, 90});
      task.engine = Engine::exact;
      const DistanceCurve sums = compute_curve(task);
      task.engine = Engine::mc;
      task.sampling.estimator = Estimator::automatic;
      task.sampling.samples = 100'000;
      const DistanceCurve sampled = compute_curve(task);
      REQUIRE(sampled.points.size() == 3);
      CHECK(sampled.estimator.empty());
      for (std::size_t i = 0; i < 3; ++i) {
        const CurvePoint &point = sampled.points[i], &exact = sums.points[i];
        INFO(encoding << " rule " << static_cast<int>(rule) << " distance " << point.distance);
        // The error of the sums is about other files; their value is that of this one.
        const auto off = [](const Quantity& a, const Quantity& b) {
          return std::abs(a.estimate.value() - b.estimate.value()) / a.error.absolute.value();
        };
        CHECK(off(*point.mean, *exact.mean) < 2.5);
        CHECK(off(*point.variance, *exact.variance) < 2.5);
      }
    }
  }
}

TEST_CASE("Estimators that do not apply are refused in one line that says what does") {
  const auto refused = [](const CurveTask& task, const std::string& words) {
    try {
      choose_engine(task);
    } catch (const InputError& error) {
      const std::string message = error.what();
      INFO(message);
      CHECK(message.find(words) != std::string::npos);
      CHECK(message.find("accepted") != std::string::npos);
      return;
    }
    FAIL("not refused: " << words);
  };
  CurveTask task = scores_task("tapa", "gaussian:rho=0.25", "1", Estimator::qmc, 16'383);
  refused(task, "16384");
  task.sampling.samples = 32'768;
  CHECK(choose_engine(task).engine == Engine::qmc);
  task.engine = Engine::automatic;
  CHECK(choose_engine(task).engine == Engine::qmc);
  for (const Engine engine :
       {Engine::exact, Engine::quadrature, Engine::gpu, Engine::conditional}) {
    task.engine = engine;
    refused(task, "--estimator: qmc");
  }
  task.engine = Engine::exact;
  task.sampling.estimator = Estimator::plain;
  refused(task, "--estimator: plain");
  task.engine = Engine::qmc;
  refused(task, "--estimator: plain");
  task.sampling.estimator = Estimator::importance;
  refused(task, "conditional");
  CurveTask pairs = testing::empirical_task(
      parse_encoding("nope"), testing::random_table(1, 64, 4, 1, 0), PairRule::all, {0});
  pairs.engine = Engine::mc;
  for (const Estimator estimator : {Estimator::antithetic, Estimator::qmc}) {
    pairs.sampling.estimator = estimator;
    refused(pairs, "none to arrange");
  }
  pairs.sampling.estimator = Estimator::automatic;
  CHECK(resolved(pairs).sampling.estimator == Estimator::plain);
}
