// The engine ball under densities whose amplitude and phase depend on each other: one random scale,
// and tapa-general over tokens.
#ifdef TAPALAB_FLINT3
#include <flint/acb_hypgeom.h>
#else
#include <acb_hypgeom.h>
#endif

#include <cmath>
#include <memory>
#include <random>

#include "catch.hpp"
#include "proofs-check/ball_curve.hpp"
#include "proofs-check/ball_task.hpp"
#include "proofs-check/radial_ball.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

bool within(const Quantity& quantity, const Ball& truth) {
  const slong bits = truth.bits();
  const Ball off = abs(Ball::exactly(quantity.estimate.wide(), bits) - truth);
  return certainly_at_most(off, Ball::exactly(quantity.error.absolute.wide(), bits));
}

bool holds_point(const CurvePoint& point, const PointBalls& truth) {
  return within(*point.mean, truth.mean) && within(*point.envelope, truth.envelope) &&
         (!point.variance || within(*point.variance, truth.variance)) &&
         (!point.variance_excess || within(*point.variance_excess, *truth.excess));
}

/// Every quantity of the other engine holds the ball of the same point, within its stated error, at
/// some precision up to 1536 bits.
void check_held(const CurveTask& task, const CurveTask& other) {
  const DistanceCurve plain = compute_curve(other);
  REQUIRE(plain.points.size() == task.distances.distances.size());
  for (const CurvePoint& point : plain.points) {
    bool held = false;
    for (slong bits = 128; bits <= 1536 && !held; bits *= 2) {
      const PointBalls truth = point_balls(task, point.distance, bits);
      CHECK(truth.has_variance == point.variance.has_value());
      held = holds_point(point, truth);
    }
    INFO(task.encoding.spec << " under " << task.density.spec << " at " << point.distance);
    CHECK(held);
  }
}

DecimalMatrix square_matrix(std::uint32_t D, std::mt19937& random) {
  DecimalMatrix m{D, D, {}};
  for (std::uint32_t i = 0; i < D * D; ++i) {
    m.entries.push_back(
        ExactDecimal::from_double((static_cast<double>(random() % 257) - 128) / 128, "entry"));
  }
  return m;
}

/// tapa-general with random matrices over random tokens.
CurveTask token_task(std::size_t tokens, std::uint32_t D, PairRule rule, const char* bandwidth,
                     std::vector<std::uint64_t> distances) {
  std::mt19937 random(11);
  CurveTask task = ball_task("tapa", "gaussian", D, std::move(distances));
  TapaGeneralEncoding encoding;
  encoding.alpha = ExactDecimal::parse("0.3", "alpha");
  encoding.M = square_matrix(D, random);
  encoding.N = square_matrix(D, random);
  task.encoding = {"tapa-general:alpha=0.3", encoding};
  TokenTable table{tokens, D, {}, {}};
  for (std::size_t i = 0; i < tokens * D; ++i) {
    table.queries.push_back((static_cast<double>(random() % 257) - 100) / 128);
    table.keys.push_back((static_cast<double>(random() % 257) - 140) / 128);
  }
  EmpiricalDensity law;
  law.file = "memory";
  law.pairs = rule;
  law.bandwidth = ExactDecimal::parse(bandwidth, "bandwidth");
  law.table = std::make_shared<const TokenTable>(std::move(table));
  task.density = {"empirical", law};
  return task;
}

}  // namespace

TEST_CASE("balls of one random scale hold what quadrature states, under every encoding") {
  for (const char* density :
       {"student-t-joint:nu=6,rho=0.3", "student-t-joint:nu=2.5,rho=-0.4,mean_q=0.5,mean_k=-0.2",
        "student-t-joint:nu=4.6,mean_q=0.5,mean_k=2,scale_k=0.1", "student-t-joint:nu=1000,rho=0.9",
        "quartic:rho=0.3", "quartic:mean_q=0.4,mean_k=0.3", "quartic:rho=-1,scale_q=3",
        "quartic"}) {
    for (const char* encoding : {"tapa:alpha=0.3", "tapa-linear:alpha=0.02", "rope"}) {
      const CurveTask task = ball_task(encoding, density, 4, {3});
      CurveTask other = task;
      other.engine = Engine::automatic;
      check_held(task, other);
    }
  }
}

TEST_CASE("under one random scale the engine ball meets its target, variance only where finite") {
  for (const char* density : {"student-t-joint:nu=3,rho=0.2", "quartic:rho=0.2,mean_q=0.3"}) {
    const DistanceCurve curve =
        compute_curve(ball_task("tapa:alpha=0.5", density, 16, {0, std::uint64_t{1} << 30}));
    for (const CurvePoint& point : curve.points) {
      INFO(density << " at " << point.distance);
      CHECK(point.status == Status::converged);
      CHECK(point.mean->error.rigorous);
      CHECK(point.variance.has_value() == (density[0] == 'q'));
    }
    CHECK(curve.unavailable.empty() == (density[0] == 'q'));
  }
}

TEST_CASE("the mean under student-t-joint is an incomplete gamma function where dP = 2, rho = 0") {
  // E a e^(i t phi) = rho sqrt(dA) E[R^2/(1 + tau^2 R^4)], R^2 = (nu - 2)/W, tau = t/sqrt(2):
  // (nu - 2) Re E 1/(W + i s), s = tau (nu - 2), and with W = 2 x, k = nu/2 (DLMF 8.6.4)
  // int x^(k-1) e^-x/(x + z) dx/Gamma(k) = z^(k-1) e^z Gamma(1 - k, z), z = i s/2.
  const slong bits = 192;
  for (const char* nu : {"2.5", "7", "24.5"}) {
    for (const std::uint64_t distance : {1ull, 100000ull}) {
      CurveTask task = ball_task("tapa:alpha=0.5",
                                 std::string("student-t-joint:a.rho=0.25,nu=") + nu, 4, {distance});
      const Ball rest = Ball::decimal(nu, bits) - 2, k = Ball::decimal(nu, bits) / 2;
      const Ball s =
          sqrt(Ball::distance(distance, bits)) * Ball::pi(bits) * 2 / sqrt(Ball(2, bits)) * rest;
      const ComplexBall z{Ball(0, bits), s / 2};
      acb_t order, argument, gamma;
      acb_init(order);
      acb_init(argument);
      acb_init(gamma);
      acb_set_arb(order, (Ball(1, bits) - k).get());
      arb_set(acb_imagref(argument), z.im.get());
      acb_hypgeom_gamma_upper(gamma, order, argument, 0, bits);
      ComplexBall value{Ball(0, bits), Ball(0, bits)};
      arb_set(value.re.get(), acb_realref(gamma));
      arb_set(value.im.get(), acb_imagref(gamma));
      acb_clear(order);
      acb_clear(argument);
      acb_clear(gamma);
      value = value * pow(z, k - 1) * exp(z);
      const Ball closed = value.re / 2 * rest * sqrt(Ball(2, bits)) / 4;
      const PointBalls at = point_balls(task, distance, bits);
      INFO("nu = " << nu << ", distance " << distance);
      CHECK(at.mean.overlaps(closed));
      CHECK(certainly_less(abs(at.mean - closed), abs(closed) * Ball::decimal("1e-15", bits)));
    }
  }
}

TEST_CASE("the amplitude under quartic has the fourth moment of its sphere") {
  // D = 2: n = 4, R^4/b^4 is Gamma(1): b^2 = 4/Gamma(3/2) = 8/sqrt(pi), and E (q k)^2 on the sphere
  // in four dimensions is E r^4/24 = b^4/24.
  const slong bits = 192;
  const PointBalls at = point_balls(ball_task("tapa", "quartic", 2, {0}), 0, bits);
  const Ball b4 = Ball(64, bits) / Ball::pi(bits);
  CHECK(certainly_less(abs(at.variance - b4 / 24), Ball::decimal("1e-50", bits)));
}

TEST_CASE("balls of tapa-general over smoothed tokens hold the mixture that they are") {
  for (const PairRule rule : {PairRule::all, PairRule::causal}) {
    for (const char* bandwidth : {"0.03125", "0.5"}) {
      const CurveTask task = token_task(4, 3, rule, bandwidth, {0, 1, 40, 70000});
      const auto& law = std::get<EmpiricalDensity>(task.density.law);
      const double h = law.bandwidth.value();
      MixtureDensity mixture;
      for (std::size_t m = 0; m < 4; ++m) {
        for (std::size_t n = 0; n < (rule == PairRule::all ? 4 : m + 1); ++n) {
          FullGaussianDensity one;
          one.covariance = {6, 6, std::vector<ExactDecimal>(36, ExactDecimal(0))};
          for (std::size_t i = 0; i < 6; ++i) {
            one.mean.push_back(ExactDecimal::from_double(
                i < 3 ? law.table->queries[3 * m + i] : law.table->keys[3 * n + i - 3], "mean"));
            one.covariance.entries[7 * i] = ExactDecimal::from_double(h * h, "variance");
          }
          mixture.components.push_back({{}, std::move(one)});
        }
      }
      CurveTask other = task;
      other.density = {"mixture", std::move(mixture)};
      other.engine = Engine::exact;
      check_held(task, other);
      for (const CurvePoint& point : compute_curve(task).points) {
        CHECK(point.status == Status::converged);
      }
    }
  }
}

TEST_CASE("balls of tapa-general over tokens are the plain sums over pairs") {
  const CurveTask task = token_task(9, 4, PairRule::all, "0", {3});
  const auto& encoding = std::get<TapaGeneralEncoding>(task.encoding.law);
  const auto& table = *std::get<EmpiricalDensity>(task.density.law).table;
  const double t = 2 * 3.141592653589793 * std::pow(3.0, 0.3);
  double re = 0, im = 0, square = 0;
  for (std::size_t m = 0; m < 9; ++m) {
    for (std::size_t n = 0; n < 9; ++n) {
      double a = 0, phi = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          const double qk = table.queries[4 * m + i] * table.keys[4 * n + j];
          a += encoding.M(i, j).value() * qk;
          phi += encoding.N(i, j).value() * qk;
        }
      }
      re += a * std::cos(t * phi) / 81;
      im += a * std::sin(t * phi) / 81;
      square += std::pow(a * std::cos(t * phi), 2) / 81;
    }
  }
  const CurvePoint point = compute_curve(task).points.at(0);
  CHECK(point.status == Status::converged);
  CHECK(std::abs(point.mean->estimate.value() - re) < 1e-13);
  CHECK(std::abs(point.envelope->estimate.value() - std::hypot(re, im)) < 1e-13);
  CHECK(std::abs(point.variance->estimate.value() - (square - re * re)) < 1e-13);
}
