// Experiments from files, their results given back, overrides and sweeps.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"

using namespace tapalab::test;
using nlohmann::json;

namespace {

json run_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json", "--quiet"});
  const ProgramResult result = run_program(arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return json::parse(result.out);
}

std::string tokens() {
  return "empirical:file=\"" + std::string(TAPALAB_TEST_DATA) +
         "/qk.safetensors\",q=layers.3.q,k=layers.3.k";
}

const char* const kGeneral = R"(distances = [1, 100]
[encoding]
name = "tapa-general"
alpha = 0.50
law = "power"
M = [[1, 0.25], [-0.5, 2e-1]]
N = [[0.1, 0], [0, 1_0.0]]
[density]
name = "gaussian"
mean = [0, 0.1, 0, 0]
covariance = [[1, 0, 0.2, 0], [0, 1, 0, 0], [0.2, 0, 1, 0], [0, 0, 0, 1]]
)";

const char* const kMixture = R"(distances = [0, 1, 100]
encoding = "tapa"
head_dim = 2
[density]
name = "mixture"
[[density.components]]
weight = 0.25
mean = [0, 0.1, 0, 0]
covariance = [[1, 0, 0.2, 0], [0, 1, 0, 0], [0.2, 0, 1, 0], [0, 0, 0, 1]]
[[density.components]]
weight = 0.75
p.rho = 0.5
mean_q = "0.25"
)";

}  // namespace

TEST_CASE("A result given back as a specification gives the same curves") {
  const TempDirectory directory;
  const std::vector<std::vector<std::string>> experiments{
      {"--distances", "0,1,2^40"},
      {"--encoding", "tapa", "--encoding", "rope:base=500000", "--density", "gaussian:rho=0.25",
       "--density", "gaussian:mean_q=0.5,rho=0.1", "--head-dim", "64", "--distances", "7,3"},
      {"--engine", "mc", "--samples", "3000", "--seed", "9", "--confidence", "0.9", "--distances",
       "1,5"},
      {"--density", "gaussian:a.mean_q=0.5,rho=0.1", "--distances", "4"},
      {"--sweep", "alpha=lin:0.1:0.3:3", "--distances", "log:1:100:5"},
      {"--encoding", "rope", "--density", tokens(), "--distances", "1,9"},
      {"--spec", directory.write("general.toml", kGeneral)},
      {"--spec", directory.write("mixture.toml", kMixture)},
      {"--density", "mixture:weight=0.25,rho=0.6;weight=0.75,a.mean_q=0.5", "--density",
       "mixture:rho=0.1;rho=0.2", "--density", "student-t-joint:nu=5,p.rho=0.5", "--density",
       "quartic:rho=0.5", "--distances", "0,3"},
      {"--density", tokens() + ",skip=1900,bandwidth=0.5", "--distances", "1,9"},
      {"--encoding", "tapa", "--encoding", "tapa", "--distances", "1,9"},
      {"--encoding", "tapa", "--encoding", "rope", "--encoding", "tapa", "--density", "gaussian",
       "--density", "gaussian", "--distances", "3"},
  };
  for (auto arguments : experiments) {
    arguments.insert(arguments.begin(), "curve");
    const json first = run_json(arguments);
    const std::string file = directory.write("result.json", first.dump());
    const json second = run_json({"curve", "--spec", file});
    CHECK(first.at("curves").dump() == second.at("curves").dump());
    CHECK(first.at("experiment").dump() == second.at("experiment").dump());
  }
}

TEST_CASE("The bare result of the format's description can be run again") {
  const TempDirectory directory;
  const std::string file = directory.write("bare.json", R"({"schema":"tapalab/curve/1","curves":[
    {"encoding":{"name":"tapa","alpha":"0.2"},"density":{"name":"gaussian","rho":"0.5"},
     "head_dim":32,"seed":4,"samples":2000,"points":[{"distance":3,"engine":"mc"}]}]})");
  const json again = run_json({"curve", "--spec", file});
  const json direct = run_json({"curve", "--encoding", "tapa:alpha=0.2", "--density",
                                "gaussian:rho=0.5", "--head-dim", "32", "--engine", "mc", "--seed",
                                "4", "--samples", "2000", "--distances", "3"});
  CHECK(again.at("curves").dump() == direct.at("curves").dump());
}

TEST_CASE("Flags override a file, each alone") {
  const TempDirectory directory;
  const std::string file = directory.write("base.toml",
                                           "distances = \"1,2\"\nhead_dim = 64\nseed = 5\n"
                                           "samples = 1e3\nengine = \"mc\"\nconfidence = 0.90\n"
                                           "encoding = [\"tapa\", \"rope\"]\n");
  const json plain = run_json({"curve", "--spec", file});
  CHECK(plain.at("curves").size() == 2);
  CHECK(plain.at("curves").at(0).at("head_dim") == 64);
  CHECK(plain.at("curves").at(0).at("seed") == 5);
  CHECK(plain.at("curves").at(0).at("samples") == 1000);
  CHECK(plain.at("experiment").at("confidence") == 0.9);
  CHECK(plain.at("experiment").at("seq_len") == 3);

  const json over = run_json({"curve", "--spec", file, "--head-dim", "32", "--seed", "6",
                              "--distances", "9", "--encoding", "nope", "--seq-len", "50"});
  CHECK(over.at("curves").size() == 1);
  CHECK(over.at("curves").at(0).at("encoding").at("name") == "nope");
  CHECK(over.at("curves").at(0).at("head_dim") == 32);
  CHECK(over.at("curves").at(0).at("seed") == 6);
  CHECK(over.at("curves").at(0).at("samples") == 1000);
  CHECK(over.at("curves").at(0).at("points").at(0).at("distance") == 9);
  CHECK(over.at("experiment").at("seq_len") == 50);
}

TEST_CASE("Numbers of a TOML file are the decimals that it spells") {
  const TempDirectory directory;
  const json result = run_json({"curve", "--spec", directory.write("general.toml", kGeneral)});
  const json& encoding = result.at("curves").at(0).at("encoding");
  CHECK(encoding.at("alpha") == "0.50");
  CHECK(encoding.at("M") == json::parse(R"([["1","0.25"],["-0.5","2e-1"]])"));
  CHECK(encoding.at("N") == json::parse(R"([["0.1","0"],["0","10.0"]])"));
  CHECK(result.at("curves").at(0).at("density").at("mean") ==
        json::parse(R"(["0","0.1","0","0"])"));
  // At this distance the double nearest to 0.1 is off by 51 turns times the phase.
  const std::string linear = directory.write(
      "linear.toml",
      "distances = 9223372036854775807\n[encoding]\nname = \"tapa\"\nalpha = 0.1 # é\n"
      "law = \"linear\"\n");
  const json by_file = run_json({"curve", "--spec", linear});
  const json by_flag = run_json(
      {"curve", "--encoding", "tapa:alpha=0.1,law=linear", "--distances", "9223372036854775807"});
  CHECK(by_file.at("curves").at(0).at("points") == by_flag.at("curves").at(0).at("points"));
}

TEST_CASE("A table of prefixed keys is the density that the command line spells") {
  const TempDirectory directory;
  const std::string file = directory.write("prefixed.toml",
                                           "distances = 3\n[density]\nname = \"gaussian\"\nrho = "
                                           "0.1\na.mean_q = 0.5\n\"p.rho\" = 0.3\n");
  const json by_file = run_json({"curve", "--spec", file});
  const json by_flag = run_json(
      {"curve", "--distances", "3", "--density", "gaussian:rho=0.1,a.mean_q=0.5,p.rho=0.3"});
  CHECK(by_file.at("curves").dump() == by_flag.at("curves").dump());
}

TEST_CASE("The components of a mixture in a table are those that the command line spells") {
  const TempDirectory directory;
  const std::string file = directory.write(
      "mixture.toml",
      "distances = 3\n[density]\nname = \"mixture\"\ncomponents = [{weight = 0.3, rho = 0.5}, "
      "{weight = 0.7, a.mean_q = 1}]\n");
  const json by_file = run_json({"curve", "--spec", file});
  const json by_flag = run_json({"curve", "--distances", "3", "--density",
                                 "mixture:weight=0.3,rho=0.5;weight=0.7,a.mean_q=1"});
  CHECK(by_file.at("curves").dump() == by_flag.at("curves").dump());
}

TEST_CASE("Curves are the product of encodings and densities, encodings outermost") {
  const json result = run_json({"curve", "--encoding", "rope", "--encoding", "tapa", "--density",
                                "gaussian:rho=0.5", "--density", "gaussian", "--distances", "1"});
  std::vector<std::string> order;
  for (const auto& curve : result.at("curves")) {
    order.push_back(curve.at("encoding").at("spec").get<std::string>() + "/" +
                    curve.at("density").at("spec").get<std::string>());
  }
  CHECK(order == std::vector<std::string>{"rope/gaussian:rho=0.5", "rope/gaussian",
                                          "tapa/gaussian:rho=0.5", "tapa/gaussian"});
}

TEST_CASE("Option --sweep gives one curve for each value, echoed as an exact decimal") {
  const auto values = [](const json& result, const char* part, const char* key) {
    std::vector<std::string> list;
    for (const auto& curve : result.at("curves")) list.push_back(curve.at(part).at(key));
    return list;
  };
  CHECK(values(run_json({"curve", "--sweep", "alpha=lin:0.1:0.5:5", "--distances", "1"}),
               "encoding", "alpha") == std::vector<std::string>{"0.1", "0.2", "0.3", "0.4", "0.5"});
  CHECK(values(run_json({"curve", "--encoding", "rope", "--sweep", "base=log:1e2:1e6:3",
                         "--distances", "1"}),
               "encoding", "base") == std::vector<std::string>{"1e2", "10000", "1e6"});
  CHECK(values(run_json({"curve", "--sweep", "rho=lin:-0.5:0.5:3", "--distances", "1"}), "density",
               "rho") == std::vector<std::string>{"-0.5", "0", "0.5"});
  CHECK(values(run_json({"curve", "--sweep", "p.mean_q=lin:0:1:2", "--distances", "1"}), "density",
               "p.mean_q") == std::vector<std::string>{"0", "1"});
  // Encodings without the key stand once.
  const json mixed = run_json({"curve", "--encoding", "tapa", "--encoding", "nope", "--sweep",
                               "alpha=lin:0.1:0.2:2", "--distances", "1"});
  CHECK(values(mixed, "encoding", "spec") ==
        std::vector<std::string>{"tapa:alpha=0.1", "tapa:alpha=0.2", "nope"});
}

TEST_CASE("The swept curve is the curve of its echoed specification") {
  const json swept = run_json({"curve", "--sweep", "alpha=lin:0.1:0.4:4", "--distances", "50"});
  const json direct = run_json({"curve", "--encoding", "tapa:alpha=0.3", "--distances", "50"});
  CHECK(swept.at("curves").at(2).dump() == direct.at("curves").at(0).dump());
}

TEST_CASE("Counts may be written as powers and in scientific notation") {
  const json result = run_json({"curve", "--engine", "mc", "--samples", "2^10", "--seed", "1e3",
                                "--distances", "2^20,1e3", "--head-dim", "2^4"});
  const json& curve = result.at("curves").at(0);
  CHECK(curve.at("samples") == 1024);
  CHECK(curve.at("seed") == 1000);
  CHECK(curve.at("head_dim") == 16);
  CHECK(curve.at("points").at(0).at("distance") == 1048576);
}

TEST_CASE("Paths in a TOML file are relative to that file, wherever it is run from") {
  const TempDirectory directory;
  std::filesystem::create_directory(directory.file("inner"));
  // A .npy of version 1: [[1, 0], [0, 1]] in float64.
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
  header +=
      std::string(64 - 10 - 1 - header.size() % 64 + (header.size() > 53 ? 64 : 0), ' ') + '\n';
  std::string npy = "\x93NUMPY\x01";
  npy += '\0';
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header;
  for (const double value : {1.0, 0.0, 0.0, 1.0}) {
    npy.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  directory.write("inner/unit.npy", npy);
  directory.write("inner/table.toml",
                  "distances = 3\n[encoding]\nname = \"tapa-general\"\nM = \"unit.npy\"\n"
                  "N = [[1, 0], [0, 1]]\n");
  directory.write("inner/text.toml",
                  "distances = 3\nencoding = \"tapa-general:M=unit.npy,N=../inner/unit.npy\"\n");
  std::filesystem::copy_file(std::string(TAPALAB_TEST_DATA) + "/qk.safetensors",
                             directory.file("inner/tokens.safetensors"));
  directory.write("inner/tokens.toml",
                  "distances = 3\nencoding = \"rope\"\n[density]\nname = \"empirical\"\n"
                  "file = \"tokens.safetensors\"\nq = \"layers.3.q\"\nk = \"layers.3.k\"\n");
  for (const char* name : {"table.toml", "text.toml", "tokens.toml"}) {
    INFO(name);
    const ProgramResult from_afar = run_shell("cd / && \"$P\" curve --format json --spec '" +
                                              directory.file(std::string("inner/") + name) + "'");
    INFO(from_afar.err);
    REQUIRE(from_afar.code == 0);
    const ProgramResult beside = run_shell("cd '" + directory.file("inner") +
                                           "' && \"$P\" curve --format json --spec " + name);
    INFO(beside.err);
    REQUIRE(beside.code == 0);
    const json far = json::parse(from_afar.out), near = json::parse(beside.out);
    CHECK(far.at("curves").at(0).at("points") == near.at("curves").at(0).at("points"));
    // The echo of a run is one that the same directory can run again.
    const std::string again = directory.write("again.json", from_afar.out);
    CHECK(run_shell("cd / && \"$P\" curve --spec '" + again + "'").code == 0);
  }
}

TEST_CASE("The largest distance may be written 2^63-1, in lists and in ranges") {
  const json listed = run_json({"curve", "--distances", "2^63-1,2^3-1"});
  const json& points = listed.at("curves").at(0).at("points");
  CHECK(points.at(0).at("distance") == 9223372036854775807ULL);
  CHECK(points.at(1).at("distance") == 7);
  for (const char* range : {"lin:2^62-1:2^63-1:2", "log:2^62-1:2^63-1:2"}) {
    const json ranged = run_json({"curve", "--distances", range});
    CHECK(ranged.at("curves").at(0).at("points").at(0).at("distance") == 4611686018427387903ULL);
    CHECK(ranged.at("curves").at(0).at("points").at(1).at("distance") == 9223372036854775807ULL);
  }
  CHECK(run_json({"curve", "--engine", "mc", "--samples", "2^5-1", "--seed", "2^64-1",
                  "--distances", "1"})
            .at("curves")
            .at(0)
            .at("seed") == 18446744073709551615ULL);
}
