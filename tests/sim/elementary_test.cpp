// Each bound in sim/elementary.hpp and sim/random/normal.hpp, as stated there, over dense and
// random arguments, against 192-bit arithmetic.
#include "sim/elementary.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "sim/numbers/wide.hpp"
#include "sim/random/normal.hpp"

using namespace tapalab;

namespace {

// Arguments in [-1/2, 1/2]: uniform ones, and neighbourhoods of the ends of every quadrant.
std::vector<double> turn_arguments() {
  std::vector<double> arguments;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (int i = 0; i < 20'000; ++i) arguments.push_back(uniform(random));
  for (int eighth = -4; eighth <= 4; ++eighth) {
    for (int i = 0; i < 800; ++i) {
      arguments.push_back(eighth / 8.0 + uniform(random) * std::ldexp(1.0, -(i % 50)));
    }
  }
  return arguments;
}

double error_of(double computed, const Wide& exact) {
  return static_cast<double>(abs(Wide(Wide(computed) - exact)));
}

template <class Real>
void check_sincos(double absolute, double sine_relative) {
  double worst_sin = 0, worst_cos = 0, worst_relative = 0;
  for (const double argument : turn_arguments()) {
    const Real turns = static_cast<Real>(argument);
    const SinCos<Real> computed = sincos_2pi(turns);
    const Wide sine = sin_turns(Wide(turns)), cosine = cos_turns(Wide(turns));
    worst_sin = std::max(worst_sin, error_of(computed.sin, sine));
    worst_cos = std::max(worst_cos, error_of(computed.cos, cosine));
    if (std::abs(turns) <= Real(0.125) && turns != 0) {
      worst_relative = std::max(worst_relative,
                                error_of(computed.sin, sine) / std::abs(static_cast<double>(sine)));
    }
  }
  CHECK(worst_sin <= absolute);
  CHECK(worst_cos <= absolute);
  CHECK(worst_relative <= sine_relative);
  // The bounds say something: the functions come within half of them.
  CHECK(worst_sin > absolute / 2);
  CHECK(worst_cos > absolute / 2);
  CHECK(worst_relative > sine_relative / 2);
}

}  // namespace

TEST_CASE("sin and cos of a fraction of a turn keep their stated errors in double") {
  check_sincos<double>(1.3e-16, 1.5e-16);
}

TEST_CASE("sin and cos of a fraction of a turn keep their stated errors in float") {
  check_sincos<float>(6.5e-8, 8e-8);
}

TEST_CASE("sin and cos are exact at quarters of a turn, also far out") {
  const double sines[] = {0, 1, 0, -1};
  for (const double start : {-std::ldexp(1.0, 49), -8.0, 0.0, 1e6, std::ldexp(1.0, 49) - 1}) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      const SinCos<double> value = sincos_2pi(start + quarter * 0.25);
      CHECK(value.sin == sines[quarter]);
      CHECK(value.cos == sines[(quarter + 1) % 4]);
    }
  }
  CHECK(cos_2pi(0.5f) == -1.0f);
  CHECK(sin_2pi(1048575.25f - 0.25f) == 0.0f);
}

TEST_CASE("sin and cos reduce large arguments exactly") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-std::ldexp(1.0, 49), std::ldexp(1.0, 49));
  for (int i = 0; i < 2000; ++i) {
    const double turns = uniform(random) * std::ldexp(1.0, -(i % 49));
    REQUIRE(error_of(cos_2pi(turns), cos_turns(Wide(turns))) <= 1.3e-16);
    REQUIRE(error_of(sin_2pi(turns), sin_turns(Wide(turns))) <= 1.3e-16);
  }
}

TEST_CASE("Rounding goes to the nearest integer, halves to even, at any size") {
  CHECK(round_even(0.5) == 0);
  CHECK(round_even(1.5) == 2);
  CHECK(round_even(-2.5) == -2);
  CHECK(round_even(-0.75) == -1);
  CHECK(round_even(std::ldexp(1.0, 51) + 0.5) == std::ldexp(1.0, 51));
  CHECK(round_even(std::ldexp(1.0, 51) + 1.5) == std::ldexp(1.0, 51) + 2);
  CHECK(round_even(-std::ldexp(1.0, 53) - 2) == -std::ldexp(1.0, 53) - 2);
  CHECK(round_even(1e300) == 1e300);
  CHECK(round_even(2.5f) == 2.0f);
  CHECK(round_even(4194304.5f) == 4194304.0f);
  CHECK(round_even(-1e30f) == -1e30f);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 10'000; ++i) {
    const double x = uniform(random) * std::ldexp(1.0, i % 60);
    REQUIRE(round_even(x) == std::nearbyint(x));
  }
}

namespace {

template <class Real>
double worst_log_error(const std::vector<double>& arguments) {
  double worst = 0;
  for (const double argument : arguments) {
    const Real x = static_cast<Real>(argument);
    if (x == 1) continue;
    const Wide exact = log(Wide(x));
    worst = std::max(worst, error_of(natural_log(x), exact) / std::abs(static_cast<double>(exact)));
  }
  return worst;
}

// Positive normal numbers of the type: log-uniform, around 1, and around powers of 2 times
// sqrt(1/2).
std::vector<double> log_arguments(int exponents) {
  std::vector<double> arguments;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 6000; ++i) {
    const int exponent = static_cast<int>((2 * uniform(random) - 1) * exponents);
    arguments.push_back(std::ldexp(1 + uniform(random), exponent));
    arguments.push_back(0.5 + uniform(random));
    arguments.push_back(1 + (uniform(random) - 0.5) * std::ldexp(1.0, -(i % 52)));
    arguments.push_back(
        std::ldexp(std::sqrt(0.5) * (1 + 1e-3 * (uniform(random) - 0.5)), i % 5 - 2));
  }
  return arguments;
}

}  // namespace

TEST_CASE("The logarithm keeps its stated error") {
  const double worst = worst_log_error<double>(log_arguments(1021));
  CHECK(worst <= 2.2e-16);
  CHECK(worst > 1.1e-16);
  const double worst_float = worst_log_error<float>(log_arguments(125));
  CHECK(worst_float <= 1.1e-7);
  CHECK(worst_float > 0.55e-7);
  CHECK(natural_log(1.0) == 0);
  CHECK(natural_log(1.0f) == 0);
}

TEST_CASE("A normal is Box-Muller of its words to within its stated error") {
  std::mt19937 random(5);
  double worst = 0;
  for (int i = 0; i < 10'000; ++i) {
    PhiloxBlock block;
    for (auto& word : block.word) word = static_cast<std::uint32_t>(random());
    if (i % 4 == 0) block.word[0] >>= i % 32;  // the tail
    const NormalPair pair = normal_pair(block);
    const auto rounded = [](const Wide& x) { return Wide(static_cast<double>(x)); };
    const Wide u =
        rounded(ldexp(Wide(block.word[0]), -32) + ldexp(Wide(block.word[1]) + Wide(0.5), -64));
    const Wide turns = rounded(ldexp(Wide(block.word[2]), -32) + ldexp(Wide(block.word[3]), -64));
    const Wide radius = sqrt(Wide(-2 * log(u)));
    worst = std::max({worst, error_of(pair.first, radius * cos_turns(turns)),
                      error_of(pair.second, radius * sin_turns(turns))});
  }
  CHECK(worst <= 2e-15);
  CHECK(worst > 1e-15);
}

TEST_CASE("Normals end where the smallest word puts them") {
  const NormalPair far = normal_pair({{0, 0, 0, 0}});
  CHECK(far.first == Approx(9.4926).epsilon(1e-5));
  CHECK(far.first <= 9.4926);
  CHECK(far.second == 0);
  const NormalPair near = normal_pair({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}});
  CHECK(near.first == 0);
  CHECK(near.second == 0);
}
