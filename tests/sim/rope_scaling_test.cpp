#include "sim/rope_scaling.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"
#include "sim/io/model_config.hpp"
#include "sim/score_model.hpp"

using namespace tapalab;

namespace {

ExactDecimal decimal(const std::string& text) { return ExactDecimal::parse(text, "value"); }

RopeParameters yarn(const std::string& base, const std::string& factor, std::uint64_t original) {
  RopeParameters rope;
  rope.base = decimal(base);
  YarnScaling scaling;
  scaling.factor = decimal(factor);
  scaling.original = original;
  rope.scaling = scaling;
  return rope;
}

std::ptrdiff_t count(const RopeFrequencies& frequencies, PairScaling what) {
  return std::count(frequencies.pairs.begin(), frequencies.pairs.end(), what);
}

std::string message_of(const std::string& text) {
  try {
    parse_model_config(text, "config.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Frequencies and attention factors are those that public models are read with") {
  std::ifstream file(std::string(TAPALAB_TEST_DATA) + "/rope_frequencies.json");
  const auto reference = nlohmann::json::parse(file);
  const auto& cases = reference.at("cases");
  REQUIRE(cases.size() == 8);
  for (const auto& expected : cases) {
    INFO(expected.at("name"));
    const ModelConfig config = parse_model_config(expected.at("config").dump(), "config.json");
    const ModelRope& model = config.layer("");
    const RopeFrequencies found =
        rope_frequencies(model.rope, model.head_dim, std::max<std::uint64_t>(model.original, 1));
    const auto& frequencies = expected.at("inv_freq");
    REQUIRE(found.radians.size() == frequencies.size());
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      const auto value = frequencies[i].get<double>();
      CHECK(std::abs(static_cast<double>(found.radians[i]) - value) <= 2e-6 * value);
    }
    const auto factor = expected.at("attention_factor").get<double>();
    CHECK(std::abs(static_cast<double>(found.attention_factor) - factor) <= 2e-6 * factor);
  }
}

TEST_CASE("Llama 3.1 keeps 29 pairs, blends 6 and divides 29") {
  const auto encoding = parse_encoding("llama3");
  const auto& model = std::get<ModelRopeEncoding>(encoding.law);
  const RopeFrequencies found = rope_frequencies(model.rope, 128, 1);
  CHECK(count(found, PairScaling::kept) == 29);
  CHECK(count(found, PairScaling::blended) == 6);
  CHECK(count(found, PairScaling::divided) == 29);
}

TEST_CASE("YaRN with equal mscale and mscale_all_dim leaves cosines as they are") {
  RopeParameters rope = yarn("10000", "16", 4096);
  auto& scaling = std::get<YarnScaling>(rope.scaling);
  CHECK(static_cast<double>(rope_frequencies(rope, 128, 1).attention_factor) ==
        Approx(1.2772588722239782).epsilon(1e-12));  // 0.1 ln 16 + 1
  scaling.mscale = decimal("1");
  scaling.mscale_all_dim = decimal("1");
  CHECK(rope_frequencies(rope, 128, 1).attention_factor == 1);
}

TEST_CASE("DeepSeek's softmax scale carries the square of mscale_all_dim's growth") {
  RopeParameters rope = yarn("10000", "40", 4096);
  auto& scaling = std::get<YarnScaling>(rope.scaling);
  CHECK(softmax_scale_factor(rope.scaling) == 1);
  scaling.mscale_all_dim = decimal("0.707");
  CHECK(static_cast<double>(softmax_scale_factor(rope.scaling)) == Approx(1.5896).epsilon(5e-5));
  scaling.mscale_all_dim = decimal("1");
  CHECK(static_cast<double>(softmax_scale_factor(rope.scaling)) == Approx(1.8739).epsilon(5e-5));
}

TEST_CASE("YaRN's ramp runs between whole pairs only where it is told to") {
  const RopeParameters rope = yarn("150000", "32", 4096);
  auto scaling = std::get<YarnScaling>(rope.scaling);
  scaling.truncate = false;
  const YarnRamp exact = yarn_ramp(scaling, rope.base, 64);
  CHECK(static_cast<double>(exact.low) == Approx(8.0928).epsilon(1e-5));
  CHECK(static_cast<double>(exact.high) == Approx(17.3980).epsilon(1e-5));
  scaling.truncate = true;
  const YarnRamp whole = yarn_ramp(scaling, rope.base, 64);
  CHECK(whole.low == 8);
  CHECK(whole.high == 18);
}

TEST_CASE("Dynamic scaling moves the base with the length, and only past the trained context") {
  const auto frequencies = [](std::uint64_t length) {
    RopeParameters rope;
    rope.scaling = DynamicScaling{decimal("4"), 4096};
    return rope_frequencies(rope, 128, length);
  };
  const RopeFrequencies plain = rope_frequencies(RopeParameters{}, 128, 1);
  for (const std::uint64_t length : {1, 1024, 4096}) {
    CHECK(frequencies(length).radians == plain.radians);
  }
  // base (4 * 2 - 3)^(128/126) at twice the context.
  const double base = 10000 * std::pow(5, 128.0 / 126);
  const RopeFrequencies twice = frequencies(8192);
  for (std::size_t i = 0; i < 64; ++i) {
    const double expected = std::pow(base, -static_cast<double>(i) / 64);
    CHECK(static_cast<double>(twice.radians[i]) == Approx(expected).epsilon(1e-12));
  }
  CHECK(frequencies(16384).radians[63] < twice.radians[63]);
}

TEST_CASE("Static NTK scaling divides the slowest frequency by the factor") {
  RopeParameters rope;
  rope.scaling = NtkScaling{decimal("8")};
  const RopeFrequencies plain = rope_frequencies(RopeParameters{}, 128, 1);
  const RopeFrequencies scaled = rope_frequencies(rope, 128, 1);
  CHECK(scaled.radians[0] == 1);
  CHECK(static_cast<double>(Wide(plain.radians[63] / scaled.radians[63])) ==
        Approx(8).epsilon(1e-13));
}

TEST_CASE("LongRoPE divides by one list up to the trained context and by the other past it") {
  RopeParameters rope;
  rope.scaling = LongRopeScaling{
      {decimal("1"), decimal("2")}, {decimal("4"), decimal("8")}, 4096, decimal("32")};
  const RopeFrequencies near = rope_frequencies(rope, 4, 4096);
  const RopeFrequencies far = rope_frequencies(rope, 4, 4097);
  CHECK(static_cast<double>(near.radians[0]) == 1);
  CHECK(static_cast<double>(near.radians[1]) == Approx(0.005).epsilon(1e-14));
  CHECK(static_cast<double>(far.radians[0]) == 0.25);
  CHECK(static_cast<double>(far.radians[1]) == Approx(0.00125).epsilon(1e-14));
  CHECK(static_cast<double>(near.attention_factor) ==
        Approx(std::sqrt(1 + std::log(32.0) / std::log(4096.0))).epsilon(1e-14));
}

TEST_CASE("Partial rotation counts exponents in its own dimension, proportional in the head's") {
  RopeParameters rope;
  rope.partial = decimal("0.25");
  const RopeFrequencies partial = rope_frequencies(rope, 64, 1);
  REQUIRE(partial.radians.size() == 8);
  rope.scaling = ProportionalScaling{decimal("1")};
  const RopeFrequencies proportional = rope_frequencies(rope, 64, 1);
  REQUIRE(proportional.radians.size() == 32);
  CHECK(count(proportional, PairScaling::unrotated) == 24);
  for (int i = 0; i < 8; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(static_cast<double>(partial.radians[at]) ==
          Approx(std::pow(10000, -2 * i / 16.0)).epsilon(1e-13));
    CHECK(static_cast<double>(proportional.radians[at]) ==
          Approx(std::pow(10000, -2 * i / 64.0)).epsilon(1e-13));
  }
}

TEST_CASE("A rotary dimension that is odd or zero is refused") {
  RopeParameters rope;
  rope.partial = decimal("0.3");  // int(19.2)
  CHECK_THROWS_AS(rope_frequencies(rope, 64, 1), InputError);
  rope.partial = decimal("0.01");
  CHECK_THROWS_AS(rope_frequencies(rope, 64, 1), InputError);
}

TEST_CASE("The logits of rotated coordinates carry the square of the attention factor") {
  const auto score = std::get<RotaryScore>(
      lower(parse_encoding("yarn:factor=16,original=4096,partial=0.5,attention_factor=2"), 8));
  REQUIRE(score.pairs.size() == 2);
  CHECK(score.pairs[0].weight == 4);
  CHECK(score.plain == std::vector<std::uint32_t>{4, 5, 6, 7});
  CHECK(score.pairs[1].first == 1);
  CHECK(score.pairs[1].second == 3);
}

TEST_CASE("xPos decays fastest in its fastest pair") {
  const auto score = std::get<RotaryScore>(lower(parse_encoding("xpos"), 4));
  REQUIRE(score.pairs.size() == 2);
  // zeta_0 = 0.4/1.4, zeta_1 = 0.9/1.4; 512 tokens apart.
  CHECK(static_cast<double>(score.pairs[0].weight_at(512)) == Approx(0.4 / 1.4).epsilon(1e-14));
  CHECK(static_cast<double>(score.pairs[1].weight_at(1024)) == Approx(0.81 / 1.96).epsilon(1e-14));
}

TEST_CASE("Encodings that depend on the length say so where they are given none") {
  Encoding encoding = parse_encoding("dynamic:factor=4,original=4096");
  CHECK_THROWS_AS(lower(encoding, 128), InputError);
  encoding.sequence_length = 8192;
  CHECK_NOTHROW(lower(encoding, 128));
  CHECK(depends_on_length(encoding.law));
  CHECK_FALSE(depends_on_length(parse_encoding("yarn:factor=4,original=4096").law));
}

TEST_CASE("Older and newer keys of a configuration say the same") {
  const std::string sizes =
      R"("hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072)";
  const ModelConfig older = parse_model_config(
      "{" + sizes + R"(, "rope_theta": 500000.0, "rope_scaling": {"type": "llama3", "factor": 8.0,
      "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})",
      "older");
  const ModelConfig newer = parse_model_config(
      "{" + sizes + R"(, "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0,
      "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192}})",
      "newer");
  CHECK(rope_frequencies(older.layer("").rope, 128, 1).radians ==
        rope_frequencies(newer.layer("").rope, 128, 1).radians);
  CHECK(older.layer("").warnings.empty());
  CHECK(older.layer("").original == 8192);
}

TEST_CASE("A configuration may differ from layer type to layer type") {
  const ModelConfig config = parse_model_config(
      R"({"head_dim": 256, "max_position_embeddings": 131072, "rope_parameters": {
        "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0,
                           "partial_rotary_factor": 0.25},
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})",
      "config.json");
  REQUIRE(config.layers.size() == 2);
  CHECK(config.layer("full_attention").type == "proportional");
  CHECK(config.layer("sliding_attention").rope.base == ExactDecimal(10000));
  CHECK_THROWS_AS(config.layer(""), InputError);
  CHECK_THROWS_AS(config.layer("other"), InputError);
}

TEST_CASE("Unused and unknown keys of a scaling block are never silent") {
  const ModelConfig config = parse_model_config(
      R"({"head_dim": 128, "max_position_embeddings": 4096, "rope_theta": 10000,
        "rope_scaling": {"rope_type": "linear", "factor": 2, "beta_fast": 32, "misspelt": 1}})",
      "config.json");
  const auto& warnings = config.layer("").warnings;
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].find("beta_fast") != std::string::npos);
  CHECK(warnings[1].find("misspelt") != std::string::npos);
  std::string many = R"({"head_dim": 128, "rope_scaling": {"rope_type": "linear", "factor": 2)";
  for (int i = 0; i < 500; ++i) many += ", \"k" + std::to_string(i) + "\": 1";
  const auto bounded = parse_model_config(many + "}}", "config.json").layer("").warnings;
  REQUIRE(bounded.size() == 34);  // 32 of them, no rope_theta, and how many more
  CHECK(bounded.back() == "468 more keys are not used");
}

TEST_CASE("A bad configuration is refused with the key that is at fault") {
  const std::string head = R"({"head_dim": 128, "max_position_embeddings": 4096, )";
  const std::pair<std::string, std::string> cases[] = {
      {"", "malformed JSON"},
      {"{", "malformed JSON"},
      {"[]", "no JSON object"},
      {R"({"head_dim": NaN})", "malformed JSON"},
      {R"({"head_dim": 1e999})", "out of range"},
      {R"({"head_dim": 128, "head_dim": 64})", "twice"},
      {R"({"head_dim": 0})", "head_dim"},
      {R"({"head_dim": -2})", "head_dim"},
      {R"({"head_dim": "128"})", "head_dim"},
      {R"({"hidden_size": 100, "num_attention_heads": 3})", "hidden_size"},
      {R"({"rope_theta": 10000})", "head_dim"},
      {head + R"("rope_theta": 1})", "rope_theta"},
      {head + R"("rope_theta": -5})", "rope_theta"},
      {head + R"("rope_scaling": 3})", "rope_scaling"},
      {head + R"("rope_scaling": {"rope_type": "magic"}})", "magic"},
      {head + R"("rope_scaling": {"rope_type": "linear"}})", "factor"},
      {head + R"("rope_scaling": {"rope_type": "linear", "factor": -2}})", "factor"},
      {head + R"("rope_scaling": {"rope_type": "linear", "factor": "2"}})", "factor"},
      {head + R"("rope_scaling": {"rope_type": "linear", "type": "yarn", "factor": 2}})", "type"},
      {head + R"("rope_theta": 5, "rope_parameters": {"rope_theta": 6}})", "contradicts"},
      {head + R"("rope_scaling": {"rope_type": "yarn", "factor": 2, "truncate": 1}})", "truncate"},
      {head + R"("rope_scaling": {"rope_type": "longrope", "short_factor": [1],
                                  "long_factor": [1]}})",
       "short_factor"},
      {head + R"("partial_rotary_factor": 0.01})", "coordinates"},
      {head + R"("partial_rotary_factor": 1.5})", "partial_rotary_factor"},
      {std::string(1000, '[') + std::string(1000, ']'), "nested"},
      {R"({"head_dim": 64})" + std::string(1, '\0') + "more", "byte offset 16"},
  };
  for (const auto& [text, expected] : cases) {
    INFO(text);
    const std::string message = message_of(text);
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}
