// Runs of a notebook, and what is written of them.
#include "notebooks-cpp/tool/run.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "notebooks-cpp/tool/ipynb.hpp"
#include "notebooks-cpp/tool/page.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using namespace tapalab::notebook;
using nlohmann::json;

namespace {

const std::string kOutputs = TAPALAB_ROOT "/tests/data/notebook_outputs.cpp";

struct Built {
  test::ProgramResult result;
  json document;
  std::string html;  ///< empty without pandoc
};

/// notebook-build run, with a fault that the notebook is told to have.
Built built(const std::string& fault) {
  const test::TempDirectory here;
  Built run;
  run.result =
      test::run_shell("cd " TAPALAB_ROOT " && NOTEBOOK_FAULT=" + fault +
                      " " TAPALAB_NOTEBOOK_BUILD
                      " run tests/data/notebook_outputs.cpp " TAPALAB_NOTEBOOK_OUTPUTS " '" +
                      here.file("out") + "'");
  run.document = json::parse(test::read_file(here.file("out/notebook_outputs.ipynb")));
  run.html = test::read_file(here.file("out/notebook_outputs.html"));
  return run;
}

std::string joined(const json& lines) {
  std::string text;
  for (const json& line : lines) text += line.get<std::string>();
  return text;
}

}  // namespace

TEST_CASE("a run's outputs stand in their cells, in order, in a notebook of format 4.5") {
  const Built run = built("");
  CHECK(run.result.code == 0);
  check_ipynb(run.document);
  CHECK(run.document.at("nbformat") == 4);
  CHECK(run.document.at("nbformat_minor") == 5);
  CHECK(run.document.at("metadata").at("kernelspec").at("name") == "xcpp20");
  const json& cells = run.document.at("cells");
  REQUIRE(cells.size() == 6);

  CHECK(cells[0].at("cell_type") == "markdown");
  CHECK(cells[0].size() == 4);  // id, cell_type, metadata, source
  CHECK(cells[0].at("source")[0] == "# Outputs of every kind\n");
  CHECK(joined(cells[0].at("source")).back() == '.');

  CHECK(cells[1].at("metadata").at("tags") == json({"global"}));
  CHECK(cells[1].at("outputs").empty());

  CHECK(cells[2].at("metadata").at("title") == "Printed");
  REQUIRE(cells[2].at("outputs").size() == 1);
  const json& printed = cells[2].at("outputs")[0];
  CHECK(printed.at("output_type") == "stream");
  CHECK(printed.at("name") == "stdout");
  CHECK(printed.at("text")[0] == "printed 1\n");
  CHECK(printed.at("text")[1] == "streamed <&> ``` \xEF\xBF\xBD\n");  // a byte that is no UTF-8

  const json& shown = cells[3].at("outputs");
  REQUIRE(shown.size() == 6);
  CHECK(joined(shown[0].at("text")) == "before\n");
  CHECK(shown[1].at("output_type") == "display_data");
  CHECK(joined(shown[1].at("data").at("image/svg+xml")).find("<use href='#a'/>") !=
        std::string::npos);
  CHECK(joined(shown[2].at("text")) == "between");
  CHECK(joined(shown[3].at("data").at("text/html")) == "<em>shown</em>");
  CHECK(joined(shown[4].at("data").at("text/markdown")) == "Two is **2**, $x^2$.");
  CHECK(joined(shown[5].at("data").at("text/html")).find("<td>a &lt; b</td>") != std::string::npos);

  std::set<std::string> ids;
  int count = 0;
  for (const json& cell : cells) {
    ids.insert(cell.at("id").get<std::string>());
    if (cell.at("cell_type") == "code") CHECK(cell.at("execution_count") == ++count);
  }
  CHECK(ids.size() == cells.size());
}

TEST_CASE("an exception in a cell is its last output, and nothing runs after it") {
  struct Fault {
    const char* name;
    const char* ename;
    const char* evalue;
  };
  for (const Fault& fault :
       {Fault{"throw", "std::runtime_error", "thrown on purpose"},
        Fault{"int", "unknown exception", ""},
        Fault{"require", "tapalab::notebook::CheckFailed",
              "one is two does not hold (tests/data/notebook_outputs.cpp:47)"},
        Fault{"exit", "ProgramEnded", "the program ended with exit status 0 before its last cell"},
        Fault{"abort", "ProgramEnded", "the program was ended by signal 6 (Aborted)"}}) {
    INFO(fault.name);
    const Built run = built(fault.name);
    CHECK(run.result.code == 1);
    CHECK(run.result.err.find("tests/data/notebook_outputs.cpp:42") != std::string::npos);
    check_ipynb(run.document);
    const json& cells = run.document.at("cells");
    REQUIRE_FALSE(cells[4].at("outputs").empty());
    const json error = cells[4].at("outputs").back();
    CHECK(error.at("output_type") == "error");
    CHECK(error.at("ename") == fault.ename);
    CHECK(error.at("evalue") == fault.evalue);
    CHECK(joined(error.at("traceback")).find("notebook_outputs.cpp:42") != std::string::npos);
    CHECK(cells[4].at("execution_count") == 4);
    CHECK(cells[3].at("outputs").size() == 6);  // what ran before is kept
    CHECK(cells[5].at("execution_count").is_null());
    CHECK(cells[5].at("outputs").empty());
  }
}

TEST_CASE("the page holds formulas, outputs as they are, and asks for nothing from outside") {
  const Built run = built("");
  if (run.html.empty()) {
    CHECK(run.result.err.find("pandoc") != std::string::npos);
    WARN("no pandoc: no page");
    return;
  }
  const auto has = [&](const char* text) { return run.html.find(text) != std::string::npos; };
  CHECK(has("<title>Outputs of every kind</title>"));
  CHECK(has("<mfrac>"));
  CHECK(has("printed 1\nstreamed &lt;&amp;&gt; ``` \xEF\xBF\xBD\n"));
  CHECK(has("<use href='#cell-4-2-a'/>"));  // ids are the page's own
  CHECK(has("<em>shown</em>"));
  CHECK(has("Two is <strong>2</strong>"));
  CHECK(has("prefers-color-scheme: dark"));
  CHECK(has("width=device-width"));
  for (const char* outside : {"<script", "src=", "@import", "url(http", "href=\"http"}) {
    INFO(outside);
    CHECK_FALSE(has(outside));
  }
}

TEST_CASE("nothing that a cell prints or holds can leave its block of the page") {
  const PercentFile file = parse_percent("// %%\nauto s = \"````\";\n", "n.cpp");
  NotebookRun run;
  run.cells.resize(1);
  run.cells[0].outputs.push_back({OutputKind::stream, "`````\n</pre><script>", {}, {}, {}});
  const std::string text = page_markdown(file, run);
  CHECK(text.find("\n`````cpp\nauto s = \"````\";\n`````\n") != std::string::npos);
  CHECK(text.find("<script>") == std::string::npos);
  CHECK(text.find("\n``````{=html}\n") != std::string::npos);
}

TEST_CASE("a record of a run that is none, or of another notebook, is refused") {
  const PercentFile file = parse_percent("// %%\nint x;\n", "n.cpp");
  CHECK(read_run(file, "{\"begin\":0}\n{\"done\":true}\n", 0).completed);
  CHECK_FALSE(read_run(file, "{\"begin\":0}\n{\"done\":true}\n", 3).completed);
  CHECK(read_run(file, "", 1).error() != nullptr);
  CHECK_THROWS_AS(read_run(file, "{\"begin\":0", 0), InputError);
  CHECK_THROWS_AS(read_run(file, "{\"begin\":1}\n", 0), InputError);
  CHECK_THROWS_AS(read_run(file, "{\"cell\":0}\n", 0), InputError);
}

TEST_CASE("each departure from the notebook format is found") {
  json good = built("throw").document;
  check_ipynb(good);
  const auto refused = [&](const char* pointer, const json& value) {
    json wrong = good;
    if (value == "removed") {
      const json::json_pointer place(pointer);
      wrong[place.parent_pointer()].erase(place.back());
    } else {
      wrong[json::json_pointer(pointer)] = value;
    }
    CHECK_THROWS_AS(check_ipynb(wrong), InputError);
  };
  for (const char* field : {"/cells",
                            "/metadata",
                            "/nbformat",
                            "/nbformat_minor",
                            "/metadata/kernelspec",
                            "/metadata/kernelspec/display_name",
                            "/cells/0/id",
                            "/cells/0/cell_type",
                            "/cells/0/metadata",
                            "/cells/0/source",
                            "/cells/2/outputs",
                            "/cells/2/execution_count",
                            "/cells/2/outputs/0/name",
                            "/cells/2/outputs/0/text",
                            "/cells/2/outputs/0/output_type",
                            "/cells/3/outputs/1/data",
                            "/cells/3/outputs/1/metadata",
                            "/cells/4/outputs/0/ename",
                            "/cells/4/outputs/0/evalue",
                            "/cells/4/outputs/0/traceback"}) {
    INFO(field);
    refused(field, "removed");
  }
  refused("/nbformat_minor", 4);
  refused("/cells/0/id", good["cells"][1]["id"]);
  refused("/cells/0/id", "with a space");
  refused("/cells/0/id", "");
  refused("/cells/0/outputs", json::array());
  refused("/cells/0/source", "one string");
  refused("/cells/0/source", json({"two\nlines"}));
  refused("/cells/0/source", json({"no end", "of the first"}));
  refused("/cells/2/cell_type", "heading");
  refused("/cells/2/execution_count", "1");
  refused("/cells/2/outputs/0/output_type", "pyout");
  refused("/cells/3/outputs/1/data", json::array());
}

TEST_CASE("notebook-build says in one line what is wrong with its arguments, and exits with 2") {
  const test::TempDirectory here;
  const std::string bad = here.write("bad.cpp", "int main() {}\n");
  const std::string file = here.write("bad.ipynb", "{\"nbformat\": 4}");
  for (const std::string& arguments :
       {std::string(), std::string("fly"), std::string("run a.cpp"),
        "translate " + here.file("missing.cpp") + " " + here.file("u.cpp"),
        "translate " + bad + " " + here.file("u.cpp"), "check " + file, "check " + bad,
        "run " + bad + " /bin/true " + here.file("out")}) {
    INFO(arguments);
    const test::ProgramResult result = test::run_shell(TAPALAB_NOTEBOOK_BUILD " " + arguments);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(test::count_lines(result.err) == 1);
  }
  CHECK(here.entries() == std::vector<std::string>{"bad.cpp", "bad.ipynb"});
}
