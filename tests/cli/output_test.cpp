// Where results go, in which form, and what happens where they cannot go there.
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "cli/schema_check.hpp"

using namespace tapalab::test;
using nlohmann::json;

namespace {
const std::string kFew = " curve --distances 0,1,1000";
const std::string kSampled = " curve --engine mc --samples 2000 --distances 0,1,1000";
}  // namespace

TEST_CASE("curve prints a table, CSV or JSON with the same numbers") {
  const ProgramResult table = run_shell("\"$P\"" + kFew);
  const ProgramResult csv = run_shell("\"$P\"" + kFew + " --format csv");
  const ProgramResult text = run_shell("\"$P\"" + kFew + " --format json");
  REQUIRE(table.code == 0);
  REQUIRE(csv.code == 0);
  REQUIRE(text.code == 0);
  CHECK(table.err.empty());
  const json document = json::parse(text.out);
  const json& points = document.at("curves").at(0).at("points");
  CHECK(points.size() == 3);
  CHECK(count_lines(csv.out) == 4);
  CHECK(count_lines(table.out) == 5);
  for (const auto& point : points) {
    for (const char* name : {"mean", "envelope", "variance", "variance_excess"}) {
      CHECK(csv.out.find(point.at(name).at("decimal").get<std::string>()) != std::string::npos);
    }
    const std::string mean = point.at("mean").at("decimal");
    CHECK(table.out.find(mean.substr(0, 10)) != std::string::npos);
  }
}

TEST_CASE("The JSON of curve, bias and variance is valid under its schema, for every engine") {
  const SchemaCheck schema = schema_named("curve");
  const std::string tokens = " --density 'empirical:file=\"" + std::string(TAPALAB_TEST_DATA) +
                             "/qk.safetensors\",q=layers.3.q,k=layers.3.k,skip=4'";
  for (const std::string& line :
       {kFew, kSampled, kFew + " --encoding tapa --encoding rope --encoding nope",
        kFew + " --density gaussian:a.rho=0.5,p.mean_q=1", std::string(" bias --distances 1,7"),
        std::string(" variance --distances 1,7"), std::string(" bias --distances 1,7") + tokens,
        kFew + " --density sech:a.mean_q=0.5",
        kFew + " --density student-t:nu=5 --density sech:key=laplace",
        kFew + " --density 'mixture:weight=0.5,rho=0.5;weight=0.5,p.mean_q=1' --density "
               "student-t-joint:nu=3,rho=0.5 --density quartic:a.rho=0.5",
        std::string(" bias --distances 1,7 --density 'empirical:file=\"") + TAPALAB_TEST_DATA +
            "/qk.safetensors\",q=layers.3.q,k=layers.3.k,skip=1900,bandwidth=0.5'",
        std::string(" curve --distances 1,2^62 --encoding rope --encoding tapa-linear")}) {
    INFO(line);
    const ProgramResult result = run_shell("\"$P\"" + line + " --format json");
    INFO(result.err);
    REQUIRE(result.code == 0);
    CHECK(faults_of(schema, json::parse(result.out)) == "");
    CHECK(result.out.find("NaN") == std::string::npos);
  }
}

TEST_CASE("curves hold the same bytes for every number of threads") {
  const auto curves = [](const std::string& options) {
    const ProgramResult result = run_shell("\"$P\"" + kSampled + " --format json " + options);
    REQUIRE(result.code == 0);
    return json::parse(result.out).at("curves").dump();
  };
  const std::string one = curves("--threads 1");
  CHECK(one == curves("--threads 2"));
  CHECK(one == curves("--threads 7"));
  CHECK(one != curves("--seed 2"));
}

TEST_CASE("An unresolved mean has no sign, keeps its estimate, and is no failure") {
  const ProgramResult result =
      run_shell("\"$P\" curve --engine mc --samples 1000 --distances 1000000 --format json");
  REQUIRE(result.code == 0);
  const json point = json::parse(result.out).at("curves").at(0).at("points").at(0);
  CHECK(point.at("status") == "unresolved");
  CHECK(point.at("mean").at("sign").is_null());
  CHECK(point.at("mean").at("decimal").is_string());
  CHECK(point.at("mean").at("error").at("level") == 0.95);
}

TEST_CASE("A tolerance that the samples cannot reach gives exit code 4 and the result") {
  for (const char* tolerance : {"--rel-tol 1e-9", "--abs-tol 1e-9"}) {
    INFO(tolerance);
    const ProgramResult result =
        run_shell("\"$P\" curve --engine mc --samples 4000 --distances 0 --format json " +
                  std::string(tolerance));
    CHECK(result.code == 4);
    const json point = json::parse(result.out).at("curves").at(0).at("points").at(0);
    CHECK(point.at("status") == "target-not-met");
  }
}

TEST_CASE("Option --out leaves standard output empty, replaces the file whole and keeps its mode") {
  const TempDirectory directory;
  const std::string file = directory.write("result.json", "old");
  chmod(file.c_str(), 0640);
  const ProgramResult result = run_shell("\"$P\"" + kFew + " --format json --out '" + file + "'");
  CHECK(result.code == 0);
  CHECK(result.out.empty());
  CHECK(json::parse(read_file(file)).at("schema") == "tapalab/curve/1");
  CHECK(directory.entries() == std::vector<std::string>{"result.json"});
  struct stat info {};
  REQUIRE(stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
}

TEST_CASE("Option --out through a symbolic link replaces its target; a device is written") {
  const TempDirectory directory;
  directory.write("target", "old");
  const ProgramResult result = run_shell("cd '" + directory.file("") +
                                         "' && ln -s target link && \"$P\"" + kFew + " --out link");
  CHECK(result.code == 0);
  CHECK(read_file(directory.file("target")).find("1000") != std::string::npos);
  CHECK(directory.entries() == std::vector<std::string>{"link", "target"});
  CHECK(run_shell("\"$P\"" + kFew + " --out /dev/null").code == 0);
}

TEST_CASE("A full disk or a closed standard output is an error, never a crash or success") {
  for (const std::string& line :
       {std::string(" > /dev/full"), std::string(" >&-"), std::string(" --out /dev/full")}) {
    INFO(line);
    const ProgramResult result = run_shell("\"$P\"" + kFew + line);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
  }
}

TEST_CASE("A reader that goes away ends the program quietly with the exit code of SIGPIPE") {
  for (const char* options :
       {" --format csv", " --format json", "", " --format csv --out /dev/stdout"}) {
    INFO(options);
    const ProgramResult result =
        run_shell("{ \"$P\" curve --distances lin:0:3000:3000 --quiet" + std::string(options) +
                  "; echo code $? >&2; } | head -c 10 >/dev/null");
    CHECK(result.err == "code 141\n");
  }
  const ProgramResult help = run_shell("{ \"$P\" curve --help; echo code $? >&2; } | true");
  CHECK((help.err == "code 141\n" || help.err == "code 0\n"));
}

TEST_CASE("Standard error is silent but for notes that --quiet takes away") {
  CHECK(run_shell("\"$P\"" + kFew).err.empty());
  const ProgramResult grid = run_shell("\"$P\" curve --distances log:1:4:9");
  CHECK(grid.err.find("4 distances") != std::string::npos);
  CHECK(run_shell("\"$P\" curve --distances log:1:4:9 --quiet").err.empty());
  const ProgramResult explained = run_shell("\"$P\"" + kFew + " --explain");
  CHECK(explained.err.find("engine exact") != std::string::npos);
  CHECK(count_lines(explained.err) == 1);
}

TEST_CASE(
    "Option --progress on writes lines with rate and remaining time where there is no terminal",
    "[slow]") {
  const ProgramResult result = run_shell(
      "\"$P\" curve --engine mc --samples 2e7 --distances 1 --threads 1 --progress on --quiet");
  CHECK(result.err.empty());
  const ProgramResult shown =
      run_shell("\"$P\" curve --engine mc --samples 2e7 --distances 1 --threads 1 --progress on");
  CHECK(shown.code == 0);
  CHECK(shown.err.find("samples/s") != std::string::npos);
  CHECK(shown.err.find("left") != std::string::npos);
  CHECK(shown.err.find('\r') == std::string::npos);
}

TEST_CASE("Option --plot writes one figure in the format of its extension") {
  const TempDirectory directory;
  for (const std::string& extension :
       {std::string("svg"), std::string("png"), std::string("pdf"), std::string("SVG")}) {
    const std::string file = directory.file("bias." + extension);
    const ProgramResult result =
        run_shell("\"$P\" bias --encoding rope --distances 1,10,100 --plot '" + file + "'");
    INFO(result.err);
    REQUIRE(result.code == 0);
    const std::string content = read_file(file);
    const std::string magic = extension == "svg" || extension == "SVG" ? "<?xml"
                              : extension == "png"                     ? "\x89PNG"
                                                                       : "%PDF";
    CHECK(content.compare(0, magic.size(), magic) == 0);
  }
  CHECK(directory.entries().size() == 4);
}
