#include "analysis/retrieval/score_law.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numbers>

#include "sim/elementary.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kSummedDistances = 63;
constexpr int kUniformNodes = 128;

double normal_above(double y) { return 0.5 * std::erfc(y * std::numbers::sqrt2 / 2); }

// P(mean c + sd |c| Z > x) for the cosine c of a phase; sd > 0.
double above_at(double c, double mean, double sd, double x) {
  const double width = sd * std::abs(c);
  if (width <= 1e-300) return x < 0 ? 1 : x > 0 ? 0 : 0.5;
  return normal_above((x - mean * c) / width);
}

double above_uniform(const GivenQueryPhase& law, double x) {
  double sum = 0;
  for (int i = 0; i < kUniformNodes; ++i) {
    const double c = cos_2pi((i + 0.5) / (2 * kUniformNodes));
    sum += above_at(c, law.amplitude_mean, law.amplitude_sd, x);
  }
  return sum / kUniformNodes;
}

}  // namespace

double log_normal_below(double y) {
  return y > 0 ? std::log1p(-normal_above(y)) : std::log(normal_above(-y));
}

double probability_above(const GivenQueryPhase& law, double x, double s) {
  const double spread = 2 * std::numbers::pi * s * law.phi_sd;
  if (spread >= kUniformPhase) return above_uniform(law, x);
  const double rest = law.amplitude_sd * std::sqrt(1 - law.correlation * law.correlation);
  // harmonic 2 m of the phase is aliased to e^(-(2 pi/step - 2 m spread)^2/2) of itself: m = 16
  const double step = 6 / (12 + 32 * spread);
  const int half = static_cast<int>(std::ceil(8.5 / step));
  double sum = 0, weight = 0;
  for (int i = -half; i <= half; ++i) {
    const double z = i * step, w = std::exp(-z * z / 2);
    const double turns = s * (law.phi_mean + law.phi_sd * z);
    const double c = cos_2pi(turns - std::round(turns));
    const double mean = law.amplitude_mean + law.amplitude_sd * law.correlation * z;
    sum += w * above_at(c, mean, rest, x);
    weight += w;
  }
  return sum / weight;
}

LogProbability log_all_below(const GivenQueryPhase& law, const PhaseScaleDouble& scale, double x,
                             std::uint64_t length) {
  const auto log_below = [&](double distance) {
    return std::log1p(-std::min(1.0, probability_above(law, x, scale(distance))));
  };
  LogProbability result;
  std::uint64_t next = 1;
  const auto uniform_from = [&](std::uint64_t distance) {
    return 2 * std::numbers::pi * scale(static_cast<double>(distance)) * law.phi_sd >=
           kUniformPhase;
  };
  for (; next <= std::min(length, kSummedDistances) && !uniform_from(next); ++next)
    result.value += log_below(static_cast<double>(next));
  if (next > length || !std::isfinite(result.value)) return result;
  // The first distance from which on all phases are uniform, or length + 1.
  std::uint64_t low = next, high = length + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (uniform_from(middle))
      high = middle;
    else
      low = middle + 1;
  }
  if (low > next) {
    using boost::math::quadrature::gauss_kronrod;
    const auto integrand = [&](double u) {
      const double distance = std::exp(u);
      return std::max(-1e300, log_below(distance) * distance);
    };
    const double from = std::log(static_cast<double>(next) - 0.5);
    const double to = std::log(static_cast<double>(low) - 0.5);
    double error = 0;
    // a probability of e^-300 needs no more digits
    double sum = gauss_kronrod<double, 15>::integrate(integrand, from, to, 0, 0, &error);
    if (result.value + sum > -300)
      sum = gauss_kronrod<double, 15>::integrate(integrand, from, to, 5, 1e-5, &error);
    result.value += sum;
    result.error = std::abs(error);
  }
  if (low <= length)
    result.value += static_cast<double>(length - low + 1) * std::log1p(-above_uniform(law, x));
  return result;
}

}  // namespace tapalab
