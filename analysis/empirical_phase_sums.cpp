#include "analysis/empirical_phase_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tapalab::empirical {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kStrip = 256;  // pairs whose cosines are kept in cache

/// Taylor coefficients of sin(pi f)/f and cos(pi f) in f^2, (-1)^k pi^n / n!. For |f| <= 0.54 the
/// first term left out is below 2e-17.
constexpr std::size_t kTerms = 12;
constexpr std::array<double, kTerms> series(int first) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  std::array<double, kTerms> result{};
  long double term = first == 0 ? 1.0L : pi;
  for (std::size_t k = 0; k < kTerms; ++k) {
    result[k] = static_cast<double>(term);
    const auto n = static_cast<long double>(2 * k + first);
    term *= -pi * pi / ((n + 1) * (n + 2));
  }
  return result;
}
constexpr auto kSine = series(1);
constexpr auto kCosine = series(0);

double polynomial(const std::array<double, kTerms>& coefficients, double x) {
  double value = coefficients[kTerms - 1];
  for (std::size_t k = kTerms - 1; k-- > 0;) value = value * x + coefficients[k];
  return value;
}

/// Nearest integer for |x| < 2^51, without a call.
double round_small(double x) {
  constexpr double kShift = 0x1.8p52;
  return (x + kShift) - kShift;
}

/// cos and sin of 2 pi f, |f| <= 0.54, from half the angle: errors below 1e-15.
void store_cosine(double f, double& cosine, double& sine) {
  const double square = f * f;
  const double half_sine = f * polynomial(kSine, square);
  const double half_cosine = polynomial(kCosine, square);
  cosine = 1 - 2 * half_sine * half_sine;
  sine = 2 * half_sine * half_cosine;
}

void small_phases(const PairValues& v, std::size_t begin, std::size_t count, const PhaseScale& s,
                  double* cosine, double* sine) {
  const double* heads = &v.high_head[begin];
  const double* rests = &v.high_rest[begin];
  const double* lows = &v.low[begin];
  for (std::size_t i = 0; i < count; ++i) {
    const double leading = s.head * heads[i];
    const double small = (s.head * rests[i] + s.rest * heads[i]) +
                         (s.rest * rests[i] + (s.high * lows[i] + s.low * (heads[i] + rests[i])));
    store_cosine((leading - round_small(leading)) + small, cosine[i], sine[i]);
  }
}

void large_phases(const PairValues& v, std::size_t begin, std::size_t count, const PhaseScale& s,
                  double* cosine, double* sine) {
  const auto reduce = [](double x) { return x - std::nearbyint(x); };
  for (std::size_t i = 0; i < count; ++i) {
    const double upper = v.high_head[begin + i], rest = v.high_rest[begin + i];
    const double f = (reduce(s.head * upper) + reduce(s.head * rest)) +
                     (reduce(s.rest * upper) + reduce(s.rest * rest)) +
                     (reduce(s.high * v.low[begin + i]) + reduce(s.low * (upper + rest)));
    store_cosine(reduce(f), cosine[i], sine[i]);
  }
}

double add_lanes(const double* x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

}  // namespace

PhaseScale make_phase_scale(const Wide& scale) {
  const TwoDouble both = two_double(scale);
  return {head(both.high), both.high - head(both.high), both.high, both.low};
}

PhaseSums phase_sums(const PairValues& values, const PhaseScale& scale, double largest) {
  double first[kLanes] = {}, second[kLanes] = {}, third[kLanes] = {};
  alignas(64) double cosine[kStrip];
  alignas(64) double sine[kStrip];
  const bool small = largest < 0x1p20;
  for (std::size_t begin = 0; begin < values.size(); begin += kStrip) {
    const std::size_t count = std::min(kStrip, values.size() - begin);
    if (small)
      small_phases(values, begin, count, scale, cosine, sine);
    else
      large_phases(values, begin, count, scale, cosine, sine);
    const double* amplitude = &values.amplitude[begin];
    const auto add = [&](std::size_t i, std::size_t lane) {
      const double a = amplitude[i];
      first[lane] += a * cosine[i];
      second[lane] += a * sine[i];
      third[lane] += a * a * (1 - 2 * sine[i] * sine[i]);  // cos(4 pi x)
    };
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) add(i + lane, lane);
    for (std::size_t lane = 0; i + lane < count; ++lane) add(i + lane, lane);
  }
  return {add_lanes(first), add_lanes(second), add_lanes(third)};
}

}  // namespace tapalab::empirical
