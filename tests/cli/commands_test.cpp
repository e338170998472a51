// Help, version, list, fit, verify and inspect through the real program.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

TEST_CASE("Every command has help with an example, and no other is listed") {
  const ProgramResult overview = run_program({"--help"});
  CHECK(overview.code == 0);
  const std::vector<std::string> names = {"curve", "bias",    "variance",   "histogram", "retrieve",
                                          "fit",   "verify",  "crosscheck", "report",    "compare",
                                          "merge", "inspect", "list"};
  for (const std::string& name : names) {
    CHECK(overview.out.find(std::string("  ") + name + " ") != std::string::npos);
    const ProgramResult help = run_program({name, "--help"});
    INFO(name);
    CHECK(help.code == 0);
    CHECK(help.err.empty());
    const auto example = help.out.find("Example:\n  tapalab ");
    REQUIRE(example != std::string::npos);
    CHECK(help.out.find("  tapalab " + name + " ", example) != std::string::npos);
  }
  const auto commands = overview.out.find("Commands:\n");
  REQUIRE(commands != std::string::npos);
  const auto end = overview.out.find("\n\n", commands);
  CHECK(count_lines(overview.out.substr(commands, end + 1 - commands)) == 1 + names.size());
}

TEST_CASE("Option --version names version and commit") {
  const ProgramResult result = run_program({"--version"});
  CHECK(result.code == 0);
  CHECK(result.out.rfind("tapalab ", 0) == 0);
  CHECK(count_lines(result.out) == 1);
  CHECK(run_program({"--version", "extra"}).code == 2);
}

TEST_CASE("list prints every catalogue as a table and as JSON under its schema") {
  const SchemaCheck schema = schema_named("list");
  for (const auto& [kind, expected] :
       {std::pair{"encodings", "tapa-general"}, std::pair{"densities", "empirical"},
        std::pair{"claims", "theorem-3.3"}, std::pair{"engines", "exact"}}) {
    INFO(kind);
    const ProgramResult table = run_program({"list", kind});
    CHECK(table.code == 0);
    CHECK(table.out.find(expected) != std::string::npos);
    const ProgramResult text = run_program({"list", kind, "--format", "json"});
    REQUIRE(text.code == 0);
    const json document = json::parse(text.out);
    CHECK(faults_of(schema, document) == "");
    CHECK(document.at("kind") == kind);
  }
}

TEST_CASE("Every claim of the theory is listed") {
  const ProgramResult result = run_program({"list", "claims", "--format", "json"});
  std::vector<std::string> ids;
  const json document = json::parse(result.out);
  for (const auto& claim : document.at("items")) ids.push_back(claim.at("id"));
  for (const char* id :
       {"assumption-2.1", "theorem-2.1", "lemma-c.1", "lemma-c.2", "theorem-2.2", "theorem-2.3",
        "theorem-3.2", "theorem-3.3", "stationary-phase", "figure-1", "kernel", "retrieval",
        "limit-law", "distance-resolution", "clt-crossover", "finite-vocabulary", "rope-variance",
        "base-scaling", "figure-1-consistency"}) {
    INFO(id);
    CHECK(std::find(ids.begin(), ids.end(), id) != ids.end());
  }
}

TEST_CASE("Every engine that is listed runs where it applies, and others are refused by name") {
  const ProgramResult result = run_program({"list", "engines", "--format", "json"});
  const json document = json::parse(result.out);
  std::string names;
  for (const auto& engine : document.at("items")) {
    const std::string name = engine.at("name");
    INFO(name);
    const auto code = [&](const char* density) {
      // An expansion for large distances meets its target there alone.
      return run_program({"curve", "--engine", name, "--density", density, "--samples",
                          name == "qmc" ? "16384" : "100", "--encoding",
                          name == "asymptotic" ? "tapa:alpha=1" : "tapa", "--distances",
                          name == "asymptotic" ? "1000" : "1"})
          .code;
    };
    // Without a device the engine gpu is missing, as its exit code says.
    if (name != "gpu" || code("sech") != 3) {
      CHECK((code("gaussian:rho=0.25") == 0 || code("sech") == 0));
    }
    names += name + " ";
  }
  for (const std::string name : {"qmc", "conditional", "asymptotic", "ball"}) {
    if (names.find(name) != std::string::npos) continue;
    INFO(name);
    const ProgramResult refused = run_program({"curve", "--engine", name, "--distances", "1"});
    CHECK(refused.code == 2);
    CHECK(refused.err.find(name) != std::string::npos);
    CHECK(refused.err.find("accepted: ") != std::string::npos);
  }
}

TEST_CASE("inspect prints what a file holds, as a table and as JSON under its schema") {
  const std::string file = std::string(TAPALAB_TEST_DATA) + "/qk.safetensors";
  const ProgramResult table = run_program({"inspect", file});
  CHECK(table.code == 0);
  CHECK(table.out.find("layers.3.q") != std::string::npos);
  const ProgramResult text = run_program({"inspect", file, "--format", "json"});
  REQUIRE(text.code == 0);
  const json document = json::parse(text.out);
  CHECK(faults_of(schema_named("inspect"), document) == "");
  for (const auto& tensor : document.at("tensors")) CHECK(tensor.at("values").at("nan") == 0);
}

TEST_CASE("inspect prints the frequencies of a configuration, as a table and under its schema") {
  const TempDirectory directory;
  const std::string file = directory.write(
      "config.json",
      R"({"hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072,
          "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0,
          "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192, "unknown": 1}})");
  const ProgramResult table = run_program({"inspect", file});
  CHECK(table.code == 0);
  CHECK(table.out.find("blended") != std::string::npos);
  const ProgramResult text = run_program({"inspect", file, "--format", "json"});
  REQUIRE(text.code == 0);
  const json document = json::parse(text.out);
  CHECK(faults_of(schema_named("inspect"), document) == "");
  const json& rope = document.at("rope");
  CHECK(rope.at("type") == "llama3");
  CHECK(rope.at("sequence_length") == 8192);
  CHECK(rope.at("inverse_frequencies").size() == 64);
  CHECK(rope.at("inverse_frequencies").at(0) == 1.0);
  CHECK(rope.at("warnings").size() == 1);
}

TEST_CASE("inspect prints one object for each layer type, at the length that is asked for") {
  const TempDirectory directory;
  const std::string file =
      directory.write("config.json",
                      R"({"head_dim": 8, "max_position_embeddings": 64, "rope_parameters": {
          "full_attention": {"rope_type": "dynamic", "rope_theta": 10000, "factor": 2},
          "sliding_attention": {"rope_type": "default", "rope_theta": 100}}})");
  const auto slowest = [&](const std::string& length) {
    const ProgramResult text =
        run_program({"inspect", file, "--format", "json", "--seq-len", length});
    REQUIRE(text.code == 0);
    const json document = json::parse(text.out);
    CHECK(faults_of(schema_named("inspect"), document) == "");
    CHECK(document.at("rope").at("sliding_attention").at("base") == "100");
    return document.at("rope").at("full_attention").at("inverse_frequencies").at(3).get<double>();
  };
  CHECK(slowest("64") == Approx(0.001).epsilon(1e-14));
  // base (2 * 4 - 1)^(8/6): the slowest frequency is divided by 7.
  CHECK(slowest("256") == Approx(0.001 / 7).epsilon(1e-13));
}

TEST_CASE("inspect refuses a bad configuration in one line") {
  const TempDirectory directory;
  const ProgramResult result =
      run_program({"inspect", directory.write("config.json", R"({"head_dim": 0})")});
  CHECK(result.code == 2);
  CHECK(result.err.find("head_dim") != std::string::npos);
  const ProgramResult length = run_program(
      {"inspect", std::string(TAPALAB_TEST_DATA) + "/qk.safetensors", "--seq-len", "10"});
  CHECK(length.code == 2);
  CHECK(length.err.find("--seq-len") != std::string::npos);
}

TEST_CASE("fit prints a table, CSV, and JSON under its schema") {
  const std::vector<std::string> base{"fit", "--distances", "log:1e3:1e9:7", "--quiet"};
  const auto with = [&](const char* format) {
    auto arguments = base;
    arguments.insert(arguments.end(), {"--format", format});
    return run_program(arguments);
  };
  const ProgramResult text = with("json");
  INFO(text.err);
  REQUIRE(text.code == 0);
  const json document = json::parse(text.out);
  CHECK(faults_of(schema_named("fit"), document) == "");
  CHECK(count_lines(with("csv").out) == 1 + document.at("fits").at(0).at("local").size());
  CHECK(with("table").out.find("asymptote:    -6.4 ") != std::string::npos);
}

TEST_CASE("fit at 65536 finds the finite-distance exponent -5.3 beside the asymptote -6.4") {
  const ProgramResult result =
      run_program({"fit", "--distances", "65000,65536,66000", "--format", "json"});
  REQUIRE(result.code == 0);
  const json fit = json::parse(result.out).at("fits").at(0);
  CHECK(fit.at("overall").at("exponent").at("value").get<double>() == Approx(-5.3).margin(0.05));
  CHECK(fit.at("asymptote").at("exponent").get<double>() == Approx(-6.4).margin(1e-9));
}

TEST_CASE("verify writes its report and prints what it found, as a table and as JSON") {
  const TempDirectory directory;
  const std::string out = directory.file("out");
  const ProgramResult text = run_program(
      {"verify", "theorem-3.3", "--quick", "--out-dir", out, "--format", "json", "--quiet"});
  INFO(text.err);
  REQUIRE(text.code == 0);
  CHECK(text.err.empty());
  const json document = json::parse(text.out);
  CHECK(faults_of(schema_named("verify"), document) == "");
  CHECK(document.at("claims").at(0).at("id") == "theorem-3.3");
  CHECK(faults_of(schema_named("verify"), json::parse(read_file(out + "/verify.json"))) == "");
  CHECK(read_file(out + "/report.html").find("theorem-3.3") != std::string::npos);
}

TEST_CASE("verify --require exits 1 for a claim that does not run") {
  const TempDirectory directory;
  const ProgramResult result = run_program({"verify", "kernel", "--require", "kernel", "--quick",
                                            "--out-dir", directory.file("out"), "--quiet"});
  CHECK(result.code == 1);
  CHECK(result.out.find("kernel") != std::string::npos);
}

TEST_CASE("inspect escapes what a file's names and metadata hold, and JSON keeps them") {
  const TempDirectory directory;
  // A name that clears the terminal, one with a C1 control, one that reverses what follows.
  std::string header = "{\"__metadata__\":{\"a\\u001b[2J\":\"b\\u0007\"}";
  for (const char* name : {"x\\u001b[2J\\n", "y\\u009b31m", "z\\u202etxt"}) {
    header +=
        ",\"" + std::string(name) + "\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}";
  }
  header += "}";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size() & 0xFF);
  bytes[1] = static_cast<char>(header.size() >> 8);
  const std::string file = directory.write("hostile.safetensors", bytes + header);
  const ProgramResult table = run_program({"inspect", file});
  INFO(table.err);
  REQUIRE(table.code == 0);
  CHECK(table.out.find('\x1b') == std::string::npos);
  CHECK(table.out.find('\x07') == std::string::npos);
  CHECK(table.out.find("\xC2\x9B") == std::string::npos);
  CHECK(table.out.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(table.out.find("x\\x1b[2J\\x0a") != std::string::npos);
  CHECK(count_lines(table.out) == 6);
  const ProgramResult text = run_program({"inspect", file, "--format", "json"});
  REQUIRE(text.code == 0);
  CHECK(json::parse(text.out).at("tensors").at(0).at("name") == "x\x1b[2J\n");
  // The same names in an error.
  const ProgramResult refused = run_program(
      {"bias", "--encoding", "rope", "--density", "empirical:file=\"" + file + "\",q=none,k=none"});
  CHECK(refused.code == 2);
  CHECK(count_lines(refused.err) == 1);
  CHECK(refused.err.find('\x1b') == std::string::npos);
  CHECK(refused.err.find("\xC2\x9B") == std::string::npos);
}

TEST_CASE("verify without gnuplot finishes, says what was left out, and keeps the figures' data") {
  const TempDirectory directory;
  const std::string out = directory.file("out");
  const ProgramResult result =
      run_shell("PATH=/nowhere \"$P\" verify theorem-3.3 --quick --out-dir '" + out + "'");
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(count_lines(result.err) == 2);
  CHECK(result.err.find("figures are left out") != std::string::npos);
  CHECK(result.err.find("gnuplot") != std::string::npos);
  CHECK(read_file(out + "/report.html").find("Not drawn") != std::string::npos);
}

TEST_CASE("A figure that was asked for needs gnuplot: exit code 3, and no file") {
  const TempDirectory directory;
  const ProgramResult result = run_shell("PATH=/nowhere \"$P\" bias --distances 1,2 --plot '" +
                                         directory.file("bias.svg") + "'");
  CHECK(result.code == 3);
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.find("gnuplot") != std::string::npos);
  CHECK(directory.entries().empty());
}

TEST_CASE("A figure that verify cannot draw is not blamed on an option that was not given") {
  const TempDirectory directory;
  directory.write("gnuplot", "#!/bin/sh\nexit 3\n");
  const ProgramResult result = run_shell(
      "chmod +x '" + directory.file("gnuplot") + "'; PATH='" + directory.file("") +
      "':$PATH \"$P\" verify theorem-3.3 --quick --out-dir '" + directory.file("out") + "'");
  INFO(result.err);
  CHECK(result.code == 0);
  CHECK(result.err.find("--plot") == std::string::npos);
  CHECK(result.err.find("figures are left out") != std::string::npos);
}

TEST_CASE("fit says once that no law is derived, and why") {
  const ProgramResult result = run_program({"fit", "--density", "laplace:mean_q=0.5,mean_k=0.5",
                                            "--distances", "1e3,1e4,1e5", "--quiet"});
  INFO(result.err);
  REQUIRE((result.code == 0 || result.code == 4));
  const auto first = result.out.find("not predicted");
  REQUIRE(first != std::string::npos);
  CHECK(result.out.find("not predicted", first + 1) == std::string::npos);
}

TEST_CASE("Engine gpu runs on a device, or ends with exit code 3 and one line that says why") {
  const TempDirectory directory;
  const ProgramResult result =
      run_program({"curve", "--engine", "gpu", "--samples", "3000", "--distances", "1,1000",
                   "--out", directory.file("out.json"), "--format", "json"});
  INFO(result.err);
  if (result.code == 0) {
    const json document = json::parse(read_file(directory.file("out.json")));
    CHECK(document.at("curves").at(0).at("points").at(0).at("engine") == "gpu");
    return;
  }
  CHECK(result.code == 3);
  CHECK(result.out.empty());
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.find("--engine gpu: ") != std::string::npos);
  CHECK(result.err.find("CUDA") != std::string::npos);
  CHECK(directory.entries().empty());
}

TEST_CASE("What the arguments decide is decided before a device is asked for") {
  const std::string tokens = std::string("empirical:file=\"") + TAPALAB_TEST_DATA +
                             "/qk.safetensors\",q=layers.3.q,k=layers.3.k,pairs=at-distance";
  const std::string far = "4611686018427387904";
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"curve", "--density", tokens, "--distances", "5,1e9"},
           {"curve", "--checkpoint", "/nowhere/state"},
           {"curve", "--estimator", "importance", "--encoding", "tapa:alpha=100", "--distances",
            far},
           {"curve", "--estimator", "antithetic"},
           {"variance", "--estimator", "importance"},
           {"histogram", "--density", tokens},
           {"verify", "theorem-2.1", "--out-dir", "/dev/null/out"}}) {
    std::vector<std::string> on_device = arguments;
    on_device.insert(on_device.end(), {"--engine", "gpu"});
    const ProgramResult result = run_program(on_device);
    INFO(arguments.at(0) << " " << arguments.at(2) << ": " << result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find("tapalab: --engine gpu: ") == std::string::npos);
  }
}

TEST_CASE("histogram and verify take a device, or end with exit code 3 and one line") {
  const TempDirectory directory;
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"histogram", "--pairs", "3000", "--density", "laplace"},
        {"verify", "rope-variance", "--quick", "--quiet", "--out-dir", directory.file("out")}}) {
    std::vector<std::string> on_device = command;
    on_device.insert(on_device.end(), {"--engine", "gpu"});
    const ProgramResult result = run_program(on_device);
    INFO(command.front() << ": " << result.err);
    if (result.code == 0) {
      if (command.front() == "histogram") CHECK(result.out == run_program(command).out);
      continue;
    }
    CHECK(result.code == 3);
    CHECK(result.out.empty());
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find("--engine gpu: ") != std::string::npos);
    CHECK(directory.entries().empty());
    on_device.back() = "exact";
    const ProgramResult refused = run_program(on_device);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("--engine: unknown 'exact'; accepted with " + command.front()) !=
          std::string::npos);
  }
}
