// Reading the percent format, and the translation unit made of it.
#include "notebooks-cpp/tool/percent.hpp"

#include <sstream>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "notebooks-cpp/tool/balance.hpp"
#include "notebooks-cpp/tool/translate.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

namespace {

const std::string kNotebook = TAPALAB_ROOT "/tests/data/notebook_outputs.cpp";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

std::string refusal(const std::string& text) {
  try {
    parse_percent(text, "n.cpp");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// A line of a translation unit, and where #line puts it.
struct Placed {
  std::string text, file;
  std::size_t line;
};

std::vector<Placed> placed(const std::string& unit, const std::string& output) {
  std::vector<Placed> result;
  std::string file = output;
  std::size_t line = 1;
  for (const std::string& text : lines(unit)) {
    if (text.rfind("#line ", 0) != 0) {
      result.push_back({text, file, line++});
      continue;
    }
    const std::size_t space = text.find(' ', 6);
    line = std::stoul(text.substr(6, space - 6));
    file = text.substr(space + 2, text.size() - space - 3);
  }
  return result;
}

}  // namespace

TEST_CASE("cells keep their kind, tag, title and place, and lose markers and blank edges") {
  const PercentFile file = parse_percent(
      "\n// %% [markdown]\n\n// # Title\n//\n//   indented\n\n// %% tags=[\"global\"]\nint x;\n"
      "// %% Sum\n\n  x += 1;\n\n  x += 2;\n\n\n// %% Words [md]\n// last",
      "n.cpp");
  REQUIRE(file.cells.size() == 4);
  CHECK(file.cells[0].kind == CellKind::markdown);
  CHECK(file.cells[0].source == std::vector<std::string>{"# Title", "", "  indented"});
  CHECK(file.cells[0].line == 4);
  CHECK(file.cells[1].kind == CellKind::code);
  CHECK(file.cells[1].global);
  CHECK(file.cells[1].line == 9);
  CHECK_FALSE(file.cells[2].global);
  CHECK(file.cells[2].title == "Sum");
  CHECK(file.cells[2].source == std::vector<std::string>{"  x += 1;", "", "  x += 2;"});
  CHECK(file.cells[2].line == 12);
  CHECK(file.cells[3].kind == CellKind::markdown);
  CHECK(file.cells[3].title == "Words");
  CHECK(file.cells[3].source == std::vector<std::string>{"last"});
}

TEST_CASE("line ends of Windows and a header of jupytext change nothing") {
  const PercentFile file =
      parse_percent("// ---\r\n// jupyter:\r\n// ---\r\n\r\n// %%\r\nint x;\r\n", "n.cpp");
  REQUIRE(file.cells.size() == 1);
  CHECK(file.cells[0].source == std::vector<std::string>{"int x;"});
  CHECK(file.cells[0].line == 6);
}

TEST_CASE("what is not in the percent format is refused in one line that names it and its line") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"", "n.cpp:1: not in the percent format"},
      {"int main() {}\n", "n.cpp:1: not in the percent format: begins with \"int main() {}\""},
      {"// words\n// %%\n", "n.cpp:1: not in the percent format"},
      {"// ---\n// %%\n", "n.cpp:1: the header is not terminated"},
      {"// %% tags=[\"hidden\"]\n", "n.cpp:1: unknown tag \"hidden\"; accepted: \"global\""},
      {"// %% tags=[\"global\", \"x\"]\n", "n.cpp:1: unknown tag"},
      {"// %% tags=[\"global\"\n", "n.cpp:1: tags are not terminated"},
      {"// %% tags=\n", "n.cpp:1: tags are not terminated"},
      {"// %%\n\n// %% [raw]\n", "n.cpp:3: unknown cell type \"[raw]\"; accepted: [markdown]"},
      {"// %% [markdown\n", "n.cpp:1: a cell type is not terminated"},
      {"// %% name=\"x\"\n", "n.cpp:1: unknown key"},
      {"// %%%\n", "n.cpp:1: unknown marker"},
      {"// %% [markdown] tags=[\"global\"]\n", "n.cpp:1: tag \"global\" on a markdown cell"},
      {"// %% [markdown]\n// a\nint x;\n", "n.cpp:3: a line of a markdown cell"},
      {"// %%\nint x;\nif (x) {\n// %%\n}\n", "n.cpp:3: '{' is not closed"},
      {"// %%\nf(1]);\n", "n.cpp:2: ']' closes nothing in this cell"},
      {"// %%\nint x;\n/* a\n// %%\n*/\n", "n.cpp:3: a comment is not terminated"},
      {"// %%\nauto s = R\"x(a)\";\n", "n.cpp:2: a raw string is not terminated"},
      {"// %%\nauto s = \"a;\n", "n.cpp:2: a literal that begins with \" is not terminated"},
      {"// %%\nint x;\n#include <vector>\n", "n.cpp:3: #include in a cell that is run"},
  };
  for (const Case& one : cases) {
    INFO(one.text);
    const std::string message = refusal(one.text);
    CHECK(message.rfind(one.message, 0) == 0);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("brackets in literals and comments do not count") {
  CHECK_FALSE(unbalanced({"auto a = \"({[\\\"\";", "// ((", "/* [ */ char c = '(', d = '\\'';"}));
  CHECK_FALSE(unbalanced({"auto r = R\"x(\")(\" )y\" )x\"; int n = 1'000'000;"}));
  CHECK_FALSE(unbalanced({"f([](int i) { return i; });", "int a[] = {1, 2};"}));
  CHECK(unbalanced({"f(", "g);", ")"})->line == 2);
}

TEST_CASE("the program has global cells first, then a main with the others in order") {
  const PercentFile file = parse_percent(
      "// %%\nfirst();\n// %% tags=[\"global\"]\nint hoisted;\n// %% [markdown]\n// text\n"
      "// %%\nsecond();\n// %% tags=[\"global\"]\nint later;\n",
      "n.cpp");
  const std::string unit = translation_unit(file, "u.cpp");
  const auto at = [&](const char* text) {
    const std::size_t found = unit.find(text);
    REQUIRE(found != std::string::npos);
    return found;
  };
  CHECK(at("int hoisted;") < at("int later;"));
  CHECK(at("int later;") < at("int main("));
  CHECK(at("int main(") < at("first();"));
  CHECK(at("first();") < at("second();"));
  CHECK(unit.find("text") == std::string::npos);
}

TEST_CASE("every line of code has its place in the notebook by #line, and the rest its own") {
  const PercentFile file = read_percent(kNotebook);
  const std::vector<std::string> source = lines(test::read_file(kNotebook));
  const std::string unit = translation_unit(file, "dir/u.cpp");
  const std::vector<std::string> own = lines(unit);
  std::size_t code = 0, of_notebook = 0;
  for (const Cell& cell : file.cells) {
    if (cell.kind == CellKind::code) code += cell.source.size();
  }
  for (const Placed& line : placed(unit, "dir/u.cpp")) {
    const bool notebook = line.file == kNotebook;
    REQUIRE((notebook || line.file == "dir/u.cpp"));
    const std::vector<std::string>& there = notebook ? source : own;
    REQUIRE(line.line >= 1);
    REQUIRE(line.line <= there.size());
    CHECK(there[line.line - 1] == line.text);
    of_notebook += notebook ? 1 : 0;
  }
  CHECK(code > 20);
  CHECK(of_notebook == code);
}

TEST_CASE("a compile error names the notebook's line") {
  const test::TempDirectory here;
  const std::string notebook =
      here.write("wrong.cpp", "// %% [markdown]\n// text\n\n// %%\nint x = 1;\nx = undeclared;\n");
  const std::string unit = here.file("unit.cpp");
  const test::ProgramResult result = test::run_shell(
      "cd '" + here.file("") + "' && " TAPALAB_NOTEBOOK_BUILD " translate wrong.cpp '" + unit +
      "' && " TAPALAB_CXX " -std=c++20 -fsyntax-only -I " TAPALAB_ROOT " '" + unit + "'");
  CHECK(result.code != 0);
  CHECK(result.err.find("wrong.cpp:6:5: error:") != std::string::npos);
}
