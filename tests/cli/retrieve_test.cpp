// The command retrieve through the real program.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

TEST_CASE("retrieve prints a table, CSV, and JSON under its schema, and draws") {
  const TempDirectory directory;
  const auto with = [&](const char* format) {
    return run_program({"retrieve", "--encoding",  "nope",   "--encoding",
                        "tapa",     "--head-dim",  "32",     "--lengths",
                        "4,16",     "--distances", "1,8",    "--needle-rho",
                        "0.9",      "--trials",    "300",    "--quiet",
                        "--format", format,        "--plot", directory.file("r.svg")});
  };
  const ProgramResult text = with("json");
  INFO(text.err);
  REQUIRE(text.code == 0);
  const json document = json::parse(text.out);
  CHECK(faults_of(schema_named("retrieve"), document) == "");
  REQUIRE(document.at("retrievals").size() == 2);
  const json& points = document.at("retrievals").at(0).at("points");
  REQUIRE(points.size() == 5);
  CHECK(points.at(0).at("distance").is_null());
  CHECK(points.at(4).at("distance") == 8);
  CHECK(count_lines(with("csv").out) == 1 + 2 * 5);
  CHECK(with("table").out.find("needle rho = 0.9") != std::string::npos);
  CHECK(read_file(directory.file("r.svg")).find("</svg>") != std::string::npos);
}

TEST_CASE("retrieve refuses what it cannot do, in one line that names the option") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--lengths", "1"}, "--lengths"},
      {{"--lengths", "2^25"}, "--lengths"},
      {{"--lengths", "x"}, "--lengths"},
      {{"--distances", "0"}, "--distances"},
      {{"--distances", "2^17"}, "--distances"},
      {{"--needle-rho", "1.5"}, "--needle-rho"},
      {{"--needle-rho", "nan"}, "--needle-rho"},
      {{"--trials", "1"}, "--trials"},
      {{"--density", "gaussian:rho=0.5"}, "--needle-rho"},
      {{"--density", "sech"}, "--density"},
      {{"--head-dim", "7"}, "head"}};
  for (const auto& [arguments, named] : cases) {
    std::vector<std::string> all{"retrieve"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_program(all);
    INFO(named << ": " << result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find(named) != std::string::npos);
  }
}
