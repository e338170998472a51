// The exact engine on mixtures against ball arithmetic of the components.
#include <random>
#include <string>

#include "analysis/experiment.hpp"
#include "catch.hpp"
#include "proofs-check/gaussian_ball.hpp"

using namespace tapalab;

TEST_CASE("stated errors of mixtures cover the weighted sum of the components' balls") {
  std::mt19937_64 random(23);
  const auto decimal = [&](double low, double high) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    return std::to_string(low + u * (high - low));
  };
  for (int trial = 0; trial < 60; ++trial) {
    const std::uint32_t half = 1 + static_cast<std::uint32_t>(random() % 40);
    const std::size_t count = 2 + random() % 3;
    const slong bits = 256;
    MixtureDensity mixture;
    std::vector<SplitGaussian> models;
    for (std::size_t c = 0; c < count; ++c) {
      const auto law = [&]() -> PairLaw {
        const auto d = [](const std::string& text) { return ExactDecimal::parse(text, "test"); };
        return {d(decimal(-1, 1)), d(decimal(-1, 1)), d(decimal(0.2, 2)), d(decimal(0.2, 2)),
                d(decimal(-0.99, 0.99))};
      };
      const GaussianDensity one{law(), law(), true};
      // dyadic weights: 1/2, 1/4, ..., the last twice
      const int power = static_cast<int>(c + 1 < count ? c + 1 : c);
      mixture.components.push_back(
          {ExactDecimal::from_double(std::ldexp(1.0, -power), "weight"), one});
      models.push_back({half, half, "0.1", one.amplitude, one.phase});
    }
    CurveTask task;
    task.encoding = parse_encoding("tapa:alpha=0.1");
    task.density = {"mixture", mixture};
    task.head_dim = 2 * half;
    const std::uint64_t distance = random() >> (1 + random() % 63);
    task.distances.distances = {distance};
    const CurvePoint point = exact_gaussian_curve(task).points.at(0);
    Ball mean(0, bits), square(0, bits);
    for (std::size_t c = 0; c < count; ++c) {
      const ScoreBalls balls = split_gaussian_ball(models[c], distance, bits);
      const Ball weight = Ball::decimal(mixture.components[c].weight->text(), bits);
      mean = mean + weight * balls.mean;
      square = square + weight * (balls.variance + balls.mean * balls.mean);
    }
    const auto covers = [&](const Quantity& quantity, const Ball& truth) {
      const Wide value = truth.midpoint_wide();
      CHECK(quantity.error.lower.wide() <= value);
      CHECK(value <= quantity.error.upper.wide());
    };
    INFO("trial " << trial << ", distance " << distance);
    covers(*point.mean, mean);
    covers(*point.variance, square - mean * mean);
  }
}
