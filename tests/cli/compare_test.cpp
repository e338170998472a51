// The command compare through the real program.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

TEST_CASE("compare finds engines at one, and a density that is another") {
  const TempDirectory directory;
  const auto curve = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"curve",   "--head-dim",        "8",        "--distances",
                                       "0,1,100", "--quiet",           "--format", "json",
                                       "--out",   directory.file(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE(run_program(arguments).code == 0);
    return directory.file(name);
  };
  const std::string exact = curve("exact.json", {});
  const std::string drawn = curve("mc.json", {"--engine", "mc", "--samples", "1e5"});
  const auto same = run_program({"compare", exact, drawn, "--format", "json"});
  INFO(same.err);
  CHECK(same.code == 0);
  const json document = json::parse(same.out);
  CHECK(faults_of(schema_named("compare"), document) == "");
  CHECK(document.at("compared") == 12);
  CHECK(run_program({"compare", exact, drawn, "--z", "0.001"}).code == 1);
  CHECK(run_program({"compare", "--format", "json", "--", exact, drawn}).out.size() ==
        same.out.size() + 5);  // provenance repeats the mark

  // the same name for another correlation: the numbers tell
  std::string other = read_file(curve("other.json", {"--density", "gaussian:rho=0.3"}));
  for (std::size_t at; (at = other.find("0.3")) != std::string::npos &&
                       other.substr(at - 4, 4).find_first_of("=\"") != std::string::npos;)
    other.replace(at, 3, "0.25");
  const auto differ = run_program({"compare", exact, directory.write("forged.json", other)});
  CHECK(differ.code == 1);
  CHECK(differ.out.find("differ beyond z = 4") != std::string::npos);
}

TEST_CASE("compare refuses what it cannot do") {
  const TempDirectory directory;
  const std::string file = directory.write("a.json", R"({"schema":"tapalab/curve/1"})");
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"compare"},
                                             {"compare", file},
                                             {"compare", file, file},
                                             {"compare", file, file, file},
                                             {"compare", file, directory.file("missing.json")},
                                             {"compare", file, file, "--z", "0"},
                                             {"compare", file, file, "--out", file}}) {
    const auto result = run_program(arguments);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
  }
  CHECK(read_file(file) == R"({"schema":"tapalab/curve/1"})");
}
