#include "proofs-check/gaussian_ball.hpp"

#include <random>
#include <string>

#include "analysis/experiment.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

PairLaw law(const std::string& mean_q, const std::string& mean_k, const std::string& scale_q,
            const std::string& scale_k, const std::string& rho) {
  const auto d = [](const std::string& text) { return ExactDecimal::parse(text, "test"); };
  return {d(mean_q), d(mean_k), d(scale_q), d(scale_k), d(rho)};
}

/// E e^(i t x y) of a standard pair: the integral over y of e^(-y^2/2) E[e^(i t x y) | y], with x |
/// y ~ N(rho y, 1 - rho^2), by the trapezoidal rule, which converges faster than any power here.
ComplexBall by_quadrature(const std::string& rho_text, const std::string& t_text) {
  const slong bits = 128;
  const Ball rho = Ball::decimal(rho_text, bits), t = Ball::decimal(t_text, bits);
  const Ball h = Ball(1, bits) / 64;
  ComplexBall sum{Ball(0, bits), Ball(0, bits)};
  for (slong i = -64 * 14; i <= 64 * 14; ++i) {
    const Ball y = h * i, y2 = y * y;
    sum = sum +
          exp(ComplexBall{-(y2 / 2) - t * t * y2 * (Ball(1, bits) - rho * rho) / 2, t * rho * y2});
  }
  const Ball scale = h / sqrt(Ball::pi(bits) * 2);
  return {sum.re * scale, sum.im * scale};
}

bool near(const Ball& a, const Ball& b, const char* tolerance) {
  return certainly_less(abs(a - b), Ball::decimal(tolerance, 128));
}

}  // namespace

TEST_CASE("the pair transform agrees with quadrature of its definition") {
  for (const std::string rho : {"0", "0.25", "-0.6", "0.9"})
    for (const std::string t : {"0.1", "1", "-2.5"}) {
      INFO("rho = " << rho << ", t = " << t);
      const ComplexBall closed =
          pair_transform_ball(law("0", "0", "1", "1", rho), Ball::decimal(t, 128));
      const ComplexBall sum = by_quadrature(rho, t);
      CHECK(near(closed.re, sum.re, "1e-25"));
      CHECK(near(closed.im, sum.im, "1e-25"));
    }
}

TEST_CASE("balls of lower precision overlap those of higher precision") {
  std::mt19937_64 random(17);
  const auto decimal = [&](double low, double high) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    return std::to_string(low + u * (high - low));
  };
  for (int trial = 0; trial < 60; ++trial) {
    SplitGaussian model;
    model.amplitude_dim = 1 + static_cast<std::uint32_t>(random() % 70);
    model.phase_dim = 1 + static_cast<std::uint32_t>(random() % 70);
    model.alpha = decimal(0.05, 1);
    model.amplitude =
        law(decimal(-1, 1), decimal(-1, 1), decimal(0.2, 2), decimal(0.2, 2), decimal(-0.99, 0.99));
    model.phase =
        law(decimal(-1, 1), decimal(-1, 1), decimal(0.2, 2), decimal(0.2, 2), decimal(-0.99, 0.99));
    const std::uint64_t distance = random() >> (1 + random() % 63);
    const slong bits = 24 + static_cast<slong>(random() % 150);
    const ScoreBalls low = split_gaussian_ball(model, distance, bits);
    const ScoreBalls high = split_gaussian_ball(model, distance, bits + 500);
    INFO("trial " << trial << ", bits " << bits << ", distance " << distance);
    CHECK(low.mean.overlaps(high.mean));
    CHECK(low.envelope.overlaps(high.envelope));
    CHECK(low.variance.overlaps(high.variance));
    CHECK(low.variance_excess.overlaps(high.variance_excess));
  }
}

TEST_CASE("balls and the exact engine agree on every parameter of a pair") {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=0.3,share=0.25");
  task.density = parse_density(
      "gaussian:a.mean_q=0.5,a.mean_k=-0.3,a.scale_q=1.5,a.rho=0.4,p.mean_q=0.2,p.mean_k=0.7,"
      "p.scale_q=0.5,p.scale_k=2,p.rho=-0.3");
  task.head_dim = 16;
  task.distances = parse_distances("0,1,2,10,1000,2^40,2^62");
  const auto& given = std::get<GaussianDensity>(task.density.law);
  const SplitGaussian model{4, 12, "0.3", given.amplitude, given.phase};
  for (const CurvePoint& point : exact_gaussian_curve(task).points) {
    const ScoreBalls ball = split_gaussian_ball(model, point.distance, 256);
    INFO("distance " << point.distance);
    const auto close = [&](const Quantity& q, const Ball& b, const Ball& unit) {
      return certainly_less(abs(Ball::exactly(q.estimate.wide(), 256) - b),
                            unit * Ball::decimal("1e-20", 256));
    };
    CHECK(close(*point.mean, ball.mean, ball.envelope));
    CHECK(close(*point.envelope, ball.envelope, ball.envelope));
    CHECK(close(*point.variance, ball.variance, ball.variance));
  }
}

TEST_CASE("the bound is met with the right scale and broken with the printed one") {
  SplitGaussian model;
  model.amplitude = law("0.5", "0.25", "1", "1", "0");
  const Ball mean = split_gaussian_ball(model, 59049, 256).mean;
  CHECK(mean.midpoint(2) == "7.5e-27");
  CHECK(bias_bound_ball(model, 59049, 1, 256).midpoint(2) == "1.5e-24");
  CHECK(bias_bound_ball(model, 59049, 2, 256).midpoint(2) == "8.2e-44");
}

TEST_CASE("the bound refuses densities that its constant does not cover") {
  SplitGaussian model;
  CHECK_THROWS_AS(bias_bound_ball(model, 0, 1, 64), InputError);
  model.phase = law("0", "0", "1", "1", "1");
  CHECK_THROWS_AS(bias_bound_ball(model, 1, 1, 64), InputError);
  model.phase = law("0", "0", "0", "1", "0");
  CHECK_THROWS_AS(bias_bound_ball(model, 1, 1, 64), InputError);
}
