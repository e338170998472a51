#include "notebooks-cpp/tool/ipynb.hpp"

#include <nlohmann/json.hpp>

namespace tapalab::notebook {
namespace {

using nlohmann::ordered_json;

/// Lines with their line ends, as nbformat's "multiline strings" stand in files.
ordered_json multiline(std::string_view text) {
  ordered_json lines = ordered_json::array();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(std::string(text.substr(0, length)));
    text.remove_prefix(length);
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "\n") + lines[i];
  return text;
}

/// What a reader without this MIME type shows.
std::string plain_text(const Output& output) {
  if (output.mime == "image/svg+xml") return "<a figure>";
  return output.mime == "text/markdown" ? output.text : "<" + output.mime + ">";
}

ordered_json output_json(const Output& output) {
  switch (output.kind) {
    case OutputKind::stream:
      return {{"output_type", "stream"}, {"name", "stdout"}, {"text", multiline(output.text)}};
    case OutputKind::display:
      return {
          {"output_type", "display_data"},
          {"data",
           {{output.mime, multiline(output.text)}, {"text/plain", multiline(plain_text(output))}}},
          {"metadata", ordered_json::object()}};
    case OutputKind::error:
      break;
  }
  return {{"output_type", "error"},
          {"ename", output.ename},
          {"evalue", output.text},
          {"traceback", {output.where, output.ename + ": " + output.text}}};
}

}  // namespace

ordered_json ipynb(const PercentFile& file, const NotebookRun& run) {
  ordered_json cells = ordered_json::array();
  int executed = 0;
  for (std::size_t i = 0; i < file.cells.size(); ++i) {
    const Cell& cell = file.cells[i];
    const bool code = cell.kind == CellKind::code;
    ordered_json metadata = ordered_json::object();
    if (!cell.title.empty()) metadata["title"] = cell.title;
    if (cell.global) metadata["tags"] = {"global"};
    ordered_json entry = {{"cell_type", code ? "code" : "markdown"},
                          {"id", "cell-" + std::to_string(i + 1)},
                          {"metadata", std::move(metadata)}};
    if (code) {
      entry["execution_count"] = nullptr;
      if (run.cells.at(i).ran) entry["execution_count"] = ++executed;
      entry["outputs"] = ordered_json::array();
      for (const Output& output : run.cells.at(i).outputs) {
        entry["outputs"].push_back(output_json(output));
      }
    }
    entry["source"] = multiline(joined(cell.source));
    cells.push_back(std::move(entry));
  }
  return {{"cells", std::move(cells)},
          {"metadata",
           {{"kernelspec", {{"display_name", "C++20"}, {"language", "cpp"}, {"name", "xcpp20"}}},
            {"language_info",
             {{"name", "cpp"},
              {"version", "20"},
              {"file_extension", ".cpp"},
              {"mimetype", "text/x-c++src"},
              {"codemirror_mode", "text/x-c++src"}}}}},
          {"nbformat", 4},
          {"nbformat_minor", 5}};
}

std::string ipynb_text(const ordered_json& document) {
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tapalab::notebook
