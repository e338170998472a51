// The retrieval probe against what is known in closed form.
#include "analysis/retrieval/retrieval.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <numbers>

#include "analysis/retrieval/trial.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

RetrievalTask probe_of(const char* encoding, const char* density, std::uint32_t head_dim,
                       const char* rho, std::vector<std::uint64_t> lengths) {
  RetrievalTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.needle_rho = ExactDecimal::parse(rho, "rho");
  task.lengths = std::move(lengths);
  task.trials = 2000;
  return task;
}

std::string activations() {
  return "empirical:file=\"" TAPALAB_TEST_DATA "/qk.safetensors\",q=layers.3.q,k=layers.3.k,head=0";
}

bool covers(const Quantity& quantity, double truth, double slack = 1) {
  const double middle = quantity.estimate.value(), error = quantity.error.absolute.value();
  return std::abs(truth - middle) <= slack * error;
}

}  // namespace

TEST_CASE("a needle that is a distractor like all others is found once in as many keys") {
  // Whatever the encoding: with the needle at a uniform distance all keys are alike.
  const std::string file = activations();
  for (const auto& [encoding, density, dim] :
       std::vector<std::tuple<const char*, const char*, std::uint32_t>>{
           {"tapa", "gaussian", 8},
           {"tapa:alpha=0.1,law=linear", "gaussian:mean_k=0.3", 8},
           {"tapa", "gaussian:p.scale_q=0.05", 8},
           {"tapa-linear", "gaussian", 8},
           {"rope", "gaussian:mean_q=0.5,mean_k=0.5", 8},
           {"alibi:slope=0.05", "gaussian", 8},
           {"xpos", "gaussian:scale_q=2", 8},
           {"tapa", file.c_str(), 64},
           {"rope:base=10000", file.c_str(), 64}}) {
    INFO(encoding << " " << density);
    RetrievalTask task = probe_of(encoding, density, dim, "0", {2, 40});
    task.trials = 500;
    const Retrieval result = retrieve(task);
    REQUIRE(result.points.size() == 2);
    for (const RetrievalPoint& point : result.points) {
      const double share = 1 / static_cast<double>(point.length);
      CHECK(covers(point.largest, share, 2));
      CHECK(covers(*point.mass, share, 2));
    }
  }
}

TEST_CASE("without a position the probability is that of two Gaussians") {
  // Given q the needle is N(rho |q|^2/sqrt(D), (1 - rho^2)|q|^2/D), a distractor N(0, |q|^2/D):
  // P = E Phi(rho |q|/sqrt(2 - rho^2)), |q|^2 of chi-squared law with D = 4: density r e^(-r/2)/4.
  const double rho = 0.6;
  const double truth = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [&](double r) {
        return 0.25 * r * std::exp(-r / 2) *
               std::exp(log_normal_below(rho * std::sqrt(r) / std::sqrt(2 - rho * rho)));
      },
      0.0, 200.0, 10, 1e-12);
  for (const char* encoding : {"nope", "tapa"}) {
    RetrievalTask task = probe_of(encoding, "gaussian", 4, "0.6", {2});
    task.trials = 6000;
    const Quantity found = retrieve(task).points.front().largest;
    INFO(encoding << " " << found.estimate.value() << " " << truth);
    CHECK(covers(found, truth, 1.5) == (std::string(encoding) == "nope"));
    CHECK(found.error.absolute.value() < 0.01);
  }
}

TEST_CASE("integrated probabilities are those of drawn distractors") {
  for (const auto& [encoding, density] : std::vector<std::pair<const char*, const char*>>{
           {"tapa", "gaussian"},
           {"tapa:alpha=0.4", "gaussian:p.scale_q=0.02,a.mean_k=0.2"},
           {"rope", "gaussian:mean_k=0.4"},
           {"alibi:slope=0.01", "gaussian"}}) {
    INFO(encoding << " " << density);
    RetrievalTask task = probe_of(encoding, density, 16, "0.7", {200});
    const RetrievalProbe probe(task);
    double integrated = 0, counted = 0, variance = 0;
    constexpr int kTrials = 800;
    for (std::uint64_t number = 0; number < kTrials; ++number) {
      const auto trial = probe.trial(number);
      const double x = trial.needle(5);
      const double p = std::exp(trial.log_all_below(x, 200, 5).value);
      bool largest = true;
      trial.walk(200, [&](std::uint64_t distance, double score) {
        largest = largest && (distance == 5 || score < x);
      });
      integrated += p;
      variance += p * (1 - p);
      counted += largest ? 1 : 0;
    }
    CHECK(integrated > 20);
    CHECK(std::abs(integrated - counted) < 4 * std::sqrt(variance));
  }
}

TEST_CASE("a score of uniform phase has the tail of the limit law") {
  // density e^(-y^2/4v) K_0(y^2/4v)/(sqrt(2 v) pi^(3/2)), docs/theory/limit-law.md
  const double sd = 1.3, v = sd * sd;
  for (const double x : {0.5, 1.0, 3.0, 6.0}) {
    const double truth = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
        [&](double y) {
          const double u = y * y / (4 * v);
          return std::exp(-u) * boost::math::cyl_bessel_k(0, u) /
                 (std::sqrt(2 * v) * std::pow(std::numbers::pi, 1.5));
        },
        x, 40.0, 12, 1e-12);
    const GivenQueryPhase law{0, sd, 0.2, 3, 0};
    CHECK(probability_above(law, x, 1) == Approx(truth).epsilon(1e-7));
    CHECK(probability_above(law, -x, 1) == Approx(1 - truth).epsilon(1e-7));
  }
  // no phase at all: the normal's own tail
  CHECK(probability_above({0.5, 2, 0, 0.1, 0}, 1.5, 0) ==
        Approx(0.5 * std::erfc(0.5 / std::numbers::sqrt2)).epsilon(1e-12));
}

TEST_CASE("sums over distances are the sums") {
  const GivenQueryPhase law{0.1, 1, 0.01, 0.02, 0};
  for (const bool linear : {false, true})
    for (const double x : {0.8, 2.5, 4.0}) {
      const PhaseScaleDouble scale{linear ? 0.01 : 0.3, linear};
      double sum = 0;
      for (std::uint64_t j = 1; j <= 5000; ++j)
        sum += std::log1p(-probability_above(law, x, scale(static_cast<double>(j))));
      const LogProbability found = log_all_below(law, scale, x, 5000);
      INFO(linear << " " << x << " " << sum << " " << found.value);
      CHECK(std::abs(found.value - sum) < 1e-4 * std::abs(sum) + found.error);
    }
}

TEST_CASE("a retrieval is the same for any number of threads, and refuses what it cannot do") {
  RetrievalTask task = probe_of("tapa", "gaussian", 16, "0.5", {16, 64});
  task.distances = {1, 20};
  task.trials = 40;
  task.threads = 1;
  const Retrieval one = retrieve(task);
  task.threads = 2;
  const Retrieval two = retrieve(task);
  REQUIRE(one.points.size() == 5);  // distance 20 is beyond 16 keys
  for (std::size_t i = 0; i < one.points.size(); ++i) {
    CHECK(one.points[i].largest.estimate.value() == two.points[i].largest.estimate.value());
    CHECK(one.points[i].mass->estimate.value() == two.points[i].mass->estimate.value());
  }
  const auto refused = [](RetrievalTask bad) { CHECK_THROWS_AS(retrieve(bad), InputError); };
  RetrievalTask bad = task;
  bad.needle_rho = ExactDecimal::parse("1.01", "rho");
  refused(bad);
  bad = task;
  bad.lengths = {1};
  refused(bad);
  bad = task;
  bad.lengths = {64, 16};
  refused(bad);
  bad = task;
  bad.distances = {65};
  refused(bad);
  bad = task;
  bad.trials = 1;
  refused(bad);
  bad = task;
  bad.density = parse_density("gaussian:rho=0.25");
  refused(bad);
  bad = task;
  bad.density = parse_density("sech");
  refused(bad);
}

TEST_CASE("where few trials carry the probability its interval still holds it") {
  // long texts and few trials: most runs see none of the rare queries that find their needle
  RetrievalTask task = probe_of("rope", "gaussian", 8, "0.5", {1024});
  task.masses = false;
  task.trials = 20'000;
  const Quantity truth = retrieve(task).points.front().largest;
  task.trials = 100;
  std::size_t carried = 0;
  for (task.seed = 2; task.seed < 12; ++task.seed) {
    const RetrievalPoint point = retrieve(task).points.front();
    carried += point.carried_by_one;
    if (!point.carried_by_one) continue;
    CHECK(point.largest.error.lower.value() <= truth.error.lower.value());
    CHECK(point.largest.error.upper.value() >= truth.error.upper.value());
  }
  CHECK(carried > 0);
}

TEST_CASE("scores too small for doubles are refused") {
  CHECK_THROWS_AS(retrieve(probe_of("rope", "gaussian:scale_k=1e-162", 8, "0.5", {16})),
                  InputError);
}
