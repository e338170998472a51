// The command histogram through the real program.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

TEST_CASE("Every schema describes encodings alike") {
  const auto definition = [](const std::string& name) {
    return json::parse(read_file(std::string(TAPALAB_SCHEMAS) + "/" + name + ".json"))
        .at("definitions")
        .at("encoding");
  };
  const json curve = definition("curve");
  for (const char* name : {"fit", "histogram", "retrieve", "shard", "crosscheck"}) {
    INFO(name);
    CHECK(definition(name) == curve);
  }
}

TEST_CASE("histogram prints a table, CSV, and JSON under its schema") {
  const auto with = [](const char* format) {
    return run_program({"histogram", "--encoding", "rope", "--encoding", "tapa:alpha=0.1", "--near",
                        "0:100", "--far", "10000:10100", "--pairs", "1000", "--bins", "20",
                        "--head-dim", "8", "--quiet", "--format", format});
  };
  const ProgramResult text = with("json");
  INFO(text.err);
  REQUIRE(text.code == 0);
  CHECK(text.err.empty());
  const json document = json::parse(text.out);
  CHECK(faults_of(schema_named("histogram"), document) == "");
  REQUIRE(document.at("histograms").size() == 2);
  const json& tapa = document.at("histograms").at(1);
  CHECK(tapa.at("encoding").at("name") == "tapa");
  CHECK(tapa.at("near").at("last") == 100);
  CHECK(tapa.at("bins").size() == 20);
  CHECK(count_lines(with("csv").out) == 1 + 2 * 20);
  CHECK(with("table").out.find("near [0, 100], far [10000, 10100], 1000 pairs") !=
        std::string::npos);
}

TEST_CASE("histogram draws, and writes to a file, leaving standard output empty") {
  const TempDirectory directory;
  const ProgramResult result =
      run_program({"histogram", "--pairs", "500", "--head-dim", "8", "--out",
                   directory.file("h.csv"), "--format", "csv", "--plot", directory.file("h.svg")});
  INFO(result.err);
  REQUIRE(result.code == 0);
  CHECK(result.out.empty());
  CHECK(count_lines(read_file(directory.file("h.csv"))) == 61);
  CHECK(read_file(directory.file("h.svg")).find("</svg>") != std::string::npos);
}

TEST_CASE("histogram refuses what it cannot do, in one line that names the option") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--near", "100"}, "--near"},
      {{"--far", "20:10"}, "--far"},
      {{"--pairs", "1"}, "--pairs"},
      {{"--pairs", "1e12"}, "--pairs"},
      {{"--bins", "0"}, "--bins"},
      {{"--near", "0:2^63"}, "--near"},
      {{"--distances", "1,2"}, "--distances"},
      {{"--plot", "h.gif"}, "--plot"},
  };
  for (const auto& [arguments, name] : cases) {
    std::vector<std::string> all{"histogram"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(all);
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find(name) != std::string::npos);
  }
}

TEST_CASE(
    "a histogram of heavy tails leaves the standard deviation out, and tiny scores are refused") {
  const ProgramResult heavy =
      run_program({"histogram", "--encoding", "rope", "--density", "student-t:nu=3", "--head-dim",
                   "8", "--near", "0:0", "--far", "9:9", "--pairs", "500", "--format", "json"});
  REQUIRE(heavy.code == 0);
  const json document = json::parse(heavy.out);
  CHECK(faults_of(schema_named("histogram"), document) == "");
  const json& histogram = document.at("histograms").at(0);
  CHECK(histogram.at("standard_deviation").is_null());
  CHECK(histogram.at("unavailable").is_string());
  const ProgramResult tiny =
      run_program({"histogram", "--encoding", "rope", "--head-dim", "8", "--pairs", "100",
                   "--density", "gaussian:scale_q=1e-100,rho=0.5"});
  CHECK(tiny.code == 2);
  CHECK(count_lines(tiny.err) == 1);
}
