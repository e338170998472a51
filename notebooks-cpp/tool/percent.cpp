#include "notebooks-cpp/tool/percent.hpp"

#include <algorithm>

#include "notebooks-cpp/tool/balance.hpp"
#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::notebook {
namespace {

constexpr std::string_view kMarker = "// %%";
constexpr std::uint64_t kMostBytes = 8 << 20;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : path_(path), lines_(lines_of(text)) {}

  PercentFile read() {
    PercentFile file{path_, {}};
    std::size_t at = after_header();
    while (at < lines_.size()) {
      Cell cell = marker(at);
      const std::size_t begin = at + 1;
      at = begin;
      while (at < lines_.size() && !is_marker(lines_[at])) ++at;
      fill(cell, begin, at);
      file.cells.push_back(std::move(cell));
    }
    if (file.cells.empty()) fail(1, "not in the percent format: no line begins with // %%");
    return file;
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw InputError(escaped(path_) + ":" + std::to_string(line) + ": " + what);
  }

  static bool is_marker(const std::string& line) { return line.rfind(kMarker, 0) == 0; }

  /// The first line with a marker; before it may stand blank lines and one header alone.
  std::size_t after_header() const {
    std::size_t at = 0;
    const auto skip_blank = [&] {
      while (at < lines_.size() && trimmed(lines_[at]).empty()) ++at;
    };
    skip_blank();
    if (at < lines_.size() && lines_[at] == "// ---") {
      const std::size_t begin = at++;
      while (at < lines_.size() && lines_[at] != "// ---") ++at;
      if (at == lines_.size()) fail(begin + 1, "the header is not terminated; accepted: // ---");
      ++at;
      skip_blank();
    }
    if (at < lines_.size() && !is_marker(lines_[at])) {
      fail(at + 1, "not in the percent format: begins with " + printable(lines_[at]) +
                       "; accepted: // %% [markdown] or // %%");
    }
    return at;
  }

  /// What the marker in line `at` says of its cell.
  Cell marker(std::size_t at) const {
    Cell cell;
    cell.line = at + 2;
    std::string_view rest = std::string_view(lines_[at]).substr(kMarker.size());
    if (!rest.empty() && rest.front() != ' ') {
      fail(at + 1, "unknown marker " + printable(lines_[at]) + "; accepted: // %%");
    }
    rest = trimmed(rest);
    rest = take_tags(cell, rest, at);
    if (!rest.empty() && rest.back() == ']') {
      const std::size_t open = rest.rfind('[');
      const std::string_view type = open == std::string_view::npos ? rest : rest.substr(open);
      if (type != "[markdown]" && type != "[md]") {
        fail(at + 1, "unknown cell type " + printable(type) + "; accepted: [markdown]");
      }
      cell.kind = CellKind::markdown;
      rest = trimmed(rest.substr(0, open));
    }
    if (rest.find('[') != std::string_view::npos) fail(at + 1, "a cell type is not terminated");
    if (rest.find('=') != std::string_view::npos) {
      fail(at + 1, "unknown key in " + printable(rest) + "; accepted: tags=[\"global\"]");
    }
    if (cell.global && cell.kind == CellKind::markdown) {
      fail(at + 1, "tag \"global\" on a markdown cell; accepted: on code cells");
    }
    cell.title = rest;
    return cell;
  }

  /// Reads tags=["..."] at the end of a marker; gives what stands before.
  std::string_view take_tags(Cell& cell, std::string_view rest, std::size_t at) const {
    const std::size_t key = rest.find("tags=");
    if (key == std::string_view::npos) return rest;
    const std::string_view list = rest.substr(key + 5);
    if (list.size() < 2 || list.front() != '[' || list.back() != ']') {
      fail(at + 1, "tags are not terminated: " + printable(list) + "; accepted: tags=[\"global\"]");
    }
    const std::string_view tag = trimmed(list.substr(1, list.size() - 2));
    if (tag != "\"global\"") {
      fail(at + 1, "unknown tag " + escaped(tag) + "; accepted: \"global\"");
    }
    cell.global = true;
    return trimmed(rest.substr(0, key));
  }

  /// Lines begin .. end-1, without blank ones at either end.
  void fill(Cell& cell, std::size_t begin, std::size_t end) const {
    while (begin < end && trimmed(lines_[begin]).empty()) ++begin;
    while (end > begin && trimmed(lines_[end - 1]).empty()) --end;
    cell.line = begin + 1;
    for (std::size_t i = begin; i < end; ++i) {
      cell.source.push_back(cell.kind == CellKind::code ? lines_[i] : uncommented(i));
    }
    if (cell.kind == CellKind::code) check_code(cell);
  }

  std::string uncommented(std::size_t i) const {
    const std::string& line = lines_[i];
    if (trimmed(line).empty()) return {};
    if (line.rfind("//", 0) != 0) {
      fail(i + 1, "a line of a markdown cell does not begin with //: " + printable(line));
    }
    return line.substr(line.size() > 2 && line[2] == ' ' ? 3 : 2);
  }

  void check_code(const Cell& cell) const {
    if (const auto fault = unbalanced(cell.source)) fail(cell.line + fault->line, fault->what);
    if (cell.global) return;
    for (std::size_t i = 0; i < cell.source.size(); ++i) {
      if (trimmed(cell.source[i]).rfind("#include", 0) != 0) continue;
      fail(cell.line + i, "#include in a cell that is run; accepted: in cells tagged \"global\"");
    }
  }

  const std::string& path_;
  std::vector<std::string> lines_;
};

}  // namespace

PercentFile parse_percent(std::string_view text, const std::string& path) {
  return Reader(text, path).read();
}

PercentFile read_percent(const std::string& path) {
  return parse_percent(read_bounded_text(path, kMostBytes, "notebook"), path);
}

}  // namespace tapalab::notebook
