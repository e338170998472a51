// Densities whose amplitude and phase depend on each other: mixtures, smoothed tokens, one random
// scale.
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <random>

#include "analysis/experiment.hpp"
#include "analysis/pair_draws.hpp"
#include "analysis/radial_curve.hpp"
#include "analysis/writers/json.hpp"
#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/coupled_sampler.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

CurveTask task_of(const std::string& encoding, const Density& density, std::uint32_t head_dim,
                  std::vector<std::uint64_t> distances) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = density;
  task.head_dim = head_dim;
  task.distances.distances = std::move(distances);
  return task;
}

DistanceCurve curve_of(const std::string& encoding, const std::string& density,
                       std::uint32_t head_dim, std::vector<std::uint64_t> distances) {
  return compute_curve(task_of(encoding, parse_density(density), head_dim, std::move(distances)));
}

double value(const std::optional<Quantity>& quantity) {
  REQUIRE(quantity);
  return quantity->estimate.value();
}

void check_near(const std::optional<Quantity>& a, const std::optional<Quantity>& b,
                const Wide& size) {
  REQUIRE(a);
  REQUIRE(b);
  const Wide difference = abs(Wide(a->estimate.wide() - b->estimate.wide()));
  CHECK(difference <= a->error.absolute.wide() + b->error.absolute.wide());
  CHECK(difference <= Wide("1e-12") * size);
}

void check_same_points(const DistanceCurve& a, const DistanceCurve& b) {
  REQUIRE(a.points.size() == b.points.size());
  REQUIRE(!a.points.empty());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    INFO("distance " << a.points[i].distance);
    CHECK(a.points[i].status == Status::converged);
    const Wide envelope = b.points[i].envelope->estimate.wide();
    check_near(a.points[i].mean, b.points[i].mean, envelope);
    check_near(a.points[i].envelope, b.points[i].envelope, envelope);
    check_near(a.points[i].variance, b.points[i].variance, b.points[i].variance->estimate.wide());
  }
}

// Sampled means and variances of `exact`, at 1 - 1e-7 each.
void check_sampled(CurveTask task, const DistanceCurve& exact) {
  task.engine = Engine::mc;
  task.sampling.samples = 100'000;
  task.sampling.confidence = 1 - 1e-7;
  task.sampling.threads = 2;
  const DistanceCurve sampled = compute_curve(task);
  REQUIRE(sampled.points.size() == exact.points.size());
  const auto inside = [](const std::optional<Quantity>& interval, double truth) {
    REQUIRE(interval);
    CHECK(interval->error.lower.value() <= truth);
    CHECK(truth <= interval->error.upper.value());
  };
  for (std::size_t i = 0; i < exact.points.size(); ++i) {
    INFO(task.encoding.spec << " " << task.density.spec << " " << exact.points[i].distance);
    inside(sampled.points[i].mean, value(exact.points[i].mean));
    if (!sampled.points[i].variance) continue;
    inside(sampled.points[i].variance, value(exact.points[i].variance));
  }
}

std::string refusal(const std::string& spec) {
  try {
    parse_density(spec);
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  return "accepted";
}

Density tokens(std::size_t count, std::uint32_t dim, PairRule rule, const std::string& bandwidth) {
  EmpiricalDensity law;
  law.file = "memory";
  law.pairs = rule;
  law.bandwidth = ExactDecimal::parse(bandwidth, "bandwidth");
  TokenTable table{count, dim, {}, {}};
  std::mt19937 random(7);
  for (std::size_t i = 0; i < count * dim; ++i) {
    table.queries.push_back(static_cast<double>(random() % 4001) / 1000 - 1.6);
    table.keys.push_back(static_cast<double>(random() % 4001) / 1000 - 1.8);
  }
  law.table = std::make_shared<const TokenTable>(std::move(table));
  return {"empirical", law};
}

// The mixture that a smoothed file is, every pair a component with a full covariance.
Density as_mixture(const Density& density, const std::vector<std::pair<int, int>>& pairs) {
  const auto& law = std::get<EmpiricalDensity>(density.law);
  const std::uint32_t dim = law.table->head_dim;
  const ExactDecimal square =
      ExactDecimal::from_double(law.bandwidth.value() * law.bandwidth.value(), "variance");
  MixtureDensity mixture;
  for (const auto& [m, n] : pairs) {
    FullGaussianDensity one;
    one.covariance.rows = one.covariance.cols = 2 * dim;
    one.covariance.entries.assign(4 * std::size_t{dim} * dim, ExactDecimal(0));
    for (std::uint32_t i = 0; i < 2 * dim; ++i) {
      const double x = i < dim ? law.table->queries[static_cast<std::uint32_t>(m) * dim + i]
                               : law.table->keys[static_cast<std::uint32_t>(n) * dim + i - dim];
      one.mean.push_back(ExactDecimal::from_double(x, "mean"));
      one.covariance.entries[i * (2 * dim + 1)] = square;
    }
    mixture.components.push_back({{}, std::move(one)});
  }
  return {"mixture", std::move(mixture)};
}

const char* const kMixture =
    "mixture:weight=0.25,rho=0.75,scale_q=1.5,mean_q=0.5,mean_k=-0.25;weight=0.5,rho=-0.2;"
    "weight=0.25,mean_k=0.3";

}  // namespace

TEST_CASE("a mixture of one component is the Gaussian, digit by digit and sample by sample") {
  for (const char* encoding : {"tapa", "tapa-linear", "rope", "xpos"}) {
    const auto one = curve_of(encoding, "mixture:rho=0.25,mean_q=0.5", 16, {0, 1, 1000});
    const auto gaussian = curve_of(encoding, "gaussian:rho=0.25,mean_q=0.5", 16, {0, 1, 1000});
    REQUIRE(one.points.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto text = [](const std::optional<Quantity>& q) { return quantity_json(q).dump(); };
      CHECK(text(one.points[i].mean) == text(gaussian.points[i].mean));
      CHECK(text(one.points[i].variance) == text(gaussian.points[i].variance));
      CHECK(text(one.points[i].envelope) == text(gaussian.points[i].envelope));
    }
  }
  const Encoding tapa = parse_encoding("tapa");
  const PairDraws a(tapa, parse_density("mixture:rho=0.25,mean_q=0.5"), 8, 3);
  const PairDraws b(tapa, parse_density("gaussian:rho=0.25,mean_q=0.5"), 8, 3);
  std::vector<double> x(16 * kLanes), y(x.size());
  a.lanes(64, x.data());
  b.lanes(64, y.data());
  CHECK(x == y);
}

TEST_CASE("equal components make no mixture") {
  for (const char* encoding : {"tapa", "rope"}) {
    check_same_points(curve_of(encoding, "mixture:rho=0.3;rho=0.3;rho=0.3", 12, {0, 1, 50, 4000}),
                      curve_of(encoding, "gaussian:rho=0.3", 12, {0, 1, 50, 4000}));
  }
}

TEST_CASE("moments of a mixture follow from those of its components") {
  for (const char* encoding : {"tapa", "tapa:law=linear,alpha=1", "rope", "alibi:slope=0.01"}) {
    const std::vector<std::uint64_t> distances{0, 1, 30, 2000};
    const DistanceCurve mixture = curve_of(encoding, kMixture, 16, distances);
    const DistanceCurve parts[] = {
        curve_of(encoding, "gaussian:rho=0.75,scale_q=1.5,mean_q=0.5,mean_k=-0.25", 16, distances),
        curve_of(encoding, "gaussian:rho=-0.2", 16, distances),
        curve_of(encoding, "gaussian:mean_k=0.3", 16, distances)};
    const double weights[] = {0.25, 0.5, 0.25};
    for (std::size_t i = 0; i < distances.size(); ++i) {
      Wide mean = 0, square = 0;
      for (int c = 0; c < 3; ++c) {
        const Wide m = parts[c].points[i].mean->estimate.wide();
        mean += Wide(weights[c]) * m;
        square += Wide(weights[c]) * (parts[c].points[i].variance->estimate.wide() + m * m);
      }
      INFO(encoding << " at " << distances[i]);
      const CurvePoint& point = mixture.points[i];
      CHECK(point.status == Status::converged);
      CHECK(abs(Wide(point.mean->estimate.wide() - mean)) <=
            Wide("1e-15") * (abs(mean) + point.envelope->estimate.wide()));
      CHECK(abs(Wide(point.variance->estimate.wide() - (square - mean * mean))) <=
            Wide("1e-14") * square);
    }
  }
}

TEST_CASE("means of mixtures that cancel are exactly 0, and those that nearly do are not") {
  for (const char* encoding : {"rope", "xpos"}) {
    const auto zero =
        curve_of(encoding, "mixture:weight=0.25,mean_q=3,mean_k=1;weight=0.75,mean_q=-1,mean_k=1",
                 8, {0, 2});
    for (const CurvePoint& point : zero.points) {
      CHECK(point.mean->estimate.sign() == 0);
      CHECK(point.mean->error.absolute.sign() == 0);
      CHECK(point.status == Status::converged);
    }
  }
  for (const char* encoding : {"tapa", "tapa-linear"}) {
    const auto zero =
        curve_of(encoding, "mixture:weight=0.25,a.rho=0.6;weight=0.75,a.rho=-0.2", 8, {0, 2});
    for (const CurvePoint& point : zero.points) {
      CHECK(point.mean->error.absolute.sign() == 0);
      CHECK(point.status == Status::converged);
    }
    const auto near =
        curve_of(encoding, "mixture:weight=0.25,a.rho=0.6;weight=0.75,a.rho=-0.2000000001", 8, {2});
    CHECK(near.points[0].mean->estimate.sign() < 0);
  }
}

TEST_CASE("sampled mixtures meet the closed forms, with one result for any number of threads") {
  for (const char* encoding : {"tapa", "rope"}) {
    CurveTask task = task_of(encoding, parse_density(kMixture), 8, {0, 1, 100});
    check_sampled(task, compute_curve(task));
    task.engine = Engine::mc;
    task.sampling.samples = 20'000;
    task.sampling.threads = 1;
    const DistanceCurve one = compute_curve(task);
    task.sampling.threads = 3;
    CHECK(curve_json(one).dump() == curve_json(compute_curve(task)).dump());
  }
}

TEST_CASE("components are drawn with their weights") {
  const Encoding tapa = parse_encoding("tapa");
  const auto law = std::get<MixtureDensity>(parse_density(kMixture).law);
  const MixtureSource source(lower(law, tapa, 4), 11);
  double counts[3] = {};
  constexpr int kDraws = 40'000;
  for (std::uint64_t i = 0; i < kDraws; ++i) counts[source.component(i)] += 1.0 / kDraws;
  CHECK(std::abs(counts[0] - 0.25) < 5 * std::sqrt(0.25 * 0.75 / kDraws));
  CHECK(std::abs(counts[1] - 0.5) < 5 * std::sqrt(0.25 / kDraws));
}

TEST_CASE("mixtures are refused in one line where weights do not make a probability") {
  using Catch::Contains;
  CHECK_THAT(refusal("mixture:weight=0.5;weight=0.6"), Contains("sum to 1.1"));
  CHECK_THAT(refusal("mixture:weight=-0.5;weight=1.5"), Contains("component 1: weight"));
  CHECK_THAT(refusal("mixture:weight=1;weight=0"), Contains("component 2: weight"));
  CHECK_THAT(refusal("mixture:weight=0.5;rho=0.5"), Contains("1 of 2 components"));
  CHECK_THAT(refusal("mixture:weight=nan"), Contains("component 1: weight"));
  CHECK_THAT(refusal("mixture:rho=2"), Contains("component 1: rho"));
  CHECK_THAT(refusal("mixture:rho=0;sigma=1"), Contains("component 2: unknown key"));
  CHECK_THAT(refusal("gaussian:rho=0;rho=1"), Contains("';'"));
  CHECK_THAT(refusal("student-t-joint"), Contains("nu is missing"));
  CHECK_THAT(refusal("student-t-joint:nu=2"), Contains("out of range"));
  CHECK_THAT(refusal("student-t-joint:nu=nan"), Contains("nu"));
  CHECK_THAT(refusal("quartic:nu=5"), Contains("unknown key"));
  CHECK_THAT(refusal("empirical:q=a.npy,k=b.npy,bandwidth=-1"), Contains("bandwidth"));
}

TEST_CASE("smoothed tokens are the mixture over their pairs") {
  const std::size_t count = 4;
  std::vector<std::pair<int, int>> all, causal, near;
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 4; ++n) {
      all.emplace_back(m, n);
      if (n <= m) causal.emplace_back(m, n);
      if (n + 1 == m) near.emplace_back(m, n);
    }
  for (const char* encoding : {"tapa:share=0.5", "tapa-linear", "rope", "partial:partial=0.5"}) {
    const auto check = [&](PairRule rule, const std::vector<std::pair<int, int>>& pairs,
                           std::vector<std::uint64_t> distances) {
      INFO(encoding << " " << static_cast<int>(rule));
      const Density smoothed = tokens(count, 4, rule, "0.25");
      check_same_points(
          compute_curve(task_of(encoding, smoothed, 4, distances)),
          compute_curve(task_of(encoding, as_mixture(smoothed, pairs), 4, distances)));
    };
    check(PairRule::all, all, {0, 1, 20, 5000});
    check(PairRule::causal, causal, {0, 1, 20, 5000});
    check(PairRule::at_distance, near, {1});
  }
}

TEST_CASE("smoothed tokens are sampled with their bandwidth") {
  for (const char* encoding : {"tapa", "rope"}) {
    const CurveTask task = task_of(encoding, tokens(20, 8, PairRule::all, "0.5"), 8, {0, 1, 10});
    check_sampled(task, compute_curve(task));
  }
}

TEST_CASE("student-t-joint meets a plain sum over its scale") {
  // D = 8, split in halves: Phi_1 = E[sqrt(4) rho R^2 Delta^(-2)], Delta = (1 - i t' R^2 rho)^2 +
  // t'^2 R^4, t' = t/2, by the midpoint rule over W with the density of chi-squared.
  const double nu = 5, rho = 0.4, step = 1e-3;
  const DistanceCurve curve =
      curve_of("tapa", "student-t-joint:nu=5,rho=0.4", 8, {0, 1, 100, 100'000});
  REQUIRE(curve.points.size() == 4);
  CHECK(value(curve.points[0].mean) == Approx(2 * rho));
  for (const CurvePoint& point : curve.points) {
    INFO("distance " << point.distance);
    CHECK(point.status == Status::converged);
    if (point.distance == 0) continue;
    CHECK(point.mean->error.kind == ErrorKind::quadrature);
    const double t = 2 * std::acos(-1.0) * std::pow(static_cast<double>(point.distance), 0.1) / 2;
    std::complex<double> sum = 0;
    for (double w = step / 2; w < 120; w += step) {
      const double density =
          std::pow(w, nu / 2 - 1) * std::exp(-w / 2) / (std::pow(2, nu / 2) * std::tgamma(nu / 2));
      const double r2 = (nu - 2) / w;
      const std::complex<double> tilt(1, -t * r2 * rho), delta = tilt * tilt + t * t * r2 * r2;
      // E[a | R] is not tilted: amplitude and phase coordinates are independent given R.
      sum += density * step * 2.0 * rho * r2 / (delta * delta);
    }
    CHECK(std::abs(value(point.mean) - sum.real()) < 1e-7 * std::abs(sum));
    CHECK(std::abs(value(point.envelope) - std::abs(sum)) < 1e-7 * std::abs(sum));
  }
}

TEST_CASE("quartic meets a double integral over the squared radii of its two planes") {
  // D = 2: the circle averages of e^(i t q k) and q k are e^(i t rho s/2) J_0(t s/2) and rho s/2, s
  // the squared radius of the plane (q, k) before rho.
  const double rho = 0.3;
  const DistanceCurve curve = curve_of("tapa", "quartic:rho=0.3", 2, {0, 1, 3000});
  const double b2 = static_cast<double>(quartic_width_squared(2));
  for (const CurvePoint& point : curve.points) {
    INFO("distance " << point.distance);
    CHECK(point.status == Status::converged);
    const double t = point.distance == 0
                         ? 0
                         : 2 * std::acos(-1.0) * std::pow(static_cast<double>(point.distance), 0.1);
    constexpr int n = 1000;
    const double step = 6 * b2 / n;
    double norm = 0, square = 0, second = 0;
    std::complex<double> first = 0;
    const auto simpson = [](int i) { return i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0; };
    for (int i = 0; i <= n; ++i) {
      const double s = i * step;
      const double j1 = boost::math::cyl_bessel_j(0, t * s / 2);
      const double j2 = boost::math::cyl_bessel_j(0, t * s);
      double weight = 0, mean = 0, fourth = 0;
      for (int k = 0; k <= n; ++k) {
        const double a = k * step, sum = (s + a) / b2;
        const double w = simpson(i) * simpson(k) * std::exp(-sum * sum);
        weight += w;
        mean += w * rho * a / 2;
        fourth += w * a * a / 4 * (rho * rho + 0.5);
      }
      norm += weight;
      first += mean * std::polar(j1, t * rho * s / 2);
      square += fourth;
      second += fourth * std::cos(t * rho * s) * j2;
    }
    first /= norm;
    const double variance = (square + second) / norm / 2 - first.real() * first.real();
    CHECK(std::abs(value(point.mean) - first.real()) < 1e-7);
    CHECK(std::abs(value(point.variance) - variance) < 1e-6);
  }
}

TEST_CASE("radial densities are sampled as their closed moments say") {
  const auto check = [](const char* density, const char* encoding) {
    const CurveTask task = task_of(encoding, parse_density(density), 8, {0, 3});
    check_sampled(task, compute_curve(task));
  };
  for (const char* encoding : {"tapa", "tapa-linear", "rope"}) {
    check("student-t-joint:nu=24,rho=0.3,mean_q=0.4,mean_k=0.2", encoding);
  }
  check("quartic:rho=0.3,mean_q=0.4", "tapa");
  check("quartic:rho=0.3", "tapa-linear");
  check("quartic:rho=0.3,mean_q=0.4", "rope");
}

TEST_CASE("with many degrees of freedom student-t-joint is the Gaussian") {
  for (const char* encoding : {"tapa", "rope"}) {
    const auto t = curve_of(encoding, "student-t-joint:nu=1e40,rho=0.25", 16, {0, 1, 4000});
    check_same_points(t, curve_of(encoding, "gaussian:rho=0.25", 16, {0, 1, 4000}));
  }
}

TEST_CASE("where moments of the scale are infinite variances are null, and samplers refuse") {
  for (const char* encoding : {"tapa", "rope"}) {
    const auto curve = curve_of(encoding, "student-t-joint:nu=4,rho=0.25", 16, {1, 100});
    for (const CurvePoint& point : curve.points) {
      CHECK(point.mean);
      CHECK_FALSE(point.variance);
      CHECK_FALSE(point.variance_excess);
      CHECK(point.status == Status::converged);
    }
    CHECK_THAT(curve.unavailable, Catch::Contains("nu = 4"));
    CurveTask task = task_of(encoding, parse_density("student-t-joint:nu=4"), 16, {1});
    task.engine = Engine::mc;
    CHECK_THROWS_AS(choose_engine(task), InputError);
  }
}

TEST_CASE("under student-t-joint both peaks of the integral over the scale count, beside means") {
  // rho = 0: given R the pair of phase coordinates is independent, and E e^(i t x y) is
  // D^(-1/2) e^((i T u v - T^2 (u^2 + v^2)/2)/D), D = 1 + T^2, T = t R^2 s_q s_k, means in scales.
  // Means of 20 scales leave large R, where they no longer count, and R beside 0.
  const double nu = 4.6, k = nu / 2, mean_q = 0.5, mean_k = 2, scale_k = 0.1;
  const double t = 2 * M_PI * std::pow(3.0, 0.3) / std::sqrt(2.0);
  std::complex<double> sum = 0, right = 0;
  const double h = 0.005;
  for (int i = -8000; i < 1200; ++i) {
    const double v = i * h, R2 = (1 - 1 / k) * std::exp(-v), T = t * R2 * scale_k;
    const double density = std::exp(k * (v - std::exp(v)) + k * std::log(k) - std::lgamma(k));
    const double u = mean_q / std::sqrt(R2), w = mean_k / std::sqrt(R2) / scale_k, D = 1 + T * T;
    const std::complex<double> exponent(-T * T * (u * u + w * w) / 2, T * u * w);
    const std::complex<double> pair = std::exp(exponent / D) / std::sqrt(D);
    const std::complex<double> term = h * density * pair * pair * std::sqrt(2.0) * mean_q * mean_k;
    sum += term;
    if (i >= 0) right += term;
  }
  CHECK(std::abs(right) > 0.2 * std::abs(sum));
  CHECK(std::abs(right) < 0.8 * std::abs(sum));
  const DistanceCurve curve =
      curve_of("tapa:alpha=0.3", "student-t-joint:nu=4.6,mean_q=0.5,mean_k=2,scale_k=0.1", 4, {3});
  CHECK(std::abs(value(curve.points.at(0).mean) - sum.real()) < 1e-11 * std::abs(sum));
  CHECK(std::abs(value(curve.points.at(0).envelope) - std::abs(sum)) < 1e-11 * std::abs(sum));
}
