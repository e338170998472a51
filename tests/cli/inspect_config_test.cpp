// Configurations through the real program: what the theorems say of them, their figure, and files
// that are not to be trusted.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

TEST_CASE("inspect says what Theorems 2.1 and 2.2 make of a configuration's base and dimension") {
  const TempDirectory directory;
  const auto rope = [&](const std::string& keys) {
    const std::string file = directory.write(
        "config.json", R"({"head_dim": 128, "max_position_embeddings": 4096, )" + keys + "}");
    const ProgramResult text = run_program({"inspect", file, "--format", "json"});
    REQUIRE(text.code == 0);
    const json document = json::parse(text.out);
    CHECK(faults_of(schema_named("inspect"), document) == "");
    return document.at("rope");
  };
  // b = 500000 = 2^5 5^6: exponents without a common divisor; 10^4 has 4, and gcd(64, 4) = 4.
  const json llama = rope(R"("rope_theta": 500000.0)");
  CHECK(llama.at("rational_independence").at("independent") == true);
  CHECK(llama.at("rational_independence").at("rank") == 64);
  const json older = rope(R"("rope_theta": 10000)");
  CHECK(older.at("rational_independence").at("rank") == 16);
  CHECK(older.at("rational_independence").at("independent") == false);
  CHECK(older.at("near_far_gap").at("near").is_null());  // no integer in (1, 1.25)
  CHECK(rope(R"("rope_theta": 10000, "rope_scaling": {"type": "linear", "factor": 8})")
            .at("rational_independence")
            .at("rank") == 16);
  CHECK(rope(R"("rope_theta": 500000, "rope_scaling": {"type": "llama3", "factor": 8,
        "low_freq_factor": 1, "high_freq_factor": 4})")
            .at("rational_independence")
            .at("rank")
            .is_null());
  // C_D of the definition, term by term
  const json& gap = llama.at("near_far_gap");
  REQUIRE(gap.at("far") == 500001);
  const auto mean = [](double distance) {
    double sum = 0;
    for (int d = 0; d < 64; ++d) sum += std::cos(distance * std::pow(500000.0, -d / 64.0));
    return sum / 128;
  };
  const double near = gap.at("near").get<double>();
  CHECK((near == 2 || near == 3));
  CHECK(mean(near) - mean(500001) == Approx(gap.at("gap").get<double>()).margin(1e-9));
}

TEST_CASE("what a configuration holds without effect is said by every command that reads it") {
  const TempDirectory directory;
  const auto warned = [&](const std::string& keys, std::vector<std::string> command) {
    const std::string file = directory.write(
        "config.json", R"({"head_dim": 8, "max_position_embeddings": 64, )" + keys + "}");
    command.insert(command.end(), {"--encoding", "hf:" + file, "--distances", "1"});
    const ProgramResult result = run_program(command);
    INFO(keys << result.err);
    CHECK(result.code == 0);
    return result.err;
  };
  const std::string typo = R"("rope_theta": 10000, "rope_scaling": {"type": "linear", "factor": 2,
      "low_freq_facter": 1})";
  for (const char* command : {"curve", "bias", "crosscheck"}) {
    CHECK(warned(typo, {command}).find("low_freq_facter") != std::string::npos);
    CHECK(warned(typo, {command, "--quiet"}).empty());
  }
  CHECK(warned("\"partial_rotary_factor\": 1", {"curve"}).find("no rope_theta") !=
        std::string::npos);
  for (const auto& [keys, said] : std::vector<std::pair<std::string, std::string>>{
           {R"("rope_interleave": true)", "pairing=adjacent"},
           {R"("qk_rope_head_dim": 8, "qk_nope_head_dim": 16)", "latent attention"},
           {R"("query_pre_attn_scalar": 144)", "query_pre_attn_scalar"},
           {R"("no_rope_layers": [1, 0])", "no_rope_layers"},
           {R"("rope_type": "yarn")", "rope_type"},
           {R"("rope_scaling": {"type": "yarn", "factor": 4,
               "original_max_position_embeddings": 4})",
            "over the original length 16"},
           {R"("original_max_position_embeddings": 32, "rope_scaling": {"type": "yarn",
               "factor": 2, "original_max_position_embeddings": 16})",
            "the latter is taken"}}) {
    const std::string err = warned("\"rope_theta\": 10000, " + keys, {"curve"});
    INFO(err);
    CHECK(err.find(said) != std::string::npos);
  }
}

TEST_CASE("rotary_dim, two bases and equal factors are read; a stretched base is refused") {
  const TempDirectory directory;
  const auto inspected = [&](const std::string& keys) {
    const std::string file =
        directory.write("config.json", R"({"max_position_embeddings": 8192, )" + keys + "}");
    return run_program({"inspect", file, "--format", "json"});
  };
  const auto rope = [&](const std::string& keys) {
    const ProgramResult result = inspected(keys);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return json::parse(result.out).at("rope");
  };
  CHECK(rope(R"("head_dim": 128, "rotary_dim": 64, "rope_theta": 10000)").at("rotary_dim") == 64);
  const json two = rope(R"("head_dim": 64, "global_rope_theta": 160000,
      "local_rope_theta": 10000)");
  CHECK(two.at("full_attention").at("base") == "160000");
  CHECK(two.at("sliding_attention").at("base") == "10000");
  // wavelengths up to 8192 are kept, those beyond divided
  const json equal = rope(R"("head_dim": 128, "rope_theta": 500000, "rope_scaling": {
      "rope_type": "llama3", "factor": 16, "low_freq_factor": 1, "high_freq_factor": 1,
      "original_max_position_embeddings": 8192})");
  std::size_t kept = 0, blended = 0;
  for (const json& pair : equal.at("scaling")) {
    kept += pair == "kept" ? 1 : 0;
    blended += pair == "blended" ? 1 : 0;
  }
  CHECK(blended == 0);
  CHECK(kept == 35);  // 2 pi 500000^(i/64) < 8192: i < 34.98
  const json both = rope(R"("head_dim": 8, "rope_scaling": {"type": "linear", "factor": 2},
      "rope_parameters": {"type": "linear", "factor": 2, "rope_theta": 10000})");
  CHECK(both.at("type") == "linear");
  for (const char* refused :
       {R"("head_dim": 8, "rope_ratio": 500)", R"("head_dim": 8, "rope_theta": 1)",
        R"("head_dim": 128, "rope_theta": 10000, "rope_scaling": {"type": "linear",
            "factor": 1e308})"}) {
    const ProgramResult result = inspected(refused);
    INFO(refused << result.err);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
  }
  CHECK(inspected(R"("head_dim": 8, "rope_theta": 1)").err.find("rope_scaling") ==
        std::string::npos);
}

TEST_CASE("inspect prints DeepSeek's softmax factors, 1.5896 for V2-Lite and 1.8739 for V3") {
  const TempDirectory directory;
  for (const auto& [all_dim, factor] : {std::pair{"0.707", 1.5896}, std::pair{"1.0", 1.8739}}) {
    const std::string file = directory.write(
        "config.json", std::string(R"({"model_type": "deepseek_v3", "qk_rope_head_dim": 64,
            "max_position_embeddings": 163840, "rope_theta": 10000, "rope_scaling": {
            "type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": )") +
                           all_dim + R"(, "mscale_all_dim": )" + all_dim +
                           R"(, "original_max_position_embeddings": 4096}})");
    const ProgramResult text = run_program({"inspect", file, "--format", "json"});
    REQUIRE(text.code == 0);
    const json rope = json::parse(text.out).at("rope");
    CHECK(rope.at("softmax_scale_factor").get<double>() == Approx(factor).epsilon(5e-5));
    CHECK(rope.at("attention_factor") == 1.0);
    REQUIRE(rope.at("warnings").size() == 2);
    CHECK(rope.at("warnings").at(0).get<std::string>().find("latent attention") !=
          std::string::npos);
    CHECK(rope.at("warnings").at(1).get<std::string>().find("softmax_scale_factor") !=
          std::string::npos);
    const ProgramResult table = run_program({"inspect", file});
    CHECK(table.out.find("softmax scale factor " + std::to_string(factor).substr(0, 4)) !=
          std::string::npos);
  }
}

TEST_CASE("inspect draws the bias of a configuration beside that of plain RoPE") {
  const TempDirectory directory;
  const std::string config = directory.write(
      "config.json", R"({"head_dim": 64, "max_position_embeddings": 8192, "rope_theta": 10000,
          "rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 2048}})");
  const std::string figure = directory.file("bias.svg");
  const ProgramResult drawn = run_program({"inspect", config, "--plot", figure});
  CHECK(drawn.code == 0);
  const std::string svg = read_file(figure);
  CHECK(svg.find("hf:file=") != std::string::npos);
  CHECK(svg.find("rope:base=10000") != std::string::npos);
  const ProgramResult other = run_program(
      {"inspect", std::string(TAPALAB_TEST_DATA) + "/qk.safetensors", "--plot", figure});
  CHECK(other.code == 2);
  CHECK(other.err.find("--plot") != std::string::npos);
}

TEST_CASE("Hostile configurations end with exit code 2, one line, and nothing written") {
  const TempDirectory directory;
  const std::string head = R"({"head_dim": 64, "max_position_embeddings": 4096, )";
  const std::string whole =
      head + R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "mscale": 1}})";
  std::vector<std::string> texts{
      head + R"("rope_theta": NaN})",
      head + R"("rope_theta": -10000})",
      head + R"("rope_theta": [10000]})",
      head + R"("rope_theta": 1e400})",
      head + R"("rope_theta": 1, "rope_theta": 2})",
      head + R"("rope_scaling": {"rope_type": "yarn", "factor": -4}})",
      head + R"("rope_scaling": {"rope_type": "linear", "factor": 0}})",
      head + R"("rope_scaling": {"rope_type": "dynamic", "factor": {}}})",
      head + R"("rope_scaling": {"rope_type": 7}})",
      head + R"("rope_scaling": "yarn"})",
      head + R"("partial_rotary_factor": -0.5})",
      R"({"head_dim": 0, "rope_theta": 10000})",
      R"({"head_dim": 63, "rope_theta": 10000})",
      R"({"head_dim": 1e300, "rope_theta": 10000})",
      R"({"hidden_size": 64, "num_attention_heads": 0})",
      std::string(100'000, '{'),
      std::string("\xff\xfe\x00", 3),
  };
  for (std::size_t cut = 0; cut < whole.size(); cut += 9) texts.push_back(whole.substr(0, cut));
  for (const std::string& text : texts) {
    INFO(text.substr(0, 200));
    const ProgramResult result = run_program({"inspect", directory.write("config.json", text)});
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
    CHECK(result.out.empty());
  }
  // 100 MB, of which nothing is read
  const std::string large = directory.write("large.json", whole);
  std::filesystem::resize_file(large, 100'000'000);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"inspect", large},
        {"curve", "--encoding", "hf:" + large, "--distances", "1"}}) {
    const ProgramResult result = run_program(arguments);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find("16 MiB") != std::string::npos);
  }
}
