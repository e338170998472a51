#include "sim/monte_carlo.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

struct Case {
  ScoreModel score;
  GaussianModel density;
};

Case make_case(const std::string& encoding, const std::string& density, std::uint32_t head_dim) {
  const Encoding e = parse_encoding(encoding);
  const Density d = parse_density(density);
  return {lower(e, head_dim), lower(std::get<GaussianDensity>(d.law), e, head_dim)};
}

// How many standard errors the sampled mean and variance are from the truth.
void check_moments(const Moments& moments, double mean, double variance) {
  const double n = static_cast<double>(moments.count);
  const double sample = sample_variance(moments);
  const double mean_error = std::sqrt(sample / n);
  const double variance_error =
      std::sqrt((moments.m4 / n - sample * sample * (n - 3) / (n - 1)) / n);
  CHECK(std::abs(moments.mean - mean) < 5 * mean_error);
  CHECK(std::abs(sample - variance) < 5 * variance_error);
}

// Limits the vector width for one scope.
class SimdLimit {
 public:
  explicit SimdLimit(const char* level) { setenv("TAPALAB_SIMD", level, 1); }
  ~SimdLimit() { unsetenv("TAPALAB_SIMD"); }
};

}  // namespace

TEST_CASE("Sampled TAPA agrees with its closed form, mean and variance") {
  std::ifstream file(TAPALAB_TEST_DATA "/tapa_gaussian.json");
  const auto cases = nlohmann::json::parse(file)["cases"];
  REQUIRE(cases.size() > 6);
  for (const auto& c : cases) {
    const std::string encoding = "tapa:alpha=" + c["alpha"].get<std::string>() +
                                 ",share=" + c["theta"].get<std::string>() +
                                 ",law=" + c["law"].get<std::string>();
    INFO(encoding << " " << c["density"] << " distance " << c["distance"]);
    const Case model =
        make_case(encoding, c["density"].get<std::string>(), c["head_dim"].get<std::uint32_t>());
    const auto moments = sample_scores(model.score, model.density,
                                       {c["distance"].get<std::uint64_t>()}, {.samples = 40'000});
    check_moments(moments[0], std::stod(c["mean"]["value"].get<std::string>()),
                  std::stod(c["variance"]["value"].get<std::string>()));
  }
}

TEST_CASE("Sampled general TAPA agrees with its closed form under full covariances") {
  const auto decimals = [](const nlohmann::json& rows) {
    DecimalMatrix matrix{rows.size(), rows[0].size(), {}};
    for (const auto& row : rows) {
      for (const auto& entry : row) {
        matrix.entries.push_back(ExactDecimal::parse(entry.dump(), "entry"));
      }
    }
    return matrix;
  };
  std::ifstream file(TAPALAB_TEST_DATA "/tapa_general_gaussian.json");
  const auto cases = nlohmann::json::parse(file)["cases"];
  REQUIRE(cases.size() > 1);
  for (const auto& c : cases) {
    TapaGeneralEncoding encoding;
    encoding.alpha = ExactDecimal::parse(c["alpha"].get<std::string>(), "alpha");
    encoding.law = c["law"] == "linear" ? PhaseLaw::linear : PhaseLaw::power;
    encoding.M = decimals(c["M"]);
    encoding.N = decimals(c["N"]);
    FullGaussianDensity density;
    density.mean = decimals(nlohmann::json::array({c["mean"]})).entries;
    density.covariance = decimals(c["covariance"]);
    const auto head_dim = c["head_dim"].get<std::uint32_t>();
    std::vector<std::uint64_t> distances;
    for (const auto& point : c["points"]) distances.push_back(point["distance"]);
    const auto moments = sample_scores(lower(Encoding{"tapa-general", encoding}, head_dim),
                                       lower(density, head_dim), distances, {.samples = 200'000});
    for (std::size_t i = 0; i < distances.size(); ++i) {
      INFO(c["name"] << " distance " << distances[i]);
      check_moments(moments[i], std::stod(c["points"][i]["mean"]["value"].get<std::string>()),
                    std::stod(c["points"][i]["variance"]["value"].get<std::string>()));
    }
  }
}

TEST_CASE("Sampled NoPE and RoPE have the moments of products of Gaussians") {
  // Per coordinate, unit variance, correlation r and means u, v: E qk = r + u v and
  // Var qk = 1 + r^2 + u^2 + v^2 + 2 r u v. NoPE sums D of them over sqrt(D).
  const double r = 0.25, u = 0.5, v = -0.75;
  const Case nope = make_case("nope", "gaussian:rho=0.25,mean_q=0.5,mean_k=-0.75", 8);
  const double mean = std::sqrt(8.0) * (r + u * v);
  const double variance = 1 + r * r + u * u + v * v + 2 * r * u * v;
  const auto plain = sample_scores(nope.score, nope.density, {0, 1000}, {.samples = 100'000});
  CHECK(plain[0] == plain[1]);
  check_moments(plain[0], mean, variance);

  // Without means a rotated pair has mean 2 r cos(angle) and variance 2 (1 + r^2 cos(2 angle)):
  // E A = 2 r, E B = 0, Var A = 2 (1 + r^2), Var B = 2 (1 - r^2), uncorrelated.
  const Case rope = make_case("rope:base=100,angle=radians", "gaussian:rho=0.25", 8);
  const auto rotated = sample_scores(rope.score, rope.density, {3}, {.samples = 100'000});
  double rope_mean = 0, rope_variance = 0;
  for (int d = 0; d < 4; ++d) {
    const double angle = 3 * std::pow(100.0, -2.0 * d / 8);
    rope_mean += 2 * r * std::cos(angle) / std::sqrt(8.0);
    rope_variance += 2 * (1 + r * r * std::cos(2 * angle)) / 8;
  }
  check_moments(rotated[0], rope_mean, rope_variance);
}

TEST_CASE("Sine and excess moments are those of the same samples") {
  const Case model = make_case("tapa:alpha=0.5", "gaussian:rho=0.25,p.mean_q=0.5,p.mean_k=0.5", 8);
  SamplingState state;
  ScoreSampler(model.score, model.density, {1, 9}, 3).add(0, 50'000, 1, {}, state);
  for (const auto& point : state.total().points) {
    // a^2 = score^2 + sine^2 and excess = score^2 - a^2/2 = (score^2 - sine^2)/2, on average.
    const double n = static_cast<double>(point.score.count);
    const double score2 = point.score.m2 / n + point.score.mean * point.score.mean;
    const double sine2 = point.sine.m2 / n + point.sine.mean * point.sine.mean;
    CHECK(point.excess.mean == Approx((score2 - sine2) / 2).epsilon(1e-10).margin(1e-12));
    CHECK(point.score.count == 50'000);
    // Each pair is within what Cauchy and Schwarz allow.
    for (const CompanionMoments& companion : {point.sine, point.excess}) {
      CHECK(companion.cross * companion.cross <= companion.m2 * point.score.m2);
    }
    // E a^2 = 1 + r^2 + dA r^2 for dA = 4 amplitude coordinates.
    CHECK(score2 + sine2 == Approx(1 + 5 * 0.0625).epsilon(0.05));
  }
}

TEST_CASE("Threads and vector widths change no bit") {
  const std::vector<std::uint64_t> distances{0, 1, 1000, 1ULL << 40};
  for (const char* encoding : {"tapa", "tapa-linear:law=linear", "rope"}) {
    const Case model = make_case(encoding, "gaussian:rho=0.25", 16);
    const auto run = [&](unsigned threads) {
      return sample_scores(model.score, model.density, distances,
                           {.samples = 20'001, .seed = 5, .threads = threads});
    };
    const auto expected = run(1);
    CHECK(run(2) == expected);
    CHECK(run(3) == expected);
    for (const char* level : {"scalar", "avx2", "avx512"}) {
      const SimdLimit limit(level);
      CHECK(run(2) == expected);
    }
    CHECK(sample_scores(model.score, model.density, distances, {.samples = 20'001, .seed = 6}) !=
          expected);
  }
}

TEST_CASE("A run in ranges, in any order, is the run in one") {
  const Case model = make_case("tapa", "gaussian:rho=0.25", 16);
  const ScoreSampler sampler(model.score, model.density, {1, 1000}, 5);
  const std::uint64_t block = kBlockSamples, end = 30 * block + 17;
  SamplingState whole, resumed, late, early;
  sampler.add(0, end, 2, {}, whole);
  for (const std::uint64_t cut : {3 * block, 4 * block, 17 * block}) {
    sampler.add(resumed.nodes().empty() ? 0
                : cut == 4 * block      ? 3 * block
                                        : 4 * block,
                cut, 1, {}, resumed);
  }
  sampler.add(17 * block, end, 2, {}, resumed);
  CHECK(resumed.total().points == whole.total().points);
  CHECK(resumed.nodes().size() == whole.nodes().size());
  sampler.add(11 * block, end, 1, {}, late);
  sampler.add(0, 11 * block, 2, {}, early);
  late.insert(early);
  CHECK(late.total().points == whole.total().points);
  CHECK_THROWS_AS(sampler.add(5, end, 1, {}, whole), std::invalid_argument);
  CHECK_THROWS_AS(sampler.add(7 * block, 9 * block, 2, {}, whole), std::invalid_argument);
  CHECK(late.total().points == whole.total().points);
}

TEST_CASE("Progress counts up to the samples, on the calling thread") {
  const Case model = make_case("nope", "gaussian", 4);
  for (const unsigned threads : {1u, 3u}) {
    const auto caller = std::this_thread::get_id();
    std::uint64_t last = 0;
    const auto progress = [&](std::uint64_t done) {
      CHECK(std::this_thread::get_id() == caller);
      CHECK(done > last);
      last = done;
    };
    sample_scores(model.score, model.density, {1},
                  {.samples = 100'000, .threads = threads, .progress = progress});
    CHECK(last == 100'000);
  }
}

TEST_CASE("An exception from the progress callback ends the run and leaves the state alone") {
  const Case model = make_case("nope", "gaussian", 4);
  const ScoreSampler sampler(model.score, model.density, {1}, 1);
  SamplingState state;
  sampler.add(0, kBlockSamples, 1, {}, state);
  const auto stop = [](std::uint64_t) { throw std::runtime_error("stop"); };
  CHECK_THROWS_AS(sampler.add(kBlockSamples, 100 * kBlockSamples, 2, stop, state),
                  std::runtime_error);
  CHECK(state.nodes().size() == 1);
}

TEST_CASE("Sampled token pairs have the moments of the pairs") {
  // Two coordinates, the second 0: the score is q k/sqrt(2).
  const double q[] = {1, 2, 4}, k[] = {1, -1, 3};
  EmpiricalDensity density;
  density.pairs = PairRule::all;
  density.table = std::make_shared<const TokenTable>(
      TokenTable{3, 2, {q[0], 0, q[1], 0, q[2], 0}, {k[0], 0, k[1], 0, k[2], 0}});
  const ScoreModel nope = lower(parse_encoding("nope"), 2);
  double mean = 0, square = 0;
  for (const double query : q) {
    for (const double key : k) {
      mean += query * key / std::sqrt(2.0) / 9;
      square += query * key * query * key / 2 / 9;
    }
  }
  check_moments(sample_scores(nope, density, {5}, {.samples = 100'000})[0], mean,
                square - mean * mean);

  density.pairs = PairRule::at_distance;
  const auto moments = sample_scores(nope, density, {1, 2, 3}, {.samples = 100'000});
  // Pairs (m, n) at distance 1: (1, 0) and (2, 1), products 2 and -4; at 2: (2, 0); at 3: none.
  check_moments(moments[0], -1 / std::sqrt(2.0), 9 / 2.0);
  CHECK(moments[1].mean == Approx(4 / std::sqrt(2.0)).epsilon(1e-15));
  CHECK(moments[1].m2 < 1e-25);
  CHECK(moments[2] == Moments{});
  // A distance's draws do not depend on which others are asked for.
  CHECK(sample_scores(nope, density, {2, 1}, {.samples = 100'000})[1] == moments[0]);
}

TEST_CASE("What cannot be sampled is refused") {
  const Case model = make_case("nope", "gaussian", 4);
  CHECK_THROWS_AS(sample_scores(model.score, model.density, {1}, {.samples = 1}), InputError);
  const Case other = make_case("nope", "gaussian", 8);
  CHECK_THROWS_AS(sample_scores(model.score, other.density, {1}, {.samples = 10}), InputError);
  for (const char* scale : {"1e-60", "1e-120", "1e60"}) {
    const Case extreme =
        make_case("nope", std::string("gaussian:scale_q=") + scale + ",scale_k=" + scale, 4);
    CHECK_THROWS_AS(sample_scores(extreme.score, extreme.density, {1}, {.samples = 1000}),
                    InputError);
  }
  const SimdLimit limit("sse9");
  CHECK_THROWS_AS(sample_scores(model.score, model.density, {1}, {.samples = 10}), InputError);
}
