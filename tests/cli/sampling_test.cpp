// --shard, merge, --checkpoint and --estimator on the command line.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using Json = nlohmann::json;

namespace {

std::vector<std::string> sampled(std::vector<std::string> more) {
  std::vector<std::string> arguments{"curve",    "--engine",  "mc",    "--head-dim",
                                     "8",        "--samples", "20000", "--distances",
                                     "0,1,1000", "--format",  "json",  "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Json json_of(const std::vector<std::string>& arguments) {
  const ProgramResult result = run_program(arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return Json::parse(result.out);
}

}  // namespace

TEST_CASE("Shards on the command line fit their schema and merge to the curves of one run") {
  const TempDirectory directory;
  const Json whole = json_of(sampled({}));
  std::vector<std::string> merge{"merge", "--format", "json"};
  for (const char* shard : {"3/3", "1/3", "2/3"}) {
    const std::string file = directory.file(std::string("part") + shard[0] + ".json");
    const ProgramResult part = run_program(sampled({"--shard", shard, "--out", file}));
    INFO(part.err);
    REQUIRE(part.code == 0);
    CHECK(part.out.empty());
    const Json document = Json::parse(read_file(file));
    CHECK(document.at("schema") == "tapalab/shard/1");
    CHECK(faults_of(schema_named("shard"), document) == "");
    merge.push_back(file);
  }
  const Json merged = json_of(merge);
  CHECK(merged.at("curves") == whole.at("curves"));
  CHECK(faults_of(schema_named("curve"), merged) == "");

  merge.pop_back();
  const ProgramResult gap = run_program(merge);
  CHECK(gap.code == 2);
  CHECK(gap.out.empty());
  CHECK(gap.err.find("merge") != std::string::npos);
  merge.push_back(directory.file("part1.json"));
  CHECK(run_program(merge).code == 2);  // twice the same part
}

TEST_CASE("A finished checkpoint gives its result again, and refuses another experiment") {
  const TempDirectory directory;
  const std::string file = directory.file("run.checkpoint");
  const Json first = json_of(sampled({"--checkpoint", file}));
  CHECK_FALSE(first.at("provenance").contains("resumed_from"));
  const std::string saved = read_file(file);
  const Json again = json_of(sampled({"--checkpoint", file}));
  CHECK(again.at("curves") == first.at("curves"));
  REQUIRE(again.at("provenance").at("resumed_from").size() == 1);
  CHECK(again.at("provenance").at("resumed_from").at(0).at("samples") == 20000);

  const ProgramResult other = run_program(sampled({"--checkpoint", file, "--seed", "2"}));
  CHECK(other.code == 2);
  CHECK(other.err.find("seed") != std::string::npos);
  CHECK(read_file(file) == saved);

  // Samples of an earlier arithmetic do not belong with those of this one.
  std::string older = saved;
  const auto version = older.find("\"arithmetic_version\":3");
  REQUIRE(version != std::string::npos);
  older.replace(version, 22, "\"arithmetic_version\":2");
  directory.write("run.checkpoint", older);
  CHECK(run_program(sampled({"--checkpoint", file})).code == 2);  // its checksum does not fit
}

TEST_CASE("Antithetic and qmc runs merge, resume, explain themselves and fit their schema") {
  for (const std::string estimator : {"antithetic", "qmc"}) {
    const TempDirectory directory;
    const std::vector<std::string> asked{"--estimator", estimator, "--threads", "2"};
    const Json whole = json_of(sampled(asked));
    CHECK(faults_of(schema_named("curve"), whole) == "");
    const Json& curve = whole.at("curves").at(0);
    CHECK(curve.at("estimator") == estimator);
    CHECK(curve.at("points").at(0).at("engine") == (estimator == "qmc" ? "qmc" : "mc"));
    CHECK(curve.at("points").at(0).at("variance").is_object());
    std::vector<std::string> merge{"merge", "--format", "json"};
    for (const char* shard : {"1/2", "2/2"}) {
      const std::string file = directory.file(std::string("part") + shard[0] + ".json");
      auto line = sampled({"--estimator", estimator, "--shard", shard, "--out", file});
      REQUIRE(run_program(line).code == 0);
      CHECK(faults_of(schema_named("shard"), Json::parse(read_file(file))) == "");
      merge.push_back(file);
    }
    CHECK(json_of(merge).at("curves") == whole.at("curves"));
    const std::string file = directory.file("run.checkpoint");
    auto kept = asked;
    kept.insert(kept.end(), {"--checkpoint", file});
    CHECK(json_of(sampled(kept)).at("curves") == whole.at("curves"));
    CHECK(json_of(sampled(kept)).at("curves") == whole.at("curves"));
    const ProgramResult other = run_program(sampled({"--checkpoint", file}));
    CHECK(other.code == 2);
    CHECK(other.err.find("is in the first") == std::string::npos);
    CHECK(other.err.find("another experiment") != std::string::npos);
  }
  auto line = sampled({"--estimator", "auto", "--explain", "--encoding", "rope"});
  line.erase(std::find(line.begin(), line.end(), "--quiet"));
  const ProgramResult chosen = run_program(line);
  CHECK(chosen.code == 0);
  CHECK(chosen.err.find("estimator antithetic: gain over plain in a pilot run") !=
        std::string::npos);
  CHECK(Json::parse(chosen.out).at("curves").at(0).at("estimator") == "antithetic");
}

TEST_CASE("What a sampling option cannot do is said in one line") {
  const TempDirectory directory;
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& words) {
    const ProgramResult result = run_program(arguments);
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(count_lines(result.err) == 1);
    CHECK(result.err.find(words) != std::string::npos);
  };
  refused({"curve", "--engine", "conditional", "--shard", "1/2"}, "neither split nor saved");
  refused({"curve", "--engine", "conditional", "--checkpoint", directory.file("c")},
          "accepted: --engine mc, qmc or gpu");
  refused({"curve", "--engine", "exact", "--estimator", "plain"}, "--estimator: plain");
  refused({"variance", "--engine", "conditional"}, "means alone");
  refused({"curve", "--engine", "qmc", "--samples", "100"}, "16384");
  // A large file that is no checkpoint is left alone after its first bytes.
  const std::string large = directory.write("large", "x");
  std::filesystem::resize_file(large, std::uintmax_t{1} << 40);
  refused(sampled({"--checkpoint", large}), "is not a checkpoint");
  directory.write("large", "tapalab-checkpoint 1 99999999999 0123456789abcdef\n");
  refused(sampled({"--checkpoint", large}), "is damaged");
}

TEST_CASE("An estimator is chosen, explained, echoed, and given back by a result") {
  const std::vector<std::string> arguments{"curve",  "--engine",  "conditional", "--head-dim",
                                           "16",     "--samples", "20000",       "--distances",
                                           "1,1000", "--format",  "json",        "--explain"};
  const ProgramResult result = run_program(arguments);
  REQUIRE(result.code == 0);
  CHECK(result.err.find("pilot run") != std::string::npos);
  const Json document = Json::parse(result.out);
  CHECK(faults_of(schema_named("curve"), document) == "");
  const std::string estimator = document.at("curves").at(0).at("estimator");
  CHECK(result.err.find("estimator " + estimator) != std::string::npos);
  CHECK(document.at("curves").at(0).at("points").at(0).at("variance").is_null());

  const TempDirectory directory;
  auto asked = arguments;
  asked.insert(asked.end(), {"--estimator", "importance"});
  const Json importance = json_of(asked);
  CHECK(importance.at("experiment").at("estimator") == "importance");
  CHECK(faults_of(schema_named("curve"), importance) == "");
  const std::string spec = directory.write("spec.json", importance.dump());
  const Json again = json_of({"curve", "--spec", spec, "--format", "json", "--quiet"});
  CHECK(again.at("curves") == importance.at("curves"));

  const ProgramResult unknown = run_program({"curve", "--estimator", "importence"});
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("importance") != std::string::npos);
  const ProgramResult wrong = run_program({"curve", "--engine", "mc", "--estimator", "importance"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("--estimator") != std::string::npos);
}
