// Whatever is wrong with the arguments or the input: exit code 2, one line on standard error that
// names it, nothing on standard output, no file.
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/run_program.hpp"

using namespace tapalab::test;

namespace {

struct BadCase {
  std::vector<std::string> arguments;
  std::string named;  ///< what the message must hold
};

void check_refused(const std::vector<std::string>& arguments, const std::string& named) {
  const ProgramResult result = run_program(arguments);
  std::string line;
  for (const auto& argument : arguments) line += argument + " ";
  INFO(line << "\n" << result.err);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(count_lines(result.err) == 1);
  CHECK(result.err.size() < 2000);
  CHECK(result.err.find(named) != std::string::npos);
}

std::string tokens(const std::string& more) {
  return "empirical:file=\"" + std::string(TAPALAB_TEST_DATA) + "/qk.safetensors\"" + more;
}

}  // namespace

TEST_CASE("Bad options are refused with one line that names them") {
  const std::vector<BadCase> cases{
      {{}, "command"},
      {{"curv"}, "did you mean curve"},
      {{"--verbose"}, "--verbose"},
      {{"histogra"}, "did you mean histogram"},
      {{"retriev"}, "did you mean retrieve"},
      {{"curve", "--distance", "1"}, "did you mean --distances"},
      {{"curve", "--frobnicate"}, "--frobnicate"},
      {{"curve", "--frobnicate=3"}, "--frobnicate"},
      {{"curve", "1000"}, "1000"},
      {{"curve", "--samples"}, "--samples"},
      {{"curve", "--samples=", "--distances", "1"}, "--samples: needs a value"},
      {{"curve", "--encoding", "--density", "gaussian"}, "--encoding: needs a value"},
      {{"verify", "--require", "--quick"}, "--require: needs a value"},
      {{"curve", "--", "1"}, "--"},
      {{"curve", "-x"}, "-x"},
      {{"curve", "--\xff"}, "\\xff"},
      {{"curve", "--encoding", "tapa", "rope"}, "rope"},
      {{"curve", "--seed", "1", "--seed", "2"}, "--seed"},
      {{"curve", "--encoding", ""}, "encoding"},
      {{"curve", "--encoding", "tap"}, "did you mean tapa"},
      {{"curve", "--encoding", "yarn"}, "yarn"},
      {{"curve", "--encoding", "tapa:alpha=nan"}, "alpha"},
      {{"curve", "--encoding", "tapa:alpha=inf"}, "alpha"},
      {{"curve", "--encoding", "tapa:alpha=0"}, "alpha"},
      {{"curve", "--encoding", "tapa:alpha=-0.1"}, "alpha"},
      {{"curve", "--encoding", "tapa:alpha=0.1,alpha=0.2"}, "alpha"},
      {{"curve", "--encoding", "tapa:alpa=0.1"}, "did you mean alpha"},
      {{"curve", "--encoding", "tapa:share=0"}, "share"},
      {{"curve", "--encoding", "tapa:share=1"}, "share"},
      {{"curve", "--encoding", "tapa:share=0.3"}, "share"},
      {{"curve", "--encoding", "tapa:law=cubic"}, "law"},
      {{"curve", "--encoding", "tapa:"}, "tapa:"},
      {{"curve", "--encoding", "tapa:alpha"}, "alpha"},
      {{"curve", "--encoding", "tapa:alpha=\"0.1"}, "alpha"},
      {{"curve", "--encoding", "tapa\nrope"}, "tapa"},
      {{"curve", "--encoding", "rope:base=1"}, "base"},
      {{"curve", "--encoding", "rope:pairing=odd"}, "pairing"},
      {{"curve", "--encoding", "tapa-general:M=missing.npy,N=missing.npy"}, "missing.npy"},
      {{"curve", "--density", "gauss"}, "gauss"},
      {{"curve", "--density", "gaussian:rho=1.5"}, "rho"},
      {{"curve", "--density", "gaussian:rho=NaN"}, "rho"},
      {{"curve", "--density", "gaussian:scale_q=0"}, "scale_q"},
      {{"curve", "--density", "gaussian:scale_k=-1"}, "scale_k"},
      {{"curve", "--density", "gaussian:sigma=1"}, "sigma"},
      {{"curve", "--encoding", "rope", "--density", "gaussian:a.rho=0.5"}, "a."},
      {{"curve", "--density", "empirical:file=missing.safetensors,q=q,k=k"}, "missing.safetensors"},
      {{"curve", "--density", tokens(",q=layers.3.q,k=layers.99.k")}, "layers.99.k"},
      {{"curve", "--density", tokens(",q=layers.3.q,k=layers.3.k,head=1000")}, "head"},
      {{"curve", "--density", tokens(",q=layers.3.q,k=layers.3.k,pairs=some")}, "pairs"},
      {{"curve", "--density", tokens(",q=layers.3.q,k=layers.3.k"), "--head-dim", "3"},
       "--head-dim"},
      {{"curve", "--head-dim", "0"}, "--head-dim"},
      {{"curve", "--head-dim", "127"}, "127"},
      {{"curve", "--head-dim", "1e9"}, "out of range; accepted: 1 to 65536"},
      {{"curve", "--threads", "5000"}, "out of range; accepted: 1 to 4096"},
      {{"curve", "--encoding", "tapa:share=0.3", "--head-dim", "6"}, "accepted: multiples of 0.5 "},
      {{"curve", "--encoding", "tapa:share=0.3"}, "accepted: multiples of 0.0078125 "},
      {{"curve", "--density", "sech:rho=0.5"}, "rho is refused: queries and keys"},
      {{"curve", "--density", "laplace:a.rho=0.5"}, "a.rho is refused: queries and keys"},
      {{"curve", "--head-dim", "many"}, "--head-dim"},
      {{"curve", "--distances", ""}, "--distances"},
      {{"curve", "--distances", "1.5"}, "--distances"},
      {{"curve", "--distances", "-1"}, "--distances"},
      {{"curve", "--distances", "1,,2"}, "--distances"},
      {{"curve", "--distances", "2^63"}, "--distances"},
      {{"curve", "--distances", "9223372036854775808"}, "--distances"},
      {{"curve", "--distances", "2^63-0"}, "larger than 2^63-1"},
      {{"curve", "--distances", "2^3-9"}, "is not an integer from 0"},
      {{"curve", "--distances", "2^63--1"}, "is not an integer from 0"},
      {{"curve", "--distances", "2^63-"}, "is not an integer from 0"},
      {{"curve", "--distances", "lin:0:2^64-1:3"}, "larger than 2^63-1"},
      {{"curve", "--distances", "log:0:10:5"}, "--distances"},
      {{"curve", "--distances", "lin:10:1:5"}, "--distances"},
      {{"curve", "--distances", "lin:0:10:0"}, "--distances"},
      {{"curve", "--distances", "lin:0:2^62:1e9"}, "--distances"},
      {{"curve", "--distances", "nan"}, "--distances"},
      {{"curve", "--seq-len", "0"}, "--seq-len"},
      {{"curve", "--seq-len", "1.5"}, "--seq-len"},
      {{"curve", "--engine", "magic"}, "accepted: auto, exact, quadrature, mc, conditional, gpu"},
      {{"curve", "--engine", "qmc"}, "accepted: auto, exact"},
      {{"curve", "--samples", "-5"}, "--samples"},
      {{"curve", "--samples", "1"}, "--samples"},
      {{"curve", "--samples", "0"}, "--samples"},
      {{"curve", "--samples", "1e30"}, "--samples"},
      {{"curve", "--samples", "1.5"}, "--samples"},
      {{"curve", "--samples", ""}, "--samples"},
      {{"curve", "--seed", "2^64"}, "--seed"},
      {{"curve", "--seed", "-1"}, "--seed"},
      {{"curve", "--confidence", "0"}, "--confidence"},
      {{"curve", "--confidence", "1"}, "--confidence"},
      {{"curve", "--confidence", "0.99999999999999999999999"}, "--confidence"},
      {{"curve", "--confidence", "nan"}, "--confidence"},
      {{"curve", "--rel-tol", "0"}, "--rel-tol"},
      {{"curve", "--rel-tol", "-1"}, "--rel-tol"},
      {{"curve", "--abs-tol", "inf"}, "--abs-tol"},
      {{"curve", "--threads", "-1"}, "--threads"},
      {{"curve", "--threads", "0"}, "--threads"},
      {{"curve", "--threads", "1e6"}, "--threads"},
      {{"curve", "--sweep", "alpha"}, "--sweep"},
      {{"curve", "--sweep", "alpha=geo:1:2:3"}, "--sweep"},
      {{"curve", "--sweep", "alpha=lin:0.1:0.2"}, "--sweep"},
      {{"curve", "--sweep", "alpha=lin:0.1:nan:3"}, "--sweep"},
      {{"curve", "--sweep", "alpha=lin:0.1:0.2:0"}, "--sweep"},
      {{"curve", "--sweep", "alpha=log:0:1:3"}, "--sweep"},
      {{"curve", "--sweep", "alpha=lin:0:0.2:3"}, "alpha"},
      {{"curve", "--sweep", "bass=lin:1:2:3"}, "bass"},
      {{"curve", "--format", "xml"}, "--format"},
      {{"curve", "--progress", "maybe"}, "--progress"},
      {{"curve", "--out", ""}, "--out"},
      {{"curve", "--out", "/nowhere/at/all.json"}, "--out"},
      {{"curve", "--out", "/"}, "--out"},
      {{"curve", "--plot", "figure.gif"}, "--plot"},
      {{"curve", "--plot", "figure"}, "--plot"},
      {{"curve", "--plot", "/nowhere/at/all.svg"}, "--plot"},
      {{"curve", "--out", "same.svg", "--plot", "same.svg"}, "--plot"},
      {{"curve", "--out", "same.svg", "--plot", "./same.svg"}, "--plot"},
      {{"curve", "--spec", "missing.toml"}, "missing.toml"},
      {{"curve", "--spec", "/"}, "/"},
      {{"fit", "--encoding", "rope"}, "rope"},
      {{"fit", "--distances", "1"}, "fit"},
      {{"fit", "--t-min", "0"}, "--t-min"},
      {{"fit", "--t-min", "3", "--t-max", "2"}, "--t-max"},
      {{"verify", "theorem-9.9"}, "theorem-9.9"},
      {{"verify", "theorem-33"}, "did you mean theorem-3.3"},
      {{"verify", "--require", "nothing"}, "nothing"},
      {{"verify", "--quick", "--full"}, "--full"},
      {{"verify", "--format", "csv"}, "--format"},
      {{"verify", "--out-dir", "/dev/null"}, "--out-dir"},
      {{"verify", "--activations", "missing.safetensors", "--out-dir", "/tmp"},
       "missing.safetensors"},
      {{"inspect"}, "file"},
      {{"inspect", "missing.npy"}, "missing.npy"},
      {{"list"}, "kind"},
      {{"list", "encoding"}, "did you mean encodings"},
      {{"list", "encodings", "densities"}, "densities"},
  };
  for (const auto& one : cases) check_refused(one.arguments, one.named);
}

TEST_CASE("Texts that would cost a parser its stack, and bytes after a NUL, are refused") {
  const TempDirectory directory;
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const std::string dotted = repeated("a.", 100000);
  check_refused({"curve", "--spec", directory.write("key.toml", "x=1\n" + dotted + "b=1\n")},
                "key.toml:2: a key of more than 1000 parts");
  check_refused({"curve", "--spec", directory.write("table.toml", "[" + dotted + "b]\n")}, "parts");
  const std::string deep =
      "{\"schema\":" + repeated("[", 1000000) + "1" + repeated("]", 1000000) + "}";
  check_refused({"merge", directory.write("deep.json", deep)}, "nested deeper");
  check_refused({"curve", "--spec", directory.write("spec.json", deep)}, "nested deeper");
  const std::string nul("{\"head_dim\":64}\0more", 20);
  const std::string config = directory.write("config.json", nul);
  check_refused({"curve", "--encoding", "hf:" + config}, "byte offset 15");
  check_refused({"inspect", config}, "byte offset 15");
  check_refused({"merge", "/dev/zero"}, "is a device");
  check_refused({"curve", "--spec", "/dev/zero"}, "is a device");
  check_refused({"merge", "/tmp"}, "is a directory");
  check_refused({"curve", "--spec", ""}, "--spec");
  check_refused({"curve", "--density", "gaussian:nu=3"}, "student-t");
  check_refused({"curve", "--density", "mixture:weight=0.5;weight=0.6"}, "sum to 1.1");
  check_refused({"curve", "--density", "mixture:rho=0;rho=1", "--sweep", "rho=lin:0:1:2"}, "sweep");
  check_refused({"curve", "--density", "student-t-joint:nu=4", "--engine", "mc"}, "nu > 4");
}

TEST_CASE("Too few samples for a confidence leave an interval out or are refused") {
  const ProgramResult wide =
      run_program({"curve", "--engine", "mc", "--samples", "3", "--distances", "0", "--confidence",
                   "0.9999999999999999", "--format", "json"});
  CHECK(wide.code == 0);
  const auto document = nlohmann::json::parse(wide.out);
  const auto& point = document.at("curves").at(0).at("points").at(0);
  CHECK(point.at("variance").is_null());
  CHECK(!point.at("mean").is_null());
}

TEST_CASE("Bad experiment files are refused with one line that names file and line") {
  const TempDirectory directory;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "empty"},
      {"distances = ", "bad.toml:1"},
      {"distances = \"1\"\nspeed = 3\n", "bad.toml:2: unknown key"},
      {"distances = []\n", "bad.toml:1: distances"},
      {"distances = [1.5]\n", "bad.toml:1"},
      {"distances = true\n", "bad.toml:1: distances"},
      {"seed = [1]\n", "bad.toml:1: seed"},
      {"samples = -5\n", "bad.toml:1: samples"},
      {"confidence = nan\n", "bad.toml:1: confidence"},
      {"engine = \"magic\"\n", "bad.toml:1: engine"},
      {"encoding = 3\n", "bad.toml:1: encoding"},
      {"encoding = []\n", "bad.toml:1: encoding"},
      {"\nencoding = \"tap\"\n", "bad.toml:2"},
      {"[encoding]\nalpha = 0.1\n", "name"},
      {"[encoding]\nname = \"tap\"\n", "bad.toml:1: encoding: unknown name"},
      {"[encoding]\nname = \"tapa\"\nalpa = 0.1\n", "bad.toml:3: encoding tapa: unknown key"},
      {"[encoding]\nname = \"tapa\"\nalpha = inf\n", "alpha"},
      {"[encoding]\nname = \"tapa\"\nalpha = [0.1]\n", "bad.toml:3: alpha"},
      {"[encoding]\nname = \"tapa-general\"\nM = [[1]]\n", "N"},
      {"[encoding]\nname = \"tapa-general\"\nM = [[1, 2]]\nN = [[1]]\n",
       "bad.toml:3: M is 1 x 2 (one row)"},
      {"[encoding]\nname = \"tapa-general\"\nM = [1, 2, 3, 4]\nN = [[1]]\n",
       "bad.toml:3: M is 1 x 4 (one row); accepted: M and N square, of the same size, each a list "
       "of "
       "rows"},
      {"[encoding]\nname = \"tapa-general\"\nM = [[1, 2], [3]]\nN = [[1]]\n",
       "bad.toml:3: M: row 1"},
      {"[encoding]\nname = \"tapa-general\"\nM = [[1]]\nN = [[nan]]\n", "bad.toml:4: N"},
      {"[encoding]\nname = \"tapa-general\"\nM = []\nN = [[1]]\n", "bad.toml:3: M: empty list"},
      {"[encoding]\nname = \"tapa-general\"\nM = [[1]]\nN = \"missing.npy\"\n", "missing.npy"},
      {"[density]\nname = \"gaussian\"\nmean = [0, 0]\n", "covariance"},
      {"[density]\nname = \"gaussian\"\nmean = [0]\ncovariance = [[1, 0], [0, 1]]\n",
       "bad.toml:3: mean"},
      {"[density]\nname = \"gaussian\"\ncovariance = [[1, 0]]\n", "bad.toml:3: covariance"},
      {"[density]\nname = \"gaussian\"\ncovariance = [[1, 2], [2, 1]]\n"
       "[encoding]\nname = \"tapa-general\"\nM = [[1]]\nN = [[1]]\n",
       "covariance"},
      {"[density]\nname = \"gaussian\"\ncovariance = [[1, 0.5], [0, 1]]\n"
       "[encoding]\nname = \"tapa-general\"\nM = [[1]]\nN = [[1]]\n",
       "covariance"},
      {"[density]\nname = \"gaussian\"\nrho = 0.5\ncovariance = [[1, 0], [0, 1]]\n", "rho"},
      {"[density]\nname = \"gaussian\"\ncovariance = [[1, 0], [0, 1]]\n", "head dimension"},
      {"{", "byte"},
      {"{\"a\": 1e999}", "bad.toml: a number leaves the range of double"},
      {"{}", "schema"},
      {"{\"schema\":\"tapalab/fit/1\"}", "tapalab/curve/1"},
      {"{\"schema\":\"tapalab/curve/1\",\"curves\":[]}", "curves"},
      {"{\"schema\":\"tapalab/curve/1\",\"curves\":[{\"encoding\":{\"name\":\"tapa\"}}]}",
       "density"},
      {"{\"schema\":\"tapalab/curve/1\",\"curves\":[{\"encoding\":{\"name\":\"tapa\",\"spec\":"
       "\"tapa\",\"alpha\":\"0.2\"},\"density\":{\"name\":\"gaussian\"},\"points\":[{\"distance\":"
       "1}]}]}",
       "curves[0].encoding.alpha"},
  };
  for (const auto& [content, named] : cases) {
    check_refused({"curve", "--spec", directory.write("bad.toml", content)}, named);
  }
}

TEST_CASE("A result never replaces the file that it was made from") {
  const TempDirectory directory;
  const std::string text = "distances = [1]\n";
  const std::string spec = directory.write("spec.toml", text);
  check_refused({"curve", "--spec", spec, "--out", spec}, "--out");
  check_refused({"fit", "--spec", spec, "--out", directory.file("./spec.toml")}, "--spec");
  check_refused({"histogram", "--spec", spec, "--out", spec}, "--spec");
  check_refused({"crosscheck", "--spec", spec, "--out", spec}, "--spec");
  check_refused({"merge", spec, "--out", spec}, "shard");
  check_refused({"inspect", spec, "--out", spec}, "inspect");
  CHECK(read_file(spec) == text);
  const std::string content =
      R"({"head_dim": 8, "rope_theta": 10000, "max_position_embeddings": 64})";
  const std::string config = directory.write("config.svg", content);
  const std::string model = "hf:" + config;
  check_refused({"curve", "--encoding", model, "--out", config}, "--out");
  check_refused({"bias", "--encoding", model, "--plot", config}, "--plot");
  check_refused({"crosscheck", "--encoding", model, "--out", config}, "--out");
  check_refused({"fit", "--encoding", model, "--out", config}, "--out");
  check_refused({"retrieve", "--encoding", model, "--out", config}, "--out");
  check_refused({"histogram", "--encoding", model, "--out", config}, "--out");
  CHECK(read_file(config) == content);
  const std::string golden = directory.write("config.safetensors", content);
  check_refused({"crosscheck", "--encoding", "hf:" + golden, "--rows", "0:1", "--seq-len", "8",
                 "--export", golden},
                "--export");
  check_refused(
      {"crosscheck", "--rows", "0:1", "--seq-len", "8", "--export", directory.file("golden.txt")},
      "--export");
  CHECK(read_file(golden) == content);
  check_refused({"verify", "theorem-3.3", "--quick", "--out-dir", directory.file(""), "--out",
                 directory.file("verify.json")},
                "--out");
}

TEST_CASE("A refusal leaves no file behind, not even where the fault is found late") {
  const TempDirectory directory;
  const std::vector<std::vector<std::string>> cases{{"--encoding", "tapa:share=0.3"},
                                                    {"--samples", "1"},
                                                    {"--engine", "qmc"},
                                                    {"--format", "xml"},
                                                    {"--plot", "a.gif"},
                                                    {"--spec", "missing.toml"}};
  for (auto arguments : cases) {
    arguments.insert(arguments.begin(), {"curve", "--out", directory.file("result.json")});
    check_refused(arguments, "");
    CHECK(directory.entries().empty());
  }
}
