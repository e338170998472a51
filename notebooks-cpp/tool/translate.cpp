#include "notebooks-cpp/tool/translate.hpp"

#include <algorithm>

namespace tapalab::notebook {
namespace {

std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

class Writer {
 public:
  Writer(const std::string& notebook, const std::string& output)
      : notebook_(literal(notebook)), output_(literal(output)) {}

  void own(const std::string& line) { text_ += line + "\n"; }
  void cell(const Cell& cell) {
    text_ += "#line " + std::to_string(cell.line) + " " + notebook_ + "\n";
    for (const std::string& line : cell.source) text_ += line + "\n";
    const auto lines = static_cast<std::size_t>(std::count(text_.begin(), text_.end(), '\n'));
    text_ += "#line " + std::to_string(lines + 2) + " " + output_ + "\n";
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string notebook_, output_, text_;
};

}  // namespace

std::string translation_unit(const PercentFile& file, const std::string& output) {
  Writer out(file.path, output);
  out.own("// Written by notebook-build from a notebook: changes are lost.");
  out.own("#include \"notebooks-cpp/tool/notebook.hpp\"");
  for (const Cell& cell : file.cells) {
    if (cell.global) out.cell(cell);
  }
  out.own("int main(int argc, char** argv) {");
  out.own("tapalab::notebook::Session notebook_session(argc, argv, " + literal(file.path) + ");");
  out.own("try {");
  for (std::size_t i = 0; i < file.cells.size(); ++i) {
    const Cell& cell = file.cells[i];
    if (cell.kind != CellKind::code || cell.global) continue;
    out.own("notebook_session.begin(" + std::to_string(i) + ", " + std::to_string(cell.line) +
            ", " + std::to_string(cell.line + cell.source.size()) + ");");
    out.cell(cell);
    out.own(";");
  }
  out.own("} catch (...) {");
  out.own("return notebook_session.failed();");
  out.own("}");
  out.own("return notebook_session.done();");
  out.own("}");
  return std::move(out).text();
}

}  // namespace tapalab::notebook
