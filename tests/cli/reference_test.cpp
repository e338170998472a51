// Reference values, computed at 60 digits by another program, through the whole of ours.
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/log_number.hpp"
#include "catch.hpp"
#include "cli/run_program.hpp"

using namespace tapalab;
using namespace tapalab::test;
using nlohmann::json;

namespace {

json reference(const std::string& name) {
  std::ifstream file(std::string(TAPALAB_TEST_DATA) + "/" + name);
  return json::parse(file);
}

Wide decimal(const json& text) { return LogNumber::parse(text.get<std::string>(), "test").wide(); }

json run_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const ProgramResult result = run_program(arguments);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return json::parse(result.out);
}

// The promise: |printed - truth| <= 1e-12 of the envelope; for the variance, which has none, of the
// variance itself. The interval printed beside it holds the truth too, up to the 20 digits of the
// reference.
void check_point(const json& point, const json& expected) {
  const Wide envelope = decimal(point.at("envelope").at("decimal"));
  for (const char* name : {"mean", "variance"}) {
    INFO(name << " at distance " << point.at("distance"));
    const json& printed = point.at(name);
    const Wide truth = decimal(expected.at(name).at("value"));
    const Wide scale = std::string(name) == "mean" ? envelope : abs(truth);
    CHECK(abs(decimal(printed.at("decimal")) - truth) <= Wide("1e-12") * scale);
    CHECK(printed.at("sign") == expected.at(name).at("sign"));
    const Wide digits = Wide("1e-19") * abs(truth);
    CHECK(decimal(printed.at("error").at("lower")) <= truth + digits);
    CHECK(decimal(printed.at("error").at("upper")) >= truth - digits);
  }
  CHECK(point.at("engine") == "exact");
  CHECK(point.at("status") == "converged");
}

std::string list_of(const json& numbers) {
  std::string text = "[";
  for (const auto& one : numbers) {
    text += (text.size() > 1 ? ", " : "") + (one.is_array() ? list_of(one) : one.dump());
  }
  return text + "]";
}

}  // namespace

TEST_CASE("curve prints the Gaussian reference values to 1e-12 of the envelope") {
  const json cases = reference("tapa_gaussian.json").at("cases");
  std::size_t checked = 0;
  std::set<std::string> groups;
  const auto key = [](const json& one) {
    return std::vector<std::string>{"--head-dim",
                                    one.at("head_dim").dump(),
                                    "--encoding",
                                    "tapa:alpha=" + one.at("alpha").get<std::string>() +
                                        ",share=" + one.at("theta").get<std::string>() +
                                        ",law=" + one.at("law").get<std::string>(),
                                    "--density",
                                    one.at("density").get<std::string>()};
  };
  for (const json& first : cases) {
    std::vector<std::string> arguments = key(first);
    if (!groups.insert(json(arguments).dump()).second) continue;
    std::vector<json> group;
    std::string distances;
    for (const json& one : cases) {
      if (key(one) != arguments) continue;
      group.push_back(one);
      distances += (distances.empty() ? "" : ",") + one.at("distance").dump();
    }
    arguments.insert(arguments.begin(), "curve");
    arguments.insert(arguments.end(), {"--distances", distances});
    const json result = run_json(arguments);
    const json& points = result.at("curves").at(0).at("points");
    REQUIRE(points.size() == group.size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      REQUIRE(points[i].at("distance") == group[i].at("distance"));
      check_point(points[i], group[i]);
      ++checked;
    }
  }
  CHECK(checked == cases.size());
}

TEST_CASE("curve --spec prints the general Gaussian reference values to 1e-12 of the envelope") {
  const TempDirectory directory;
  std::size_t checked = 0;
  const json cases = reference("tapa_general_gaussian.json").at("cases");
  for (const json& one : cases) {
    std::string distances;
    for (const json& point : one.at("points")) {
      distances += (distances.empty() ? "" : ",") + point.at("distance").dump();
    }
    const std::string toml =
        "distances = \"" + distances + "\"\n[encoding]\nname = \"tapa-general\"\nalpha = \"" +
        one.at("alpha").get<std::string>() + "\"\nlaw = \"" + one.at("law").get<std::string>() +
        "\"\nM = " + list_of(one.at("M")) + "\nN = " + list_of(one.at("N")) +
        "\n[density]\nname = \"gaussian\"\nmean = " + list_of(one.at("mean")) +
        "\ncovariance = " + list_of(one.at("covariance")) + "\n";
    const json result = run_json({"curve", "--spec", directory.write("general.toml", toml)});
    const json& curve = result.at("curves").at(0);
    CHECK(curve.at("head_dim") == one.at("head_dim"));
    const json& points = curve.at("points");
    REQUIRE(points.size() == one.at("points").size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      check_point(points[i], one.at("points")[i]);
      ++checked;
    }
  }
  CHECK(checked >= 6);
}
