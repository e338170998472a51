#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/inspect_file.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "sim/errors.hpp"
#include "sim/io/tensor.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

std::string number_text(const std::optional<double>& x) {
  return x ? fmt::format("{:.6g}", *x) : "-";
}

std::string table_of(const FileReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& tensor : report.tensors) {
    std::vector<std::string> row{escaped(tensor.name), escaped(tensor.dtype),
                                 shape_text(tensor.shape)};
    if (const auto& values = tensor.values) {
      row.insert(row.end(),
                 {number_text(values->min), number_text(values->mean), number_text(values->max),
                  std::to_string(values->nan), std::to_string(values->infinite)});
    }
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format("{}   {}   {} bytes   {} tensors\n", escaped(report.path),
                                 report.format, report.bytes, report.tensors.size());
  for (const auto& [key, value] : report.metadata) {
    text += fmt::format("{}: {}\n", escaped(key), escaped(value));
  }
  return text + aligned_table({"tensor", "type", "shape", "min", "mean", "max", "nan", "infinite"},
                              rows, {true, true, true});
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

int run_inspect(const Arguments& arguments) {
  std::optional<std::string> file;
  OutputFlags output;
  const auto app =
      make_app("inspect", "What a .npy or .safetensors file holds: tensors, types, ranges, NaNs.",
               "tapalab inspect qk.safetensors");
  add_text(*app, "file", file, "a .npy or .safetensors file")->type_name("FILE");
  add_output_options(*app, output, "table or json");
  parse(*app, arguments.rest);
  if (!file) throw InputError("inspect: a file is needed; accepted: .npy, .safetensors");
  const Format format = output.chosen_format({"table", "json"});
  output.progress_mode();
  output.check_files();
  if (ends_with(*file, ".json")) {
    throw InputError(
        fmt::format("inspect: {} is JSON; accepted: .npy, .safetensors", printable(*file)));
  }
  const FileReport report = inspect_file(*file);
  if (format == Format::table) {
    write_result(table_of(report), output.out.value_or(""));
    return kDone;
  }
  nlohmann::ordered_json document{{"schema", "tapalab/inspect/1"},
                                  {"provenance", provenance(arguments, 0)}};
  document.update(nlohmann::ordered_json(to_json(report)));
  write_result(json_text(document), output.out.value_or(""));
  return kDone;
}

}  // namespace tapalab::cli
