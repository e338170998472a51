#include "notebooks-cpp/tool/ipynb.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"

namespace tapalab::notebook {
namespace {

using nlohmann::json;
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

ordered_json document_of(const PercentFile& file, const NotebookRun& run) {
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
        if (output.mime != kPhoneFigure) entry["outputs"].push_back(output_json(output));
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

void demand(bool holds, const std::string& where, const std::string& what) {
  if (!holds) throw InputError("ipynb: " + where + ": " + what);
}

/// An object with exactly these fields.
void check_fields(const json& value, const std::string& where, const std::set<std::string>& names) {
  demand(value.is_object(), where, "must be an object");
  for (const std::string& name : names) {
    demand(value.contains(name), where, "field \"" + name + "\" is missing");
  }
  for (const auto& item : value.items()) {
    demand(names.count(item.key()) == 1, where,
           "field \"" + item.key() + "\" does not belong here");
  }
}

void check_lines(const json& value, const std::string& where) {
  demand(value.is_array(), where, "must be a list of lines");
  for (std::size_t i = 0; i < value.size(); ++i) {
    demand(value[i].is_string(), where, "must hold strings");
    const auto text = value[i].get<std::string>();
    const bool last = i + 1 == value.size();
    const std::size_t end = text.find('\n');
    demand(!text.empty() && (end == std::string::npos ? last : end + 1 == text.size()), where,
           "must hold lines, all but the last with a line end");
  }
}

void check_string(const json& value, const std::string& where) {
  demand(value.is_string(), where, "must be a string");
}

void check_output(const json& output, const std::string& where) {
  demand(output.is_object() && output.contains("output_type"), where, "output_type is missing");
  const json& type = output.at("output_type");
  if (type == "stream") {
    check_fields(output, where, {"output_type", "name", "text"});
    check_string(output.at("name"), where + ".name");
    check_lines(output.at("text"), where + ".text");
  } else if (type == "display_data") {
    check_fields(output, where, {"output_type", "data", "metadata"});
    demand(output.at("metadata").is_object(), where + ".metadata", "must be an object");
    demand(output.at("data").is_object(), where + ".data", "must be an object");
    for (const auto& item : output.at("data").items()) {
      check_lines(item.value(), where + ".data." + item.key());
    }
  } else if (type == "error") {
    check_fields(output, where, {"output_type", "ename", "evalue", "traceback"});
    check_string(output.at("ename"), where + ".ename");
    check_string(output.at("evalue"), where + ".evalue");
    demand(output.at("traceback").is_array(), where + ".traceback", "must be a list");
    for (const json& line : output.at("traceback")) check_string(line, where + ".traceback");
  } else {
    demand(false, where + ".output_type", "must be stream, display_data or error");
  }
}

void check_cell(const json& cell, const std::string& where, std::set<std::string>& ids) {
  demand(cell.is_object() && cell.contains("cell_type"), where, "cell_type is missing");
  if (cell.at("cell_type") == "code") {
    check_fields(cell, where,
                 {"id", "cell_type", "metadata", "source", "execution_count", "outputs"});
    const json& count = cell.at("execution_count");
    demand(count.is_null() || (count.is_number_integer() && count >= 0), where + ".execution_count",
           "must be a whole number or null");
    const json& outputs = cell.at("outputs");
    demand(outputs.is_array(), where + ".outputs", "must be a list");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      check_output(outputs[i], where + ".outputs[" + std::to_string(i) + "]");
    }
  } else {
    demand(cell.at("cell_type") == "markdown", where + ".cell_type", "must be code or markdown");
    check_fields(cell, where, {"id", "cell_type", "metadata", "source"});
  }
  demand(cell.at("metadata").is_object(), where + ".metadata", "must be an object");
  check_lines(cell.at("source"), where + ".source");
  check_string(cell.at("id"), where + ".id");
  const auto id = cell.at("id").get<std::string>();
  const bool formed =
      !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_';
      });
  demand(formed, where + ".id", "must be 1 to 64 letters, digits, - or _");
  demand(ids.insert(id).second, where + ".id", "must be unique");
}

}  // namespace

std::string ipynb_text(const PercentFile& file, const NotebookRun& run) {
  const std::string text =
      document_of(file, run).dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  check_ipynb_text(text);
  return text;
}

void check_ipynb_text(const std::string& text) {
  check_json_text(text, "ipynb");
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) throw InputError("ipynb: not JSON");
  check_ipynb(document);
}

void check_ipynb(const json& document) {
  check_fields(document, "notebook", {"cells", "metadata", "nbformat", "nbformat_minor"});
  demand(document.at("nbformat") == 4 && document.at("nbformat_minor") == 5, "nbformat",
         "must be 4, with nbformat_minor 5");
  const json& metadata = document.at("metadata");
  demand(metadata.is_object() && metadata.contains("kernelspec"), "metadata",
         "kernelspec is missing");
  for (const char* name : {"name", "display_name"}) {
    demand(metadata.at("kernelspec").is_object() && metadata.at("kernelspec").contains(name),
           "metadata.kernelspec", std::string("field \"") + name + "\" is missing");
    check_string(metadata.at("kernelspec").at(name), std::string("metadata.kernelspec.") + name);
  }
  const json& cells = document.at("cells");
  demand(cells.is_array(), "cells", "must be a list");
  std::set<std::string> ids;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    check_cell(cells[i], "cells[" + std::to_string(i) + "]", ids);
  }
}

}  // namespace tapalab::notebook
