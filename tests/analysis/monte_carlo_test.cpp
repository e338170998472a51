// Sampled curves against closed forms, and the coverage of their intervals over many seeds.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/intervals.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

CurveTask make_task(const std::string& encoding, const std::string& density, std::uint32_t head_dim,
                    std::vector<std::uint64_t> distances, std::uint64_t samples) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances.distances = std::move(distances);
  task.engine = Engine::mc;
  task.sampling.samples = samples;
  return task;
}

bool holds(const Quantity& sampled, const Quantity& exact) {
  return sampled.error.lower.wide() <= exact.estimate.wide() &&
         exact.estimate.wide() <= sampled.error.upper.wide();
}

void check_same(const DistanceCurve& a, const DistanceCurve& b) {
  REQUIRE(a.points.size() == b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    CHECK(a.points[i].mean->estimate.wide() == b.points[i].mean->estimate.wide());
    CHECK(a.points[i].mean->error.upper.wide() == b.points[i].mean->error.upper.wide());
    CHECK(a.points[i].variance->error.upper.wide() == b.points[i].variance->error.upper.wide());
  }
}

// How often the interval of each quantity holds the exact value.
struct Coverage {
  int seeds = 0;
  std::vector<int> mean, variance, envelope, excess;

  void add(const DistanceCurve& sampled, const DistanceCurve& exact) {
    const std::size_t size = exact.points.size();
    for (auto* counts : {&mean, &variance, &envelope, &excess}) counts->resize(size);
    ++seeds;
    for (std::size_t i = 0; i < size; ++i) {
      const CurvePoint &s = sampled.points[i], &e = exact.points[i];
      mean[i] += holds(*s.mean, *e.mean);
      variance[i] += holds(*s.variance, *e.variance);
      if (s.envelope) envelope[i] += holds(*s.envelope, *e.envelope);
      if (s.variance_excess) excess[i] += holds(*s.variance_excess, *e.variance_excess);
    }
  }
};

Coverage cover(CurveTask task, int seeds) {
  const DistanceCurve exact = exact_gaussian_curve(task);
  task.sampling.threads = 1;
  Coverage coverage;
  for (int seed = 0; seed < seeds; ++seed) {
    task.sampling.seed = 1000 + static_cast<std::uint64_t>(seed);
    coverage.add(monte_carlo_curve(task), exact);
  }
  return coverage;
}

// Binomial, 3.5 standard deviations: one of the cells below leaves that band by chance in less than
// one run of a hundred, and the seeds are fixed.
double band(int seeds) { return 3.5 * std::sqrt(0.95 * 0.05 / seeds); }

}  // namespace

TEST_CASE("Sampled curves hold the closed forms, every quantity at every distance") {
  const std::vector<std::uint64_t> distances{0, 1, 10, 1000, 1ULL << 40};
  const struct {
    const char* encoding;
    const char* density;
  } cases[] = {
      {"tapa", "gaussian:rho=0.25"},
      {"tapa:alpha=0.02,share=0.25", "gaussian:rho=-0.5,a.mean_q=1,a.mean_k=0.5,p.scale_q=0.2"},
      {"tapa-linear:alpha=0.02", "gaussian:rho=0.5,mean_q=0.1"},
      {"rope", "gaussian:rho=0.25,mean_q=0.3,mean_k=0.2"},
      {"nope", "gaussian:rho=0.25"},
  };
  for (const auto& c : cases) {
    CurveTask task = make_task(c.encoding, c.density, 16, distances, 200'000);
    task.sampling.confidence = 0.9999;
    const DistanceCurve exact = exact_gaussian_curve(task), sampled = monte_carlo_curve(task);
    CHECK(sampled.samples == 200'000);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      INFO(c.encoding << " " << c.density << " distance " << distances[i]);
      const CurvePoint &s = sampled.points[i], &e = exact.points[i];
      CHECK(s.distance == distances[i]);
      CHECK(s.engine == Engine::mc);
      CHECK(holds(*s.mean, *e.mean));
      CHECK(holds(*s.variance, *e.variance));
      CHECK(s.mean->error.kind == ErrorKind::confidence);
      CHECK(s.mean->error.level == 0.9999);
      CHECK_FALSE(s.mean->error.rigorous);
      CHECK(s.status == (s.mean->sign_resolved ? Status::converged : Status::unresolved));
      CHECK(s.envelope.has_value() == std::string(c.encoding).starts_with("tapa"));
      if (s.envelope) CHECK(holds(*s.envelope, *e.envelope));
      if (s.variance_excess) CHECK(holds(*s.variance_excess, *e.variance_excess));
    }
  }
}

TEST_CASE("95% intervals for mean and variance cover 95% of seeds", "[slow]") {
  const int seeds = 2000;
  const struct {
    const char* encoding;
    const char* density;
  } cases[] = {{"tapa:alpha=0.1", "gaussian:rho=0.25,p.scale_q=0.1"}, {"rope", "gaussian:rho=0.5"}};
  for (const auto& c : cases) {
    const Coverage coverage = cover(make_task(c.encoding, c.density, 8, {1, 100}, 10'000), seeds);
    for (const auto* counts : {&coverage.mean, &coverage.variance}) {
      for (const int count : *counts) {
        INFO(c.encoding << ": " << count << " of " << seeds);
        CHECK(std::abs(static_cast<double>(count) / seeds - 0.95) <= band(seeds));
      }
    }
    if (std::string(c.encoding) == "rope") continue;
    for (const auto* counts : {&coverage.envelope, &coverage.excess}) {
      for (const int count : *counts) {
        INFO((counts == &coverage.excess ? "excess " : "envelope ") << count << " of " << seeds);
        CHECK(std::abs(static_cast<double>(count) / seeds - 0.95) <= band(seeds));
      }
    }
  }
}

TEST_CASE("With early stopping intervals cover at least 95% of seeds") {
  CurveTask task = make_task("nope", "gaussian:rho=0.25", 4, {1}, 1 << 17);
  task.sampling.abs_tol = 0.0121;  // met after 2^15 samples or so, at one look or another
  const int seeds = 600;
  const Coverage coverage = cover(task, seeds);
  CHECK(static_cast<double>(coverage.mean[0]) / seeds >= 0.95 - band(seeds));
  CHECK(static_cast<double>(coverage.variance[0]) / seeds >= 0.95 - band(seeds));
}

TEST_CASE("A tolerance ends the run at the first look that meets it, and not before") {
  CurveTask task = make_task("nope", "gaussian:rho=0.25", 8, {1, 5}, 1 << 20);
  task.sampling.rel_tol = 0.02;
  const DistanceCurve curve = monte_carlo_curve(task);
  CHECK(*curve.samples < (1 << 20));
  for (const auto& point : curve.points) {
    CHECK(point.status == Status::converged);
    CHECK(point.mean->error.absolute.value() <= 0.02 * point.mean->estimate.value());
  }
  // 2^20 samples have looks at 2^13, 2^14, ..., 2^20: eight, each with an eighth of the 5%. The
  // stopped run is the beginning of any longer one, and the look before it was not good enough.
  CurveTask look = make_task("nope", "gaussian:rho=0.25", 8, {1, 5}, *curve.samples);
  look.sampling.confidence = 1 - 0.05 / 8;
  const CurvePoint same = monte_carlo_curve(look).points[0];
  CHECK(same.mean->estimate.wide() == curve.points[0].mean->estimate.wide());
  CHECK(same.mean->error.absolute.value() ==
        Approx(curve.points[0].mean->error.absolute.value()).epsilon(1e-12));
  look.sampling.samples /= 2;
  const CurvePoint before = monte_carlo_curve(look).points[0];
  CHECK(before.mean->error.absolute.value() > 0.02 * before.mean->estimate.value());
}

TEST_CASE("A budget that ends before the tolerance says so") {
  CurveTask task = make_task("tapa", "gaussian:rho=0.25", 16, {1000}, 20'000);
  task.sampling.abs_tol = 1e-6;
  const DistanceCurve curve = monte_carlo_curve(task);
  CHECK(*curve.samples == 20'000);
  CHECK(curve.points[0].status == Status::target_not_met);
  CHECK(curve.points[0].mean->error.absolute.value() > 1e-6);
}

TEST_CASE("A mean within its own error is unresolved") {
  const DistanceCurve curve =
      monte_carlo_curve(make_task("tapa", "gaussian:rho=0.25", 128, {1ULL << 40}, 20'000));
  const CurvePoint& point = curve.points[0];
  CHECK(point.status == Status::unresolved);
  CHECK_FALSE(point.mean->sign_resolved);
  CHECK(point.mean->error.lower.sign() < 0);
  CHECK(point.mean->error.upper.sign() > 0);
  CHECK_FALSE(point.mean->error.relative_to_envelope.has_value());
  CHECK(point.variance->sign_resolved);
}

TEST_CASE("Threads change no bit of a curve") {
  CurveTask task = make_task("tapa", "gaussian:rho=0.25", 16, {0, 1, 100}, 50'000);
  task.sampling.threads = 1;
  const DistanceCurve one = monte_carlo_curve(task);
  task.sampling.threads = 2;
  check_same(one, monte_carlo_curve(task));
}

TEST_CASE("Progress rises to 1") {
  CurveTask task = make_task("nope", "gaussian", 8, {1}, 100'000);
  task.sampling.threads = 1;
  double last = 0;
  task.progress = [&](double fraction) {
    CHECK(fraction > last);
    last = fraction;
  };
  monte_carlo_curve(task);
  CHECK(last == 1.0);
}

TEST_CASE("A distance without token pairs has no quantities") {
  CurveTask task = make_task("nope", "gaussian", 2, {1, 3}, 10'000);
  EmpiricalDensity density;
  density.pairs = PairRule::at_distance;
  density.table =
      std::make_shared<const TokenTable>(TokenTable{3, 2, {1, 0, 2, 0, 4, 0}, {1, 0, -1, 0, 3, 0}});
  task.density = Density{"empirical", density};
  const DistanceCurve curve = monte_carlo_curve(task);
  CHECK(curve.points[0].mean.has_value());
  CHECK_FALSE(curve.points[1].mean.has_value());
  CHECK_FALSE(curve.points[1].variance.has_value());
}

TEST_CASE("Sampling options out of range are refused") {
  CurveTask task = make_task("nope", "gaussian", 2, {1}, 1);
  CHECK_THROWS_AS(monte_carlo_curve(task), InputError);
  task.sampling.samples = 100;
  task.sampling.confidence = 1;
  CHECK_THROWS_AS(monte_carlo_curve(task), InputError);
}

TEST_CASE("Intervals have the ends that tables give") {
  Moments moments;
  for (const double x : {1.0, 2.0, 3.0}) moments.add(x);
  // t_2 at 95% is 4.302653, s = 1.
  const Interval mean = mean_interval(moments, 0.95);
  CHECK(mean.upper - 2 == Approx(4.302653 / std::sqrt(3.0)).epsilon(1e-6));
  CHECK(2 - mean.lower == Approx(4.302653 / std::sqrt(3.0)).epsilon(1e-6));
  // mu_4 = 2/3, so e^2 = (2/3 - 0)/3.
  const Interval variance = variance_interval(moments, 0.95);
  CHECK(variance.upper == Approx(std::exp(4.302653 * std::sqrt(2.0) / 3)).epsilon(1e-6));
  CHECK(variance.lower * variance.upper == Approx(1.0).epsilon(1e-12));
}

TEST_CASE("The interval of the envelope is that of its component along the mean") {
  // Means (3, 4) and, at n = 101, variances of them 0.01 and 0.04 with covariance 0.005: along
  // (0.6, 0.8) the variance is 0.36 0.01 + 2 0.48 0.005 + 0.64 0.04 = 0.034, across it 0.016.
  const double n = 101, scale = n * (n - 1);
  const Moments score{101, 3, 0.01 * scale, 0, 0};
  const CompanionMoments sine{4, 0.04 * scale, 0.005 * scale};
  const Interval interval = modulus_interval(score, sine, 0.95);
  const double t = 1.9839715, center = 5 - 0.016 / 10;  // t_100
  CHECK(interval.lower == Approx(center - t * std::sqrt(0.034)).epsilon(1e-7));
  CHECK(interval.upper == Approx(center + t * std::sqrt(0.034)).epsilon(1e-7));

  // Close to 0: 100/99 F_{2,99}(0.95) = 100/99 3.0882, twice that is the square of the radius.
  const Moments small{101, 0.03, 0.01 * scale, 0, 0};
  const Interval near = modulus_interval(small, {0.04, 0.01 * scale, 0}, 0.95);
  CHECK(near.lower == 0);
  CHECK(near.upper == Approx(0.05 + 0.1 * std::sqrt(2 * 100 / 99.0 * 3.0882)).epsilon(1e-4));
}

TEST_CASE("The interval of the variance excess is that of excess less twice mean times score") {
  const double n = 101, scale = n * (n - 1);
  const Moments score{101, 2, 0.01 * scale, 0, 0};
  const CompanionMoments excess{7, 0.5 * scale, 0.06 * scale};
  CHECK(excess_estimate(score, excess) == Approx(7 - (4 - 0.01)).epsilon(1e-13));
  // 0.5 - 4 2 0.06 + 4 4 0.01, and 2 0.01^2.
  const double half = 1.9839715 * std::sqrt(0.5 - 0.48 + 0.16 + 0.0002);
  const Interval interval = excess_interval(score, excess, 0.95);
  CHECK(interval.upper - 3.01 == Approx(half).epsilon(1e-7));
  CHECK(3.01 - interval.lower == Approx(half).epsilon(1e-7));
}

TEST_CASE("Variances without an eighth moment get no interval, and the reason is given") {
  const auto curve = [](const char* density) {
    return monte_carlo_curve(make_task("tapa", density, 8, {1, 10}, 20'000));
  };
  for (const char* density : {"student-t:nu=5", "student-t:nu=8", "gaussian:key=student-t,nu=3"}) {
    const DistanceCurve heavy = curve(density);
    INFO(density);
    CHECK(heavy.unavailable.find("eighth moments") != std::string::npos);
    REQUIRE(heavy.points.size() == 2);
    for (const CurvePoint& point : heavy.points) {
      CHECK(point.mean.has_value());
      CHECK(point.envelope.has_value());
      CHECK_FALSE(point.variance.has_value());
      CHECK_FALSE(point.variance_excess.has_value());
    }
  }
  for (const char* density : {"student-t:nu=8.5", "laplace", "gaussian:rho=0.25"}) {
    const DistanceCurve light = curve(density);
    CHECK(light.unavailable.empty());
    CHECK(light.points[0].variance.has_value());
    CHECK(light.points[0].variance_excess.has_value());
  }
}
