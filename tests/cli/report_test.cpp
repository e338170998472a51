// The command report through the real program.
#include "catch.hpp"
#include "cli/run_program.hpp"

using namespace tapalab::test;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("report makes the page of verify again, and shows other results") {
  const TempDirectory directory;
  const std::string out = directory.file("out"), again = directory.file("again");
  REQUIRE(run_program(
              {"verify", "rope-variance", "base-scaling", "--quick", "--out-dir", out, "--quiet"})
              .code == 0);
  REQUIRE(run_program({"report", out + "/verify.json", "--out-dir", again, "--quiet"}).code == 0);
  // the same claims, texts and provenance: the same bytes
  const std::string page = read_file(out + "/report.html");
  CHECK(page == read_file(again + "/report.html"));
  CHECK(holds(page, "<math"));
  CHECK(holds(page, "What would overturn it"));
  CHECK(holds(page, "tapalab verify rope-variance --quick --seed 1"));
  CHECK_FALSE(holds(page, "<script"));
  CHECK_FALSE(holds(page, "src=\"http"));

  const std::string curve = directory.file("a <b>.json");
  REQUIRE(run_program({"curve", "--head-dim", "8", "--distances", "0,7", "--format", "json",
                       "--out", curve, "--quiet"})
              .code == 0);
  directory.write("a <b>.svg",
                  "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>1</script></svg>");
  const auto both =
      run_program({"report", out + "/verify.json", curve, "--out-dir", directory.file("both")});
  INFO(both.err);
  REQUIRE(both.code == 0);
  const std::string whole = read_file(directory.file("both/report.html"));
  CHECK(holds(whole, "Other results"));
  CHECK(holds(whole, "a &lt;b&gt;.json"));
  CHECK(holds(whole, "distance 7"));
  CHECK(holds(whole, "src=\"data:image/svg+xml"));
  CHECK_FALSE(holds(whole, "<script"));  // the figure is an image, and its text is encoded
  CHECK(holds(whole, "tapalab curve --head-dim 8 --distances 0,7 --format json --out &#39;"));
}

TEST_CASE("report refuses what is no result, and writes nothing then") {
  const TempDirectory directory;
  const std::string junk = directory.write("junk.json", "{}");
  const std::string half =
      directory.write("half.json", R"({"schema":"tapalab/verify/1","effort":"quick","seed":1,
    "seconds":1,"provenance":{},"claims":[{"id":"x","verdict":"maybe"}]})");
  const std::string out = directory.file("out");
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"report", junk},
                                             {"report", half},
                                             {"report", half, half},
                                             {"report", directory.file("missing.json")}}) {
    auto all = arguments;
    all.insert(all.end(), {"--out-dir", out});
    const auto result = run_program(all);
    CHECK(result.code == 2);
    CHECK(count_lines(result.err) == 1);
  }
  CHECK_FALSE(std::filesystem::exists(out + "/report.html"));
  CHECK(run_program({"report", junk, "--out-dir", junk}).code == 2);
}
