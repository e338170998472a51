#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/experiment_spec.hpp"
#include "analysis/experiment_values.hpp"
#include "analysis/inspect_config.hpp"
#include "analysis/inspect_file.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "proofs-check/config_theory.hpp"
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
    text += theory_text(layer);
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

nlohmann::ordered_json json_of(const ConfigReport& report) {
  nlohmann::ordered_json found = to_json(report);
  const bool single = report.layers.size() == 1 && report.layers.front().model.layer_type.empty();
  for (const RopeReport& layer : report.layers) {
    auto& rope = single ? found["rope"] : found["rope"][layer.model.layer_type];
    rope.update(theory_json(layer));
  }
  return found;
}

// RoPE of the same base and rotated part without the scaling.
std::string plain_spec(const ModelRope& model) {
  SpecText spec{"rope", {{"base", model.rope.base.text()}}};
  if (model.rope.partial.compare(1) != 0) {
    spec = {"partial", {{"partial", model.rope.partial.text()}, {"base", model.rope.base.text()}}};
  }
  return write_spec_text(spec);
}

// The bias that each layer type puts on distances up to four times the length, beside that of plain
// RoPE.
void plot_bias(const ConfigReport& report, const std::string& file) {
  std::vector<std::string> encodings;
  std::uint64_t length = 1;
  for (const RopeReport& layer : report.layers) {
    SpecText spec{"hf", {{"file", report.path}}};
    if (!layer.model.layer_type.empty()) {
      spec.entries.emplace_back("layer_type", layer.model.layer_type);
    }
    for (const std::string& text : {write_spec_text(spec), plain_spec(layer.model)}) {
      if (std::find(encodings.begin(), encodings.end(), text) == encodings.end()) {
        encodings.push_back(text);
      }
    }
    length = std::max(length, layer.sequence_length);
  }
  ExperimentSpec spec;
  for (const std::string& text : encodings) spec.encodings.push_back(parse_encoding(text));
  spec.head_dim = report.layers.front().model.head_dim;
  spec.seq_len = length;
  const std::uint64_t last = std::min<std::uint64_t>(length, std::uint64_t{1} << 60) * 4;
  spec.distances =
      parse_distances(fmt::format("log:1:{}:160", std::max<std::uint64_t>(last, 1024)));
  std::vector<DistanceCurve> curves;
  for (const CurveTask& task : plan_curves(completed(spec), 0)) {
    curves.push_back(compute_curve(task));
  }
  PlotOptions options;
  options.title = "Bias of the configuration's RoPE beside the plain one";
  plot_curves(curves, PlotQuantity::bias, file, options);
}

}  // namespace

int run_inspect(const Arguments& arguments) {
  std::optional<std::string> file, seq_len;
  OutputFlags output;
  const auto app = make_app(
      "inspect",
      "What a .npy or .safetensors file holds (tensors, types, ranges, NaNs), "
      "and how a model's config.json stretches RoPE (frequencies, wavelengths, what Theorems 2.1 "
      "and 2.2 say of them; --plot draws its bias beside that of plain RoPE).",
      "tapalab inspect config.json --seq-len 131072 --plot bias.svg");
  add_text(*app, "file", file, "a .npy or .safetensors file, or a model's config.json")
      ->type_name("FILE");
  add_text(*app, "--seq-len", seq_len,
           "for a configuration: tokens of the text (default: the trained context)")
      ->type_name("TOKENS");
  add_output_options(*app, output, "table or json");
  add_plot_option(*app, output);
  parse(*app, arguments.rest);
  if (!file) throw InputError("inspect: a file is needed; accepted: .npy, .safetensors, .json");
  const Format format = output.chosen_format({"table", "json"});
  output.progress_mode();
  output.check_files();
  output.keep(file, "the file to inspect");
  const bool configuration = ends_with(*file, ".json");
  if (seq_len && !configuration)
    throw InputError("--seq-len: belongs to a configuration; accepted: with a .json file");
  if (output.plot && !configuration)
    throw InputError("--plot: draws a configuration's bias; accepted: with a .json file");
  nlohmann::ordered_json found;
  std::string table;
  if (configuration) {
    std::optional<std::uint64_t> length;
    if (seq_len) length = parse_seq_len(*seq_len, "--seq-len");
    const ConfigReport report = inspect_config(*file, length);
    if (output.plot) plot_bias(report, *output.plot);
    found = json_of(report);
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
