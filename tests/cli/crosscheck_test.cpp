// crosscheck through the real program: precisions, JSON under its schema, exit codes.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../sim/file_bytes.hpp"
#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

namespace {

std::vector<std::string> crosscheck(std::vector<std::string> more) {
  std::vector<std::string> all{"crosscheck", "--samples", "64", "--distances", "1,100,70000"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("crosscheck writes JSON under its schema, sums its budget, and expands presets") {
  const ProgramResult result = run_program(
      crosscheck({"--encoding", "tapa", "--encoding", "rope:base=500000", "--dtype", "bf16,fp16",
                  "--horizon", "0.01", "--offset", "0,2^10", "--format", "json"}));
  REQUIRE(result.code == 1);  // 70000 has no number in fp16
  const json document = json::parse(result.out);
  CHECK(faults_of(schema_named("crosscheck"), document) == "");
  const json& scores = document.at("scores");
  REQUIRE(scores.size() == 4);
  std::size_t finite = 0;
  for (const json& check : scores) {
    CHECK(check.at("holds") == (check.at("precisions").at("dtype") == "bf16"));
    CHECK(check.at("precisions").at("accum") == "fp32");
    CHECK(check.at("precisions").at("trig") == check.at("precisions").at("dtype"));
    REQUIRE(check.at("points").size() == 6);
    for (const json& point : check.at("points")) {
      CHECK(point.at("phase_turns").at("observed") <= point.at("phase_turns").at("bound"));
      if (point.at("budget").is_null()) continue;
      ++finite;
      double sum = 0;
      for (const auto& part : point.at("budget").items()) sum += part.value().get<double>();
      CHECK(sum == Approx(point.at("bound").get<double>()));
      CHECK(point.at("score").at("max_error").get<double>() <= sum);
    }
  }
  CHECK(finite == 20);  // fp16 has no 70000
}

TEST_CASE("crosscheck prints a table with the expansion of the preset, and CSV with one row each") {
  const ProgramResult table = run_program(crosscheck(
      {"--encoding", "rope", "--dtype", "bf16", "--phase", "fp32", "--horizon", "0.01"}));
  CHECK(table.code == 0);
  CHECK(table.out.find("bf16: io=bf16 accum=fp32 phase=fp32 table=bf16 trig=bf16") !=
        std::string::npos);
  CHECK(table.out.find("horizon for 0.01 turns of phase error: between ") != std::string::npos);
  for (const char* word : {"99.99%", "rms", "mean", "non-finite", "scale", "phase", "reduction",
                           "cosine", "accumulation", "softmax", "output"}) {
    INFO(word);
    CHECK(table.out.find(word) != std::string::npos);
  }
  const ProgramResult csv = run_program(crosscheck({"--format", "csv", "--offset", "0,5"}));
  CHECK(csv.code == 0);
  CHECK(count_lines(csv.out) == 1 + 3 * 2);
}

TEST_CASE("crosscheck reads the head that is asked for, and judges the tokens that a file names") {
  using namespace tapalab::testing;
  std::string data, zeros;
  for (int i = 0; i < 3 * 2 * 4 * 2; ++i) data += f32(static_cast<float>(std::sin(7.0 * i)));
  const auto part = [](const char* name, const char* shape, int begin, int end) {
    return fmt::format(R"("{}":{{"dtype":"F32","shape":{},"data_offsets":[{},{}]}})", name, shape,
                       begin, end);
  };
  const TemporaryFile inputs(
      safetensors("{" + part("q", "[2,4,2]", 0, 64) + "," + part("k", "[2,4,2]", 64, 128) + "," +
                      part("v", "[2,4,2]", 128, 192) + "}",
                  data),
      ".safetensors");
  const ProgramResult unsaid = run_program({"crosscheck", "--inputs", inputs.path()});
  CHECK(unsaid.code == 2);
  CHECK(unsaid.err.find("--head N, from 0 to 1") != std::string::npos);
  CHECK(run_program({"crosscheck", "--inputs", inputs.path(), "--head", "2"}).code == 2);

  const TempDirectory directory;
  const std::string golden = directory.file("golden.safetensors");
  REQUIRE(run_program({"crosscheck", "--inputs", inputs.path(), "--head", "1", "--export", golden})
              .code == 0);
  const auto judged = [&](const char* head, const std::string& observed) {
    return run_program({"crosscheck", "--inputs", inputs.path(), "--head", head, "--observed",
                        observed, "--format", "json"});
  };
  CHECK(judged("1", golden).code == 0);
  CHECK(judged("0", golden).code == 1);

  const auto kernel = [&](std::uint64_t first, std::uint64_t second) {
    return safetensors(R"({"rows":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)" +
                           part("out", "[2,2]", 16, 32) + "}",
                       little(first, 8) + little(second, 8) + f32(0) + f32(0) + f32(0) + f32(0));
  };
  const TemporaryFile own(kernel(3, 1), ".safetensors"), twice(kernel(1, 1), ".safetensors"),
      beyond(kernel(1, 4), ".safetensors"), negative(kernel(1, ~0ULL), ".safetensors");
  const ProgramResult zero = judged("0", own.path());
  CHECK(zero.code == 1);
  const json document = json::parse(zero.out);
  CHECK(faults_of(schema_named("crosscheck"), document) == "");
  CHECK(document.at("attention").at(0).at("rows") == json{3, 1});
  CHECK(document.at("attention").at(0).at("head") == 0);
  for (const TemporaryFile* file : {&twice, &beyond, &negative}) {
    const ProgramResult refused = judged("0", file->path());
    CHECK(refused.code == 2);
    CHECK(refused.err.find("--observed: rows names token") != std::string::npos);
    CHECK(count_lines(refused.err) == 1);
  }
}

TEST_CASE(
    "crosscheck says the length that frequencies depend on, and refuses sizes it cannot bound") {
  const ProgramResult text =
      run_program({"crosscheck", "--encoding", "dynamic:factor=2,original=4096", "--distances", "1",
                   "--offset", "0,9999", "--samples", "20"});
  CHECK(text.code == 0);
  CHECK(text.out.find("a text of 10001 tokens") != std::string::npos);
  const ProgramResult small =
      run_program({"crosscheck", "--density", "gaussian:scale_q=1e-170", "--dtype", "fp64",
                   "--distances", "1", "--samples", "20"});
  CHECK(small.code == 2);
  CHECK(small.err.find("between 1e-70 and 1e70") != std::string::npos);
}

TEST_CASE("crosscheck judges rows of attention, and another kernel's output through golden files") {
  const TempDirectory directory;
  const std::string golden = directory.file("golden.safetensors");
  const std::vector<std::string> rows{"crosscheck", "--rows", "0:9",     "--seq-len", "300",
                                      "--head-dim", "32",     "--dtype", "bf16"};
  auto exporting = rows;
  exporting.insert(exporting.end(), {"--export", golden, "--format", "json"});
  const ProgramResult first = run_program(exporting);
  REQUIRE(first.code == 0);
  const json document = json::parse(first.out);
  CHECK(faults_of(schema_named("crosscheck"), document) == "");
  const json& check = document.at("attention").at(0);
  CHECK(check.at("rows").size() == 9);
  CHECK(check.at("holds") == true);
  CHECK(check.at("observed").is_null());
  CHECK(check.at("emulated").at("max_error") <= check.at("tolerance"));

  // The reference of the file is its own best kernel.
  const std::vector<std::string> judging{"crosscheck", "--inputs", golden,    "--observed", golden,
                                         "--rows",     "0:9",      "--dtype", "bf16"};
  const ProgramResult passed = run_program(judging);
  CHECK(passed.code == 0);
  CHECK(passed.out.find("passed: tolerance") != std::string::npos);
  // Also where it holds every row, in an order of its own.
  const std::string every = directory.file("every.safetensors");
  const ProgramResult exported =
      run_program({"crosscheck", "--rows", "0:40", "--seq-len", "40", "--head-dim", "16", "--dtype",
                   "bf16", "--export", every});
  REQUIRE(exported.code == 0);
  CHECK(
      run_program({"crosscheck", "--inputs", every, "--observed", every, "--dtype", "bf16"}).code ==
      0);
  // It is not what rope computes, nor what rows 1 to 9 hold.
  auto wrong = judging;
  wrong.insert(wrong.end(), {"--encoding", "rope", "--format", "json"});
  const ProgramResult failed = run_program(wrong);
  CHECK(failed.code == 1);
  const json report = json::parse(failed.out);
  CHECK(faults_of(schema_named("crosscheck"), report) == "");
  CHECK(report.at("attention").at(0).at("observed").at("max_error") >
        report.at("attention").at(0).at("tolerance"));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--export", golden}, {"--horizon", "0.01"}, {"--offset", "0"}}) {
    INFO(more.front());
    std::vector<std::string> refused = more.front() == "--export" ? crosscheck(more) : rows;
    if (more.front() != "--export") refused.insert(refused.end(), more.begin(), more.end());
    const ProgramResult result = run_program(refused);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
  }
  const std::vector<std::vector<std::string>> incomplete{
      {"crosscheck", "--rows", "0:9"},
      {"crosscheck", "--rows", "9", "--seq-len", "100"},
      {"crosscheck", "--rows", "0:101", "--seq-len", "100"},
      {"crosscheck", "--observed", golden},
      {"crosscheck", "--inputs", directory.file("none.safetensors")},
      {"crosscheck", "--inputs", golden, "--head-dim", "32"},
      {"crosscheck", "--inputs", golden, "--seed", "3"},
      {"crosscheck", "--inputs", golden, "--observed", golden, "--rows", "9:10"},
      {"crosscheck", "--inputs", golden, "--export", golden}};
  for (const auto& arguments : incomplete) {
    INFO(arguments.back());
    const ProgramResult result = run_program(arguments);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
  }
}

TEST_CASE("crosscheck refuses what it cannot do in one line, and lacks the CUDA backend") {
  const ProgramResult cuda = run_program(crosscheck({"--backend", "cuda"}));
  CHECK(cuda.code == 3);
  CHECK(run_program({"crosscheck", "--backend", "cuda", "--encoding", "alibi"}).code == 2);
  CHECK(count_lines(cuda.err) == 1);
  CHECK(cuda.out.empty());
  const std::vector<std::vector<std::string>> bad{
      {"--dtype", "fp8"},       {"--dtype", "bf16,bf16"},
      {"--io", "bf16,fp16"},    {"--backend", "tpu"},
      {"--offset", "0,x"},      {"--offset", "2^63"},
      {"--horizon", "-1"},      {"--samples", "1"},
      {"--plot", "figure.txt"}, {"--encoding", "rope", "--head-dim", "7"}};
  for (const auto& arguments : bad) {
    INFO(arguments.front() + " " + arguments.back());
    const ProgramResult result = run_program(crosscheck(arguments));
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
    CHECK(result.out.empty());
  }
}

TEST_CASE("crosscheck judges its arguments before it asks for a device") {
  for (const auto& wrong : std::vector<std::vector<std::string>>{{"--io", "bf99"},
                                                                 {"--encoding", "nosuch"},
                                                                 {"--density", "gaussian:rho=2"},
                                                                 {"--samples", "x"},
                                                                 {"--head-dim", "7"},
                                                                 {"--horizon", "x"}}) {
    std::vector<std::string> arguments{"crosscheck", "--backend", "cuda"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    INFO(wrong[0]);
    CHECK(run_program(arguments).code == 2);
  }
}
