#include "analysis/inspect_config.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tapalab {

const char* to_string(PairScaling scaling) {
  switch (scaling) {
    case PairScaling::kept:
      return "kept";
    case PairScaling::blended:
      return "blended";
    case PairScaling::divided:
      return "divided";
    case PairScaling::unrotated:
      return "unrotated";
  }
  return "";
}

ConfigReport inspect_config(const std::string& path, std::optional<std::uint64_t> sequence_length) {
  ConfigReport report;
  report.path = path;
  for (const ModelRope& model : read_model_config(path).layers) {
    const std::uint64_t length =
        sequence_length.value_or(std::max<std::uint64_t>(model.original, 1));
    report.layers.push_back({model, length, rope_frequencies(model.rope, model.head_dim, length),
                             softmax_scale_factor(model.rope.scaling)});
  }
  return report;
}

namespace {

nlohmann::ordered_json rope_json(const RopeReport& report) {
  using Json = nlohmann::ordered_json;
  Json frequencies = Json::array(), wavelengths = Json::array(), scaling = Json::array();
  for (const Wide& radians : report.frequencies.radians) {
    frequencies.push_back(static_cast<double>(radians));
    wavelengths.push_back(radians == 0 ? Json(nullptr)
                                       : Json(static_cast<double>(Wide(wide_two_pi() / radians))));
  }
  for (const PairScaling pair : report.frequencies.pairs) scaling.push_back(to_string(pair));
  return {{"type", report.model.type},
          {"base", report.model.rope.base.text()},
          {"head_dim", report.model.head_dim},
          {"rotary_dim", report.frequencies.rotary_dim},
          {"sequence_length", report.sequence_length},
          {"inverse_frequencies", frequencies},
          {"wavelengths", wavelengths},
          {"scaling", scaling},
          {"attention_factor", static_cast<double>(report.frequencies.attention_factor)},
          {"softmax_scale_factor", static_cast<double>(report.softmax_scale_factor)},
          {"warnings", report.model.warnings}};
}

}  // namespace

nlohmann::ordered_json to_json(const ConfigReport& report) {
  nlohmann::ordered_json out{{"file", report.path}, {"format", "config"}};
  if (report.layers.size() == 1 && report.layers.front().model.layer_type.empty()) {
    out["rope"] = rope_json(report.layers.front());
    return out;
  }
  for (const RopeReport& layer : report.layers)
    out["rope"][layer.model.layer_type] = rope_json(layer);
  return out;
}

}  // namespace tapalab
