#include "notebooks-cpp/tool/page.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "notebooks-cpp/tool/page_style.hpp"
#include "notebooks-cpp/tool/process.hpp"
#include "proofs-check/report_page.hpp"
#include "proofs-check/report_style.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab::notebook {
namespace {

constexpr std::uint64_t kMostPageBytes = 256 << 20;

/// `text` in a fenced block that nothing in it can end.
std::string fenced(const std::string& text, const std::string& attributes) {
  std::size_t longest = 0, here = 0;
  for (const char c : text) {
    here = c == '`' ? here + 1 : 0;
    longest = std::max(longest, here);
  }
  const std::string fence(std::max<std::size_t>(longest + 1, 3), '`');
  const char* end = text.empty() || text.back() != '\n' ? "\n" : "";
  return "\n" + fence + attributes + "\n" + text + end + fence + "\n\n";
}

std::string raw_html(const std::string& html) { return fenced(html, "{=html}"); }

/// `phone`: the figure of `output` for a narrow page, empty where it has none.
std::string output_markdown(const Output& output, const std::string& phone, const std::string& id,
                            const std::string& title) {
  switch (output.kind) {
    case OutputKind::stream:
      return raw_html("<pre class=\"printed\">" + html_escape(output.text) + "</pre>");
    case OutputKind::error:
      return raw_html("<pre class=\"error\">" +
                      html_escape(output.where + "\n" + output.ename + ": " + output.text) +
                      "</pre>");
    case OutputKind::display:
      break;
  }
  if (output.mime == "text/markdown") return "\n" + output.text + "\n\n";
  if (output.mime == "image/svg+xml") {
    return raw_html("<figure class=\"shown\">" +
                    figure_drawings(output.text, phone, id + "-", title) + "</figure>");
  }
  return raw_html("<section class=\"shown wide\">" + output.text + "</section>");
}

std::string page(const std::string& title, const std::string& body) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      html_escape(title) + "</title>\n<style>";
  html += kReportStyle;
  html += kPageStyle;
  return html + "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string notebook_title(const PercentFile& file) {
  for (const Cell& cell : file.cells) {
    if (cell.kind != CellKind::markdown) continue;
    for (const std::string& line : cell.source) {
      if (line.rfind("# ", 0) == 0) return line.substr(2);
    }
  }
  return std::filesystem::path(file.path).stem().string();
}

std::string page_markdown(const PercentFile& file, const NotebookRun& run) {
  std::string text;
  for (std::size_t i = 0; i < file.cells.size(); ++i) {
    const Cell& cell = file.cells[i];
    std::string source;
    for (const std::string& line : cell.source) source += line + "\n";
    if (cell.kind == CellKind::markdown) {
      text += source + "\n";
      continue;
    }
    text += fenced(source, "cpp");
    const std::vector<Output>& outputs = run.cells.at(i).outputs;
    for (std::size_t j = 0; j < outputs.size(); ++j) {
      const std::string id = "cell-" + std::to_string(i + 1) + "-" + std::to_string(j + 1);
      if (outputs[j].mime == kPhoneFigure) continue;
      const bool drawn_twice = j + 1 < outputs.size() && outputs[j + 1].mime == kPhoneFigure;
      text += output_markdown(outputs[j], drawn_twice ? outputs[j + 1].text : std::string(), id,
                              "Figure of " + notebook_title(file));
    }
  }
  return text;
}

std::string page_html(const PercentFile& file, const NotebookRun& run) {
  const ScratchFolder scratch;
  const std::string markdown = scratch.file("page.md"), html = scratch.file("page.html");
  write_file_atomically(markdown, page_markdown(file, run), "page");
  const int code = run_process(
      {"pandoc", "--from", "markdown", "--to", "html5", "--mathml", "--fail-if-warnings"}, markdown,
      html);
  if (code != 0) {
    throw std::runtime_error("pandoc ended with exit status " + std::to_string(code));
  }
  return page(notebook_title(file), read_bounded_text(html, kMostPageBytes, "page"));
}

std::string index_html(const std::vector<std::pair<std::string, std::string>>& pages) {
  std::string body = "<h1>Notebooks</h1>\n<ul>\n";
  for (const auto& [name, title] : pages) {
    body += "<li><a href=\"" + html_escape(name) + "\">" + html_escape(title) + "</a></li>\n";
  }
  return page("Notebooks", body + "</ul>\n");
}

}  // namespace tapalab::notebook
