#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/experiment_values.hpp"
#include "analysis/inspect_config.hpp"
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
#include "sim/numbers/two_pi.hpp"
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

std::string table_of(const ConfigReport& report) {
  std::string text;
  for (const RopeReport& layer : report.layers) {
    const RopeFrequencies& found = layer.frequencies;
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < found.radians.size(); ++i) {
      const auto radians = static_cast<double>(found.radians[i]);
      rows.push_back({std::to_string(i), fmt::format("{:.9g}", radians),
                      radians > 0 ? fmt::format("{:.6g}", kTwoPi / radians) : "-",
                      to_string(found.pairs[i])});
    }
    text += fmt::format(
        "{}{}{}   rope_type {}   base {}   head dimension {}, {} coordinates rotated   length {}\n"
        "attention factor {:.9g}   softmax scale factor {:.9g}\n",
        escaped(report.path), layer.model.layer_type.empty() ? "" : "   ",
        escaped(layer.model.layer_type), escaped(layer.model.type),
        escaped(layer.model.rope.base.text()), layer.model.head_dim, found.rotary_dim,
        layer.sequence_length, static_cast<double>(found.attention_factor),
        static_cast<double>(layer.softmax_scale_factor));
    for (const std::string& warning : layer.model.warnings) text += "warning: " + warning + "\n";
    text += aligned_table({"pair", "frequency (radians/token)", "wavelength (tokens)", "scaling"},
                          rows, {false, false, false, true});
  }
  return text;
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

int run_inspect(const Arguments& arguments) {
  std::optional<std::string> file, seq_len;
  OutputFlags output;
  const auto app =
      make_app("inspect",
               "What a .npy or .safetensors file holds (tensors, types, ranges, NaNs), "
               "and how a model's config.json stretches RoPE (frequencies, wavelengths).",
               "tapalab inspect config.json --seq-len 131072");
  add_text(*app, "file", file, "a .npy or .safetensors file, or a model's config.json")
      ->type_name("FILE");
  add_text(*app, "--seq-len", seq_len,
           "for a configuration: tokens of the text (default: the trained context)")
      ->type_name("TOKENS");
  add_output_options(*app, output, "table or json");
  parse(*app, arguments.rest);
  if (!file) throw InputError("inspect: a file is needed; accepted: .npy, .safetensors, .json");
  const Format format = output.chosen_format({"table", "json"});
  output.progress_mode();
  output.check_files();
  const bool configuration = ends_with(*file, ".json");
  if (seq_len && !configuration)
    throw InputError("--seq-len: belongs to a configuration; accepted: with a .json file");
  nlohmann::ordered_json found;
  std::string table;
  if (configuration) {
    std::optional<std::uint64_t> length;
    if (seq_len) length = parse_seq_len(*seq_len, "--seq-len");
    const ConfigReport report = inspect_config(*file, length);
    found = to_json(report);
    table = table_of(report);
  } else {
    const FileReport report = inspect_file(*file);
    found = nlohmann::ordered_json(to_json(report));
    table = table_of(report);
  }
  if (format == Format::table) {
    write_result(table, output.out.value_or(""));
    return kDone;
  }
  nlohmann::ordered_json document{{"schema", "tapalab/inspect/1"},
                                  {"provenance", provenance(arguments, 0)}};
  document.update(found);
  write_result(json_text(document), output.out.value_or(""));
  return kDone;
}

}  // namespace tapalab::cli
