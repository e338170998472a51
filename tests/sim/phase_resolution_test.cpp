// Phases of so many turns that a double does not hold their fraction.
#include <cmath>
#include <memory>
#include <string>

#include "catch.hpp"
#include "sim/errors.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/numbers/wide.hpp"

using namespace tapalab;

namespace {

std::vector<Moments> gaussian_moments(const std::string& encoding, const std::string& density,
                                      std::uint32_t head_dim, std::uint64_t distance,
                                      std::uint64_t samples) {
  const Encoding e = parse_encoding(encoding);
  const Density d = parse_density(density);
  return sample_scores(lower(e, head_dim), lower(std::get<GaussianDensity>(d.law), e, head_dim),
                       {distance}, {.samples = samples});
}

// a cos(2 pi s phi) of one pair in 192 bits.
double wide_score(const PhaseScore& score, std::uint64_t distance, const std::vector<double>& q,
                  const std::vector<double>& k) {
  const auto form = [&](const std::vector<BilinearTerm>& terms) {
    Wide sum = 0;
    for (const auto& term : terms) sum += term.weight * Wide(q[term.query]) * Wide(k[term.key]);
    return sum;
  };
  const Wide turns = reduce_turns(score.phase_scale(distance) * form(score.phase_bilinear));
  const double pi = 3.14159265358979323846;
  return static_cast<double>(form(score.amplitude)) * std::cos(2 * pi * static_cast<double>(turns));
}

}  // namespace

TEST_CASE("A phase scale that is a power of two does not turn every phase into whole turns") {
  // s/sqrt(dP) = 2^57: a phi rounded to a double is a multiple of 2^-57 nearly always, and the mean
  // would be E a = 2, where the truth is below 1e-100 and the variance E a^2/2 = (1 + 65/16)/2.
  const auto moments =
      gaussian_moments("tapa:alpha=1,law=linear", "gaussian:rho=0.25", 128, 1ULL << 60, 20'000)[0];
  const double variance = (1 + 65 / 16.0) / 2;
  CHECK(std::abs(moments.mean) < 5 * std::sqrt(variance / 20'000));
  CHECK(sample_variance(moments) == Approx(variance).epsilon(0.06));
}

TEST_CASE("The score of one pair is its own at every distance that sampling accepts") {
  // Products of 53-bit numbers, of sizes far apart and of both signs.
  const std::vector<double> q{1.1, -0.7, 0.123456789012345678, 3.3333333333333335e3, -7.1, 0.3};
  const std::vector<double> k{0.9, 1.3, -5.4321098765432109, 1.2345678901234567e-4, 0.77, 1e3 / 7};
  EmpiricalDensity density;
  density.pairs = PairRule::all;
  density.table = std::make_shared<const TokenTable>(TokenTable{1, 6, q, k});
  for (const char* encoding :
       {"tapa:alpha=0.1,share=0.5,law=linear", "tapa:alpha=1,share=0.5,law=linear"}) {
    const ScoreModel model = lower(parse_encoding(encoding), 6);
    std::vector<std::uint64_t> distances;
    for (int i = 0; i < 60; i += 3) distances.push_back((1ULL << i) + static_cast<unsigned>(i));
    const auto moments = sample_scores(model, density, distances, {.samples = 2});
    REQUIRE(moments.size() == distances.size());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      INFO(encoding << " distance " << distances[i]);
      CHECK(moments[i].mean ==
            Approx(wide_score(std::get<PhaseScore>(model), distances[i], q, k)).margin(1e-7));
    }
  }
}

TEST_CASE("A distance needs what it needs, whichever others are asked for") {
  const Encoding e = parse_encoding("tapa:law=linear");
  const ScoreModel score = lower(e, 16);
  const GaussianModel density =
      lower(std::get<GaussianDensity>(parse_density("gaussian:rho=0.25").law), e, 16);
  const auto both = sample_scores(score, density, {10, 1ULL << 50}, {.samples = 5000});
  CHECK(sample_scores(score, density, {10}, {.samples = 5000})[0] == both[0]);
  CHECK(sample_scores(score, density, {1ULL << 50}, {.samples = 5000})[0] == both[1]);
}

TEST_CASE("Phases that no sample resolves are refused") {
  const std::uint64_t far = 1ULL << 62;
  // A sum of coordinates, 53 bits each; below 2^42 turns it is fine.
  CHECK_THROWS_AS(gaussian_moments("tapa-linear:law=linear", "gaussian", 8, far, 10), InputError);
  CHECK_NOTHROW(gaussian_moments("tapa-linear:law=linear", "gaussian", 8, 1ULL << 40, 10));
  // More than 2^66 turns.
  CHECK_THROWS_AS(gaussian_moments("tapa:alpha=1000,law=linear", "gaussian", 8, far, 10),
                  InputError);
  CHECK_NOTHROW(gaussian_moments("tapa:alpha=1,law=linear", "gaussian", 8, far, 10));
  // A coordinate that hardly varies has few random bits.
  CHECK_THROWS_AS(
      gaussian_moments("tapa:alpha=1,law=linear", "gaussian:scale_q=1e-12,mean_q=1", 8, far, 10),
      InputError);
  EmpiricalDensity density;
  density.pairs = PairRule::all;
  density.table = std::make_shared<const TokenTable>(TokenTable{1, 2, {1e9, 1e9}, {1e9, 1e9}});
  const ScoreModel score = lower(parse_encoding("tapa:alpha=1,law=linear"), 2);
  CHECK_THROWS_AS(sample_scores(score, density, {far}, {.samples = 10}), InputError);
}
