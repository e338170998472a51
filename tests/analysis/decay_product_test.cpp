// Predictions of fit at finite distance under independent coordinates, against closed forms of
// their own and the engines.
#include <cmath>
#include <limits>

#include "analysis/asymptote.hpp"
#include "analysis/experiment.hpp"
#include "analysis/fit.hpp"
#include "catch.hpp"

using namespace tapalab;

namespace {

const FitWindow kWholeCurve{0, std::numeric_limits<double>::infinity(), ErrorDependence::unknown};

}  // namespace

TEST_CASE("finite-distance exponents of independent coordinates meet what the engines measure") {
  const struct {
    const char* encoding;
    const char* density;
    const char* grid;
  } cases[] = {
      {"tapa:alpha=0.3", "sech:key=logistic,mean_q=0.5,mean_k=-0.2", "log:2:2^30:7"},
      {"tapa:alpha=0.3", "hermite2:a.mean_q=1,a.mean_k=1", "log:2:2^30:7"},
      {"tapa:alpha=0.2", "laplace:key=singular,a.mean_q=1,a.mean_k=1", "log:2:2^30:6"},
      {"tapa:alpha=0.2", "uniform:a.mean_q=1,a.mean_k=1", "log:2:2^20:6"},
      {"tapa-linear:alpha=0.01", "sech:key=laplace,mean_q=0.5,mean_k=1", "log:2:2^20:6"},
      {"tapa-linear:alpha=0.01", "logistic:key=singular,mean_q=1,mean_k=1", "log:2:2^20:6"}};
  for (const auto& c : cases) {
    CurveTask task;
    task.encoding = parse_encoding(c.encoding);
    task.density = parse_density(c.density);
    task.head_dim = 8;
    task.distances = parse_distances(c.grid);
    task.engine = Engine::automatic;
    const FitResult fit = fit_decay(compute_curve(task), kWholeCurve);
    INFO(c.encoding << " under " << c.density);
    REQUIRE(fit.local.size() >= 4);
    for (const LocalExponent& step : fit.local) {
      REQUIRE(step.predicted);
      CHECK(step.predicted->lower <= step.in_distance.upper);
      CHECK(step.in_distance.lower <= step.predicted->upper);
      CHECK(step.predicted->upper - step.predicted->lower <
            1e-8 * (1 + std::abs(step.predicted->value)));
    }
    REQUIRE(fit.overall_predicted);
  }
}

TEST_CASE("slopes of one pair are those of its closed forms") {
  const double s = 0.31;
  const auto slope = [s](const char* encoding, const char* density) {
    const DecayLaw law = decay_law(parse_encoding(encoding), parse_density(density), 2);
    const Rounded value = law.exponent_in_scale(s);
    CHECK(value.error < 1e-7);
    return value.value;
  };
  const double t = 2 * M_PI * s;
  // Si(3t)/(3t): t g'/g = sin(3t)/Si(3t) - 1; Si by its series
  double si = 0, term = 3 * t;
  for (int n = 0; n < 60; ++n) {
    si += term / (2 * n + 1);
    term *= -9 * t * t / ((2 * n + 2) * (2 * n + 3));
  }
  CHECK(slope("tapa", "uniform:a.mean_q=1,a.mean_k=1") ==
        Approx(std::sin(3 * t) / si - 1).epsilon(1e-9));
  // atan(y)/y, y = t sqrt(3/2)
  const double y = t * std::sqrt(1.5);
  CHECK(slope("tapa", "laplace:key=uniform,a.mean_q=1,a.mean_k=1") ==
        Approx(y / ((1 + y * y) * std::atan(y)) - 1).epsilon(1e-9));
  CHECK(slope("tapa", "rademacher:key=sech,a.mean_q=1,a.mean_k=1") ==
        Approx(-t * std::tanh(t)).epsilon(1e-9));
  // each characteristic function of a linear phase, by differences in double
  const auto difference = [t](auto F) {
    const double h = 1e-4;
    return (std::log(F(t * std::exp(h))) - std::log(F(t * std::exp(-h)))) / (2 * h);
  };
  const double root3 = std::sqrt(3.0);
  CHECK(slope("tapa-linear", "sech:a.mean_q=1,a.mean_k=1") ==
        Approx(2 * difference([](double w) { return 1 / std::cosh(w); })).epsilon(1e-6));
  CHECK(slope("tapa-linear", "logistic:key=gaussian,a.mean_q=1,a.mean_k=1") ==
        Approx(difference([&](double w) {
          return root3 * w / std::sinh(root3 * w) * std::exp(-w * w / 2);
        })).epsilon(1e-6));
  CHECK(slope("tapa-linear", "laplace:key=singular,a.mean_q=1,a.mean_k=1") ==
        Approx(difference([&](double w) {
          const double r = std::hypot(1.0, 2 * w / root3);
          return std::sqrt((r + 1) / 2) / r / (1 + w * w / 2);
        })).epsilon(1e-6));
  CHECK(slope("tapa-linear", "hermite2:key=uniform,a.mean_q=1,a.mean_k=1") ==
        Approx(difference([&](double w) {
          return std::abs((1 - w * w / 3) * std::exp(-w * w / 6) * std::sin(root3 * w) /
                          (root3 * w));
        })).epsilon(1e-6));
}

TEST_CASE("slopes of one pair that oscillates fast are right or not predicted") {
  const DecayLaw law =
      decay_law(parse_encoding("tapa"), parse_density("uniform:a.mean_q=1,a.mean_k=1"), 2);
  for (const double s : {5.0, 37.3, 200.7, 4321.1}) {
    const double x = 6 * M_PI * s;  // 3 t
    // Si by its expansion for large x: pi/2 - cos x sum - sin x sum
    double even = 0, odd = 0, term = 1 / x;
    for (int n = 0; n < 8; ++n) {
      (n % 2 == 0 ? even : odd) += (n % 4 < 2 ? 1 : -1) * term;
      term *= (n + 1) / x;
    }
    const double si = M_PI / 2 - std::cos(x) * even - std::sin(x) * odd;
    const Rounded value = law.exponent_in_scale(s);
    INFO("s = " << s << ": " << value.value << " +- " << value.error);
    CHECK(std::abs(value.value - (std::sin(x) / si - 1)) <= value.error + 1e-9);
    CHECK(value.error < 1e-3);
  }
  // (sech(1.7 T) e^(..) + sech(3.7 T) e^(..))/2, the second e^-400 of the first: the slope is -1.7
  // T
  const DecayLaw two = decay_law(parse_encoding("tapa"),
                                 parse_density("rademacher:key=sech,p.mean_q=-2.7,p.mean_k=3,"
                                               "a.mean_q=1,a.mean_k=1"),
                                 2);
  const Rounded far = two.exponent_in_scale(17.2);
  INFO(far.value << " +- " << far.error);
  CHECK((!std::isfinite(far.error) ||
         std::abs(far.value + 1.7 * 2 * M_PI * 17.2) <= far.error + 1e-9));
}

TEST_CASE("where the expansion serves, slopes near its start meet those of the integral") {
  // either side of the place where the expansion becomes right to 1e-11
  for (const char* density :
       {"sech:a.mean_q=1,a.mean_k=1", "gaussian:key=logistic,a.mean_q=1,a.mean_k=1,p.mean_q=0.4",
        "hermite2:a.mean_q=1,a.mean_k=1"}) {
    const DecayLaw law = decay_law(parse_encoding("tapa"), parse_density(density), 2);
    int resolved = 0;
    for (double s = 0.2; s < 30; s *= 1.7) {
      const double h = 1e-4;
      const Rounded low = law.log_envelope(s * std::exp(-h)),
                    high = law.log_envelope(s * std::exp(h));
      INFO(density << " at s = " << s);
      const double quotient = (high.value - low.value) / (2 * h);
      const Rounded slope = law.exponent_in_scale(s);
      // beside a zero of g (hermite2) both change within h
      CHECK(std::abs(slope.value - quotient) < slope.error + 1e-4 * (1 + std::abs(quotient)));
      resolved += slope.error < 1e-6 * (1 + std::abs(quotient));
    }
    CHECK(resolved >= 8);
  }
}
