// The engine conditional against closed forms and quadrature, and the honesty of its intervals.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/conditional/conditional_sums.hpp"
#include "analysis/experiment.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

CurveTask make_task(const std::string& encoding, const std::string& density, std::uint32_t head_dim,
                    const std::string& distances, Estimator estimator, std::uint64_t samples) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances = parse_distances(distances);
  task.engine = Engine::conditional;
  task.sampling.samples = samples;
  task.sampling.estimator = estimator;
  return task;
}

DistanceCurve reference(CurveTask task) {
  task.engine = Engine::automatic;
  task.sampling.estimator = Estimator::standard;
  return compute_curve(task);
}

// Half of the interval, relative to the mean.
double relative_error(const CurvePoint& point) {
  return static_cast<double>(
      Wide(point.mean->error.absolute.wide() / abs(point.mean->estimate.wide())));
}

// How far the estimate is from the reference, in halves of the interval.
double misses(const CurvePoint& point, const CurvePoint& truth) {
  return static_cast<double>(
      Wide(abs(point.mean->estimate.wide() - truth.mean->estimate.wide()) /
           (point.mean->error.absolute.wide() + truth.mean->error.absolute.wide())));
}

}  // namespace

TEST_CASE("A proposal draws from its density and knows it") {
  const Proposal proposal([](double x) { return -std::abs(x) - 1e4; },
                          geometric_edges({{0.0}, 1, 45, 0, 0}));
  double weight = 0, second = 0, below = 0;
  const int count = 20'000;
  for (int i = 0; i < count; ++i) {
    const double u = (i + 0.5) / count;
    const auto [x, log_density] = proposal(u);
    const double exact = 0.5 * std::exp(-std::abs(x));
    // On a cell of width h = 0.02 |x| a chord is above e^-x by at most h^2/8 e^h of it; the mass of
    // a tail by its mean, 5e-5 (x^2 + 2 x + 2), and x by that over the hazard, 1. All masses rise
    // by the mean over the line, 6.7e-5, which normalisation takes out.
    const double size = std::abs(x), growth = std::exp(0.02 * size);
    CHECK(std::exp(log_density) == Approx(exact).epsilon(5e-5 * size * size * growth + 1e-4));
    CHECK(x == Approx(u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u)))
                   .margin(5e-5 * (size * size + 2 * size + 2) * growth + 1e-4)
                   .epsilon(0));
    weight += exact / std::exp(log_density) / count;
    second += x * x / count;
    below += x < 0;
  }
  // The middle of the outermost 1/20000 stands for a ratio that moves by 5e-3 there.
  CHECK(weight == Approx(1).epsilon(1e-6));
  CHECK(second == Approx(2).epsilon(1e-3));
  CHECK(below == count / 2);
}

TEST_CASE("Every conditional estimator agrees with the closed form and with quadrature") {
  for (const char* density :
       {"gaussian:rho=0.25", "gaussian:rho=-0.5,mean_q=0.5,p.mean_k=0.25,scale_k=2",
        "sech:a.mean_q=0.5,a.mean_k=0.5", "logistic:a.mean_q=1,a.mean_k=1,p.mean_q=0.5",
        "laplace:a.mean_q=1,a.mean_k=1", "uniform:a.mean_q=1,a.mean_k=1",
        "student-t:nu=5,a.mean_q=1,a.mean_k=1", "hermite2:a.mean_q=1,a.mean_k=1"}) {
    for (const Estimator estimator :
         {Estimator::conditional, Estimator::zero_variance, Estimator::importance}) {
      const CurveTask task = make_task("tapa:alpha=0.1", density, 4, "0,1,30", estimator, 20'000);
      const DistanceCurve curve = compute_curve(task), truth = reference(task);
      INFO(density << " " << to_string(estimator));
      CHECK(curve.estimator == to_string(estimator));
      REQUIRE(curve.points.size() == 3);
      for (std::size_t i = 0; i < 3; ++i) {
        INFO("distance " << curve.points[i].distance);
        CHECK(misses(curve.points[i], truth.points[i]) < 2.5);  // 4.9 standard errors
        CHECK_FALSE(curve.points[i].variance);
      }
    }
  }
}

TEST_CASE("The zero-variance draw leaves no variance where the factor is positive") {
  const std::string means = "a.mean_q=1,a.mean_k=1";
  for (const std::string& density : {"gaussian:" + means, "sech:" + means, "logistic:" + means}) {
    const CurveTask task =
        make_task("tapa", density, 64, "1,1000,2^40", Estimator::zero_variance, 4096);
    const DistanceCurve curve = compute_curve(task), truth = reference(task);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(relative_error(curve.points[i]) < 1e-4);
      CHECK(curve.points[i].status == Status::converged);
      CHECK(misses(curve.points[i], truth.points[i]) < 2.5);
    }
  }
}

TEST_CASE("Means far below the range of a double are estimated in log space") {
  const CurveTask task = make_task("tapa:law=linear", "gaussian:rho=0.25", 128,
                                   "1000,1000000000,2^60", Estimator::zero_variance, 4096);
  const DistanceCurve curve = compute_curve(task), truth = reference(task);
  CHECK(curve.points[2].mean->estimate.log10_abs() < -1000);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(relative_error(curve.points[i]) < 0.1);
    CHECK(misses(curve.points[i], truth.points[i]) < 2.5);
  }
}

TEST_CASE("Proposals far below the range of a double are right, or the result is not met",
          "[slow]") {
  // Densities and transforms whose product is 1e-300 or less at every query.
  const struct {
    const char *encoding, *density, *distances;
    std::uint32_t head_dim;
  } cases[] = {
      {"tapa:alpha=1", "uniform:mean_q=5,a.mean_k=-2,key=gaussian", "3,4,5,10", 8},
      {"tapa:alpha=1", "uniform:mean_q=5,a.mean_k=-2,p.scale_k=1.247,key=gaussian", "3", 8},
      {"tapa:alpha=1", "gaussian:p.mean_q=4,p.scale_q=0.1,rho=0.25", "100", 8},
      {"tapa:alpha=1", "logistic:mean_q=9,a.mean_k=1,key=logistic", "10,100", 8},
      {"tapa:alpha=1", "uniform:mean_q=5,a.mean_k=1,key=student-t,nu=5", "100", 8},
  };
  for (const auto& c : cases) {
    for (const Estimator estimator :
         {Estimator::conditional, Estimator::zero_variance, Estimator::importance}) {
      const CurveTask task =
          make_task(c.encoding, c.density, c.head_dim, c.distances, estimator, 10'000);
      const DistanceCurve curve = compute_curve(task), truth = reference(task);
      for (std::size_t i = 0; i < truth.points.size(); ++i) {
        INFO(c.density << " " << to_string(estimator) << " " << truth.points[i].distance);
        CHECK(misses(curve.points[i], truth.points[i]) < 2.5);
      }
    }
  }
  // And samples below the range of Wide.
  for (const char* distances : {"1e15,9223372036854775807", "5e9,1e10"}) {
    const CurveTask task = make_task("tapa:alpha=1", "gaussian:rho=0.25", 4, distances,
                                     Estimator::conditional, 10'000);
    const DistanceCurve curve = compute_curve(task), truth = reference(task);
    for (std::size_t i = 0; i < truth.points.size(); ++i) {
      CHECK(curve.points[i].status == Status::target_not_met);
      CHECK(misses(curve.points[i], truth.points[i]) <= 1);
    }
  }
}

TEST_CASE("Where few samples carry the sum, the result does not count as met") {
  // Relative variance 10^24 and more: the interval of these samples means nothing.
  const CurveTask task = make_task("tapa", "gaussian:a.mean_q=1,a.mean_k=1", 128, "2^60",
                                   Estimator::conditional, 20'000);
  const DistanceCurve curve = compute_curve(task);
  CHECK(curve.points[0].status == Status::target_not_met);
  CHECK(curve.unavailable.find("one sample carries") != std::string::npos);
}

TEST_CASE("Threads change no bit of conditional means, and a seed does") {
  CurveTask task =
      make_task("tapa", "gaussian:rho=0.25", 16, "1,10,1000", Estimator::importance, 300'000);
  task.sampling.threads = 1;
  const DistanceCurve one = compute_curve(task);
  task.sampling.threads = 2;
  const DistanceCurve two = compute_curve(task);
  task.sampling.seed = 2;
  const DistanceCurve other = compute_curve(task);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(one.points[i].mean->estimate.wide() == two.points[i].mean->estimate.wide());
    CHECK(one.points[i].mean->error.upper.wide() == two.points[i].mean->error.upper.wide());
    CHECK(one.points[i].mean->estimate.wide() != other.points[i].mean->estimate.wide());
  }
}

TEST_CASE("Intervals of conditional estimators hold the exact mean about as often as they say") {
  for (const Estimator estimator :
       {Estimator::conditional, Estimator::zero_variance, Estimator::importance}) {
    CurveTask task = make_task("tapa", "gaussian:rho=0.25", 4, "0,1,1000", estimator, 10'240);
    task.sampling.threads = 1;
    const DistanceCurve truth = reference(task);
    std::vector<int> held(3);
    const int seeds = 150;
    for (int seed = 0; seed < seeds; ++seed) {
      task.sampling.seed = 100 + static_cast<std::uint64_t>(seed);
      const DistanceCurve curve = conditional_curve(task);
      for (std::size_t i = 0; i < 3; ++i) held[i] += misses(curve.points[i], truth.points[i]) <= 1;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      INFO(to_string(estimator) << " at " << truth.points[i].distance);
      CHECK(held[i] > seeds * 0.95 - 5 * std::sqrt(seeds * 0.95 * 0.05));  // five sigma
    }
  }
}

TEST_CASE("A tolerance ends a conditional run at the first look that meets it") {
  CurveTask task =
      make_task("tapa", "gaussian:rho=0.25", 16, "1,1000", Estimator::zero_variance, 1'000'000);
  task.sampling.rel_tol = 0.05;
  const DistanceCurve curve = compute_curve(task);
  CHECK(*curve.samples < 100'000);
  for (const CurvePoint& point : curve.points) CHECK(relative_error(point) <= 0.05);
}

TEST_CASE("The pilot run chooses the estimator and says why") {
  const CurveTask task =
      make_task("tapa", "gaussian:a.mean_q=1,a.mean_k=1", 64, "1,1000", Estimator::automatic, 4096);
  const EstimatorChoice choice = choose_estimator(task);
  CHECK(choice.estimator == Estimator::zero_variance);
  CHECK(choice.reason.find("pilot") != std::string::npos);
  CHECK(choice.reason.find("conditional") != std::string::npos);
  CHECK(compute_curve(task).estimator == "zero-variance");
}

TEST_CASE("The engine conditional refuses what it cannot integrate, and estimators their engines") {
  for (const auto& [encoding, density] :
       {std::pair{"rope", "gaussian:rho=0.25"}, std::pair{"tapa-linear", "gaussian"},
        std::pair{"tapa", "rademacher"}, std::pair{"tapa", "singular"}}) {
    CHECK_THROWS_AS(compute_curve(make_task(encoding, density, 8, "1", Estimator::automatic, 4096)),
                    InputError);
  }
  CurveTask task = make_task("tapa", "gaussian", 8, "1", Estimator::plain, 4096);
  CHECK_THROWS_AS(compute_curve(task), InputError);
  task.engine = Engine::mc;
  CHECK_NOTHROW(choose_engine(task));
  task.sampling.estimator = Estimator::importance;
  CHECK_THROWS_AS(compute_curve(task), InputError);
  task.engine = Engine::automatic;
  CHECK(choose_engine(task).engine == Engine::conditional);
}
