#include "sim/score_model.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

PhaseScore phase_score(const std::string& spec, std::uint32_t head_dim) {
  return std::get<PhaseScore>(lower(parse_encoding(spec), head_dim));
}

RotaryScore rotary_score(const std::string& spec, std::uint32_t head_dim) {
  return std::get<RotaryScore>(lower(parse_encoding(spec), head_dim));
}

// Relative to 2^-192, the half unit of Wide.
double half_ulps(const Wide& x, const Wide& truth) {
  return static_cast<double>(abs(Wide(x - truth)) / abs(truth) / ldexp(Wide(1), -kWideBits));
}

TapaGeneralEncoding general(std::size_t rows, std::size_t cols) {
  TapaGeneralEncoding tapa;
  tapa.M = {rows, cols, std::vector<ExactDecimal>(rows * cols, ExactDecimal(1))};
  tapa.N = tapa.M;
  return tapa;
}

}  // namespace

TEST_CASE("the linear phase scale is exact in the decimal: 0.1 (2^63 - 1) = 922337203685477580.7") {
  const PhaseScore score = phase_score("tapa:law=linear,alpha=0.1", 128);
  CHECK(score.phase_scale((1ULL << 63) - 1) == Wide("922337203685477580.7"));
  CHECK(score.phase_scale(0) == 0);
  CHECK(score.phase_scale(10) == 1);
}

TEST_CASE("the power phase scale is within 2^-190 of distance^alpha") {
  // mpmath at 70 digits
  CHECK(half_ulps(phase_score("tapa", 128).phase_scale((1ULL << 63) - 1),
                  Wide("78.7932424540746422071068783802767109728984185353845138366512")) < 4);
  CHECK(half_ulps(phase_score("tapa:alpha=0.37", 128).phase_scale(1000000),
                  Wide("165.958690743756063431023180237835066322178163799114849226755")) < 4);
  CHECK(half_ulps(phase_score("tapa:alpha=1000.5", 128).phase_scale(12345),
                  Wide("3.44222944362659356347087981616441138825660213684396240028492e4093")) < 4);
  CHECK(phase_score("tapa:alpha=2", 128).phase_scale(1000) == 1000000);
  CHECK(phase_score("tapa:alpha=0.5", 128).phase_scale(0) == 0);
  CHECK(phase_score("tapa:alpha=1e100000", 128).phase_scale(1) == 1);
  CHECK_THROWS_AS(phase_score("tapa:alpha=1e18", 128).phase_scale(3), InputError);
}

TEST_CASE("split TAPA has amplitude q_A.k_A/sqrt(dA) and phase q_P.k_P/sqrt(dP)") {
  const PhaseScore score = phase_score("tapa:share=0.25", 64);
  REQUIRE(score.amplitude_dim == 16);
  REQUIRE(score.amplitude.size() == 16);
  REQUIRE(score.phase_bilinear.size() == 48);
  CHECK(score.phase_linear.empty());
  CHECK(score.amplitude.front().weight == Wide(0.25));
  CHECK(score.amplitude.back().query == 15);
  CHECK(score.amplitude.back().key == 15);
  CHECK(score.phase_bilinear.front().query == 16);
  CHECK(score.phase_bilinear.back().key == 63);
  CHECK(half_ulps(score.phase_bilinear.back().weight * score.phase_bilinear.back().weight * 48,
                  Wide(1)) < 8);
}

TEST_CASE("TAPA with a linear phase adds every phase coordinate of query and key") {
  const PhaseScore score = phase_score("tapa-linear:share=0.75", 64);
  REQUIRE(score.amplitude.size() == 48);
  REQUIRE(score.phase_linear.size() == 32);
  CHECK(score.phase_bilinear.empty());
  std::vector<int> seen(128, 0);
  for (const LinearTerm& term : score.phase_linear) {
    ++seen[term.coordinate];
    CHECK(term.weight == Wide(0.25));
  }
  for (std::size_t i = 0; i < 128; ++i) CHECK(seen[i] == (i % 64 >= 48 ? 1 : 0));
}

TEST_CASE("general TAPA keeps the non-zero entries of M and N without a scale") {
  TapaGeneralEncoding tapa = general(3, 3);
  tapa.M.entries[5] = ExactDecimal(0);
  tapa.N.entries[7] = ExactDecimal::parse("0.3", "N");
  const auto score = std::get<PhaseScore>(lower(Encoding{"tapa-general", tapa}, 3));
  CHECK(score.amplitude_dim == 0);
  CHECK(score.amplitude.size() == 8);
  REQUIRE(score.phase_bilinear.size() == 9);
  CHECK(score.phase_bilinear[7].query == 2);
  CHECK(score.phase_bilinear[7].key == 1);
  CHECK(score.phase_bilinear[7].weight == Wide(3) / 10);
  CHECK_THROWS_AS(lower(Encoding{"tapa-general", general(3, 3)}, 4), InputError);
  CHECK_THROWS_AS(lower(Encoding{"tapa-general", general(3, 2)}, 3), InputError);
}

TEST_CASE("RoPE frequencies are base^(-2d/D) to the last digits, in turns") {
  RopeEncoding rope;
  rope.base = ExactDecimal(500000);
  const std::vector<Wide> radians = rope_frequencies_turns(rope, 128);
  REQUIRE(radians.size() == 64);
  // mpmath at 70 digits
  CHECK(half_ulps(radians[37],
                  Wide("0.0000807426683854939291666173588719394236889276573137202543344877")) < 4);
  rope.angle = AngleUnit::turns;
  const std::vector<Wide> turns = rope_frequencies_turns(rope, 128);
  CHECK(turns[0] == 1);
  CHECK(half_ulps(turns[37],
                  Wide("0.000507321147662209159030286530967502046250811703347486770378792")) < 4);
  CHECK(half_ulps(turns[32], 1 / sqrt(Wide(500000))) < 4);
}

TEST_CASE("freq=f32 rounds each frequency to the nearest float32") {
  const auto exact = rotary_score("rope:angle=turns", 128);
  const auto rounded = rotary_score("rope:angle=turns,freq=f32", 128);
  for (std::size_t d = 0; d < 64; ++d) {
    const Wide value = rounded.pairs[d].frequency_turns;
    CHECK(Wide(static_cast<float>(value)) == value);
    const Wide error = abs(Wide(value - exact.pairs[d].frequency_turns));
    CHECK(error <= ldexp(exact.pairs[d].frequency_turns, -24));
  }
}

TEST_CASE("default RoPE frequencies agree with a public implementation to 2e-6") {
  std::ifstream file(std::string(TAPALAB_TEST_DATA) + "/rope_frequencies.json");
  const auto data = nlohmann::json::parse(file);
  int compared = 0;
  for (const auto& item : data.at("cases")) {
    const auto& config = item.at("config");
    if (!config.contains("rope_parameters")) continue;
    const auto& parameters = config.at("rope_parameters");
    if (parameters.value("rope_type", "") != "default" ||
        parameters.contains("partial_rotary_factor")) {
      continue;
    }
    RopeEncoding rope;
    rope.base = ExactDecimal::from_double(parameters.at("rope_theta"), "rope_theta");
    const auto expected = item.at("inv_freq").get<std::vector<double>>();
    const auto frequencies =
        rope_frequencies_turns(rope, static_cast<std::uint32_t>(2 * expected.size()));
    for (std::size_t d = 0; d < expected.size(); ++d) {
      const double radians = static_cast<double>(Wide(frequencies[d] * wide_two_pi()));
      CHECK(std::abs(radians / expected[d] - 1) < 2e-6);
    }
    ++compared;
  }
  CHECK(compared >= 2);
}

TEST_CASE("pairing decides which coordinates turn together") {
  const auto half = rotary_score("rope", 8);
  CHECK(half.pairs[1].first == 1);
  CHECK(half.pairs[1].second == 5);
  const auto adjacent = rotary_score("rope:pairing=adjacent", 8);
  CHECK(adjacent.pairs[1].first == 2);
  CHECK(adjacent.pairs[1].second == 3);
  CHECK(half.pairs[1].frequency_turns == adjacent.pairs[1].frequency_turns);
  CHECK(half.plain.empty());
  CHECK(half_ulps(half.scale * half.scale * 8, Wide(1)) < 8);
}

TEST_CASE("NoPE turns nothing") {
  const auto score = rotary_score("nope", 16);
  CHECK(score.pairs.empty());
  REQUIRE(score.plain.size() == 16);
  CHECK(score.plain.back() == 15);
  CHECK(score.scale == Wide(0.25));
}

TEST_CASE("head dimensions that do not fit are refused") {
  for (const char* spec : {"tapa", "tapa-linear", "rope", "nope"}) {
    INFO(spec);
    CHECK_THROWS_AS(lower(parse_encoding(spec), 127), InputError);
    CHECK_THROWS_AS(lower(parse_encoding(spec), 0), InputError);
    CHECK_THROWS_AS(lower(parse_encoding(spec), 4294967294u), InputError);
    CHECK_NOTHROW(lower(parse_encoding(spec), 2));
  }
  CHECK_THROWS_AS(lower(parse_encoding("tapa:share=0.3"), 128), InputError);
  CHECK_THROWS_AS(lower(parse_encoding("tapa:share=0.001"), 128), InputError);
  CHECK_THROWS_AS(lower(parse_encoding("tapa:share=0.5000000000000000000000000000001"), 128),
                  InputError);
  CHECK_THROWS_AS(lower(parse_encoding("tapa:share=1e-100000"), 128), InputError);
  CHECK_THROWS_AS(lower(parse_encoding("tapa:share=0." + std::string(99, '9')), 128), InputError);
  CHECK(phase_score("tapa:share=0.0078125", 128).amplitude_dim == 1);
  CHECK(phase_score("tapa:share=0.3", 10).amplitude_dim == 3);
}

TEST_CASE("ALiBi's slopes are those that its authors print for 8 and for 12 heads") {
  for (std::uint32_t head = 0; head < 8; ++head) {
    CHECK(alibi_slope(8, head) == ldexp(Wide(1), -static_cast<int>(head) - 1));
    CHECK(alibi_slope(12, head) == alibi_slope(8, head));
  }
  for (std::uint32_t head = 8; head < 12; ++head) {
    CHECK(static_cast<double>(alibi_slope(12, head)) ==
          Approx(std::pow(2.0, 7.5 - static_cast<double>(head))).epsilon(1e-15));
  }
  CHECK(half_ulps(alibi_slope(16, 0) * alibi_slope(16, 0), Wide("0.5")) < 16);
  const RotaryScore score = rotary_score("alibi:heads=4,head=1", 8);
  CHECK(score.pairs.empty());
  CHECK(score.plain.size() == 8);
  CHECK(score.offset(1ULL << 40) == -ldexp(Wide(1), 36));
  CHECK(rotary_score("alibi:slope=0.1", 8).offset((1ULL << 63) - 1) ==
        -Wide("922337203685477580.7"));
  for (const char* bad : {"alibi:slope=0", "alibi:slope=-1", "alibi:heads=0", "alibi:head=8",
                          "alibi:slope=0.1,head=0", "alibi:slope=x"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_encoding(bad), InputError);
  }
}
