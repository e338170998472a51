#include "sim/io/model_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/errors.hpp"
#include "sim/io/binary_file.hpp"
#include "sim/io/config_block.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxBytes = 16u << 20;
constexpr std::uint64_t kMaxTokens = 0x7fff'ffff'ffff'ffffULL;
constexpr std::size_t kMostNamed = 32;  // unused keys that get a warning each

// The value that two places may give, if they agree.
template <class T>
std::optional<T> agreed(ConfigBlock& outer, ConfigBlock& inner, const std::string& key,
                        const std::optional<T>& at_top, const std::optional<T>& nested) {
  if (at_top && nested && !(*at_top == *nested))
    inner.refuse(key, fmt::format("contradicts {}; accepted: one of the two, or twice the same",
                                  outer.path_of(key)));
  return nested ? nested : at_top;
}

// What all layers share.
struct Model {
  std::uint32_t head_dim = 0;
  std::uint64_t max_positions = 0;  // 0: not given
  std::optional<std::uint64_t> top_original;
  std::optional<ExactDecimal> theta, partial;
  bool scales_softmax = false;
  bool interleaved = false;
  std::vector<std::string> warnings;
};

std::uint32_t read_head_dim(ConfigBlock& top) {
  // Multi-head latent attention rotates coordinates of their own.
  if (const auto rope_dim = top.count("qk_rope_head_dim", kMaxConfigHeadDim))
    return static_cast<std::uint32_t>(*rope_dim);
  if (const auto given = top.count("head_dim", kMaxConfigHeadDim))
    return static_cast<std::uint32_t>(*given);
  const auto hidden = top.count("hidden_size", kMaxTokens);
  const auto heads = top.count("num_attention_heads", kMaxTokens);
  if (!hidden || !heads)
    top.refuse("head_dim",
               "is missing; accepted: head_dim, or hidden_size and num_attention_heads");
  if (*hidden % *heads != 0 || *hidden / *heads > kMaxConfigHeadDim)
    top.refuse("hidden_size", fmt::format("{} / num_attention_heads={} is no head dimension; "
                                          "accepted: head_dim, or a multiple of the heads",
                                          *hidden, *heads));
  return static_cast<std::uint32_t>(*hidden / *heads);
}

// What bears on scores and is not part of an encoding here.
void warn_of_unread(ConfigBlock& top, std::vector<std::string>& warnings) {
  if (top.find("qk_rope_head_dim") != nullptr)
    warnings.emplace_back(
        "latent attention: the encoding is that of the qk_rope_head_dim rotated coordinates alone, "
        "with logits over the square root of their number; the model divides by that of all "
        "coordinates, and adds those that are not rotated");
  for (const auto& [key, effect] :
       {std::pair{"query_pre_attn_scalar", "the model scales its logits by it"},
        std::pair{"attention_multiplier", "the model scales its logits by it"},
        std::pair{"no_rope_layers", "some layers of the model have no RoPE"},
        std::pair{"no_rope_layer_interval", "some layers of the model have no RoPE"}}) {
    if (top.find(key) != nullptr)
      warnings.push_back(fmt::format("{} has no effect here: {}", key, effect));
  }
}

Model read_model(ConfigBlock& top) {
  Model model;
  model.head_dim = read_head_dim(top);
  model.max_positions = top.count("max_position_embeddings", kMaxTokens).value_or(0);
  model.top_original = top.count("original_max_position_embeddings", kMaxTokens);
  model.theta = top.number("rope_theta");
  model.partial = top.number("partial_rotary_factor");
  for (const char* key : {"rotary_emb_base", "global_rope_theta"}) {
    const auto base = top.number(key);
    if (!base) continue;
    if (model.theta && !(*base == *model.theta))
      top.refuse(key, "contradicts rope_theta; accepted: one of the two");
    model.theta = base;
  }
  if (const auto part = top.number("rotary_pct")) {
    if (model.partial && !(*part == *model.partial))
      top.refuse("rotary_pct", "contradicts partial_rotary_factor; accepted: one of the two");
    model.partial = part;
  }
  if (const auto rotated = top.count("rotary_dim", kMaxConfigHeadDim)) {
    const ExactDecimal part = ExactDecimal::parse(
        fmt::format("{}", static_cast<double>(*rotated) / model.head_dim), "rotary_dim");
    if (model.partial && !(part == *model.partial))
      top.refuse("rotary_dim", "contradicts partial_rotary_factor; accepted: one of the two");
    model.partial = part;
  }
  if (top.find("rope_ratio") != nullptr)
    top.refuse("rope_ratio",
               "stretches the base as ChatGLM does, which is not read; accepted: "
               "--encoding partial:base=.. with that base");
  model.interleaved = top.boolean("rope_interleave").value_or(false);
  warn_of_unread(top, model.warnings);
  const std::string kind = top.text("model_type").value_or("");
  model.scales_softmax = kind.rfind("deepseek", 0) == 0 || kind.rfind("kimi", 0) == 0;
  return model;
}

// Reads one scaling block after its common keys.
class ScalingReader {
 public:
  ScalingReader(const Model& model, ConfigBlock& block) : model_(model), block_(block) {}

  RopeScaling read(const std::string& type) {
    if (type == "default" || type == "mrope") return NoScaling{};
    if (type == "linear") return LinearScaling{block_.required_number("factor")};
    if (type == "dynamic") return DynamicScaling{block_.required_number("factor"), max_positions()};
    if (type == "yarn") return yarn();
    if (type == "longrope" || type == "su") return longrope();
    if (type == "llama3") return llama3();
    if (type == "proportional")
      return ProportionalScaling{block_.number("factor").value_or(ExactDecimal(1))};
    block_.refuse("rope_type", fmt::format("is {}; accepted: default, linear, dynamic, yarn, "
                                           "longrope, llama3, proportional",
                                           printable(type)));
  }

  std::uint64_t original() {
    const auto nested = block_.count("original_max_position_embeddings", kMaxTokens);
    if (model_.top_original) return *model_.top_original;
    return nested ? *nested : max_positions();
  }

 private:
  std::uint64_t max_positions() {
    if (model_.max_positions == 0)
      throw_missing("max_position_embeddings is missing; accepted: the trained context in tokens");
    return model_.max_positions;
  }
  [[noreturn]] void throw_missing(const std::string& what) { block_.refuse("rope_type", what); }

  // Models divide in double.
  ExactDecimal factor_or_ratio(std::uint64_t original) {
    if (const auto factor = block_.number("factor")) return *factor;
    const double ratio = static_cast<double>(max_positions()) / static_cast<double>(original);
    return ExactDecimal::parse(fmt::format("{}", ratio), "factor");
  }

  YarnScaling yarn() {
    YarnScaling scaling;
    scaling.original = original();
    scaling.factor = factor_or_ratio(scaling.original);
    if (const auto beta = block_.number("beta_fast")) scaling.beta_fast = *beta;
    if (const auto beta = block_.number("beta_slow")) scaling.beta_slow = *beta;
    scaling.truncate = block_.boolean("truncate").value_or(true);
    scaling.attention_factor = block_.number("attention_factor");
    scaling.mscale = block_.number("mscale", false);
    scaling.mscale_all_dim = block_.number("mscale_all_dim", false);
    for (const auto& [key, value] :
         {std::pair{"mscale", scaling.mscale}, {"mscale_all_dim", scaling.mscale_all_dim}}) {
      if (value && value->compare(0) < 0)
        block_.refuse(key, "is negative; accepted: a number >= 0");
    }
    return scaling;
  }

  LongRopeScaling longrope() {
    LongRopeScaling scaling;
    scaling.short_factor = block_.list("short_factor");
    scaling.long_factor = block_.list("long_factor");
    scaling.original = original();
    scaling.factor = factor_or_ratio(scaling.original);
    scaling.attention_factor = block_.number("attention_factor");
    return scaling;
  }

  Llama3Scaling llama3() {
    Llama3Scaling scaling;
    scaling.factor = block_.required_number("factor");
    scaling.low_freq_factor = block_.required_number("low_freq_factor");
    scaling.high_freq_factor = block_.required_number("high_freq_factor");
    scaling.original = original();
    return scaling;
  }

  const Model& model_;
  ConfigBlock& block_;
};

void check_computable(const std::string& file, const ModelRope& layer) {
  try {
    const RopeFrequencies frequencies =
        rope_frequencies(layer.rope, layer.head_dim, layer.original == 0 ? 1 : layer.original);
    // LongRoPE's other list
    const RopeFrequencies longer = rope_frequencies(layer.rope, layer.head_dim, kMaxTokens);
    for (const auto* list : {&frequencies.radians, &longer.radians}) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        const double f = static_cast<double>((*list)[i]);
        if (f == 0 ? (*list)[i] == 0 : std::isfinite(f) && std::isfinite(6.3 / f)) continue;
        throw InputError(fmt::format(
            "the frequency of pair {} is {}; accepted: factors that leave frequencies and "
            "wavelengths in the range of double",
            i, (*list)[i].str(3, std::ios_base::scientific)));
      }
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", printable(file), error.what()));
  }
}

// Numbers that speak of one thing and disagree.
void warn_of_lengths(const Model& model, ConfigBlock& block, ModelRope& layer) {
  const auto nested = block.count("original_max_position_embeddings", kMaxTokens);
  if (nested && model.top_original && *nested != *model.top_original)
    layer.warnings.push_back(
        fmt::format("{} is {} and original_max_position_embeddings {}: the latter is taken",
                    printable(block.path_of("original_max_position_embeddings")), *nested,
                    *model.top_original));
  if (model.max_positions != 0 && layer.original > model.max_positions)
    layer.warnings.push_back(
        fmt::format("the original length {} is above max_position_embeddings {}", layer.original,
                    model.max_positions));
  const auto* yarn = std::get_if<YarnScaling>(&layer.rope.scaling);
  if (yarn == nullptr || model.max_positions == 0) return;
  const double ratio =
      static_cast<double>(model.max_positions) / static_cast<double>(yarn->original);
  const double factor = static_cast<double>(yarn->factor.wide());
  if (std::abs(factor / ratio - 1) > 1e-6 && model.max_positions != yarn->original)
    layer.warnings.push_back(
        fmt::format("factor is {}, and max_position_embeddings over the original length {}: the "
                    "factor is taken",
                    yarn->factor.text(), ratio));
}

// Keys of the model that look as if they spoke of RoPE, and that nothing asked for.
void warn_of_unused(const ConfigBlock& top, std::vector<std::string>& warnings) {
  std::size_t count = 0;
  for (const std::string& key : top.unused()) {
    const bool speaks = key.find("rope") != std::string::npos ||
                        key.find("rotary") != std::string::npos ||
                        key.find("mscale") != std::string::npos;
    if (!speaks || ++count > kMostNamed) continue;
    warnings.push_back(fmt::format("{} has no effect here", printable(key)));
  }
}

ModelRope read_layer(const std::string& file, ConfigBlock& top, const Model& model,
                     ConfigBlock& block, const std::string& layer_type) {
  ModelRope layer;
  layer.layer_type = layer_type;
  layer.head_dim = model.head_dim;
  layer.warnings = model.warnings;
  layer.scales_softmax = model.scales_softmax;
  layer.interleaved = model.interleaved;
  const auto type = block.text("rope_type"), old_type = block.text("type");
  if (type && old_type && *type != *old_type)
    block.refuse("type", fmt::format("{} contradicts rope_type {}; accepted: one of the two",
                                     printable(*old_type), printable(*type)));
  layer.type = type ? *type : old_type.value_or("default");
  const auto theta = agreed(top, block, "rope_theta", model.theta, block.number("rope_theta"));
  const auto partial = agreed(top, block, "partial_rotary_factor", model.partial,
                              block.number("partial_rotary_factor"));
  if (theta) layer.rope.base = *theta;
  if (!theta) layer.warnings.emplace_back("no rope_theta: 10000 is taken");
  if (partial) layer.rope.partial = *partial;
  const auto refuse_range = [&](const char* key, bool at_top, const ExactDecimal& value,
                                const char* accepted) {
    (at_top ? top : block).refuse(key, fmt::format("is {}; accepted: {}", value.text(), accepted));
  };
  if (layer.rope.base.compare(1) <= 0)
    refuse_range("rope_theta", model.theta.has_value(), layer.rope.base, "a number > 1");
  if (layer.rope.partial.compare(1) > 0)
    refuse_range("partial_rotary_factor", model.partial.has_value(), layer.rope.partial,
                 "a number above 0 and at most 1");
  ScalingReader reader(model, block);
  layer.rope.scaling = reader.read(layer.type);
  layer.original = std::visit(
      [&](const auto& scaling) {
        if constexpr (requires { scaling.original; }) return scaling.original;
        return model.max_positions;
      },
      layer.rope.scaling);
  warn_of_lengths(model, block, layer);
  const std::vector<std::string> unused = block.unused();
  for (std::size_t i = 0; i < std::min(unused.size(), kMostNamed); ++i)
    layer.warnings.push_back(fmt::format("{} is not used by rope_type {}",
                                         printable(block.path_of(unused[i])),
                                         printable(layer.type)));
  if (unused.size() > kMostNamed)
    layer.warnings.push_back(fmt::format("{} more keys are not used", unused.size() - kMostNamed));
  if (softmax_scale_factor(layer.rope.scaling) != 1) {
    layer.warnings.push_back(
        layer.scales_softmax
            ? "models of this type also multiply their softmax scale by softmax_scale_factor"
            : "mscale_all_dim: models of the DeepSeek family also multiply their softmax scale by "
              "softmax_scale_factor; this model_type is not one of them, and its logits are left "
              "without");
  }
  check_computable(file, layer);
  return layer;
}

bool holds_layer_types(const json& block) {
  if (block.empty()) return false;
  for (const auto& value : block) {
    if (!value.is_object()) return false;
  }
  return true;
}

// The object that holds the rotary keys: the file's, or that of the language model in it.
const json& language_model(const json& document) {
  const auto inner = document.find("text_config");
  const bool outer = document.contains("rope_parameters") || document.contains("rope_theta") ||
                     document.contains("rope_scaling") || document.contains("hidden_size");
  return !outer && inner != document.end() && inner->is_object() ? *inner : document;
}

// An older form of two kinds of layers: sliding ones are read with a base of their own.
void add_local_layers(const std::string& path, ConfigBlock& top, const Model& model,
                      ModelConfig& config) {
  const char* key =
      top.find("local_rope_theta") != nullptr ? "local_rope_theta" : "rope_local_base_freq";
  const auto base = top.number(key);
  if (!base) return;
  if (config.layers.size() != 1 || !config.layers.front().layer_type.empty())
    top.refuse(key, "stands beside layer types; accepted: one of the two");
  config.layers.front().layer_type = "full_attention";
  Model local = model;
  local.theta = base;
  const json none = json::object();
  ConfigBlock block(path, key, none);
  config.layers.push_back(read_layer(path, top, local, block, "sliding_attention"));
}

}  // namespace

const ModelRope& ModelConfig::layer(std::string_view type) const {
  std::string types;
  for (const auto& layer : layers) {
    if (layer.layer_type == type) return layer;
    types += (types.empty() ? "" : ", ") + printable(layer.layer_type);
  }
  if (layers.size() == 1 && layers.front().layer_type.empty())
    throw InputError(
        fmt::format("{}: layer_type={}, and its layers are all alike; accepted: no "
                    "layer_type",
                    printable(path), printable(type)));
  throw InputError(fmt::format(
      "{}: {}; accepted: layer_type= one of {}", printable(path),
      type.empty() ? "RoPE differs from layer to layer" : "no layer type " + printable(type),
      types));
}

ModelConfig parse_model_config(std::string_view text, const std::string& path) {
  const json document = parse_config_json(text, path);
  if (!document.is_object())
    throw InputError(
        fmt::format("{}: holds no JSON object; accepted: a model's config.json", printable(path)));
  ModelConfig config;
  config.path = path;
  ConfigBlock top(path, "", language_model(document));
  if (const json* alibi = top.find("alibi"); alibi != nullptr && *alibi == true)
    top.refuse("alibi", "is true: this model has no RoPE; accepted: --encoding alibi:heads=N");
  if (const json* kind = top.find("position_embedding_type");
      kind != nullptr && *kind != "rotary" && *kind != "rope" && !kind->is_null())
    top.refuse(
        "position_embedding_type",
        fmt::format("is {}: this model has no RoPE; accepted: rotary, rope", shown_json(*kind)));
  const json* parameters = top.find("rope_parameters");
  const json* scaling = top.find("rope_scaling");
  for (const auto& [key, value] :
       {std::pair{"rope_parameters", parameters}, {"rope_scaling", scaling}}) {
    if (value != nullptr && !value->is_object())
      top.refuse(key, fmt::format("is {}; accepted: an object", shown_json(*value)));
  }
  // Some files hold both forms: then all that the older one says must stand in the newer.
  const auto contained = [&] {
    for (const auto& [key, value] : scaling->items()) {
      const auto found = parameters->find(key);
      if (found == parameters->end() || *found != value) return false;
    }
    return true;
  };
  if (parameters != nullptr && scaling != nullptr && !contained())
    top.refuse("rope_scaling", "stands beside another rope_parameters; accepted: one of the two");
  const Model model = read_model(top);
  const json none = json::object();
  const bool newer = parameters != nullptr;
  const json& object = newer ? *parameters : scaling != nullptr ? *scaling : none;
  const std::string name = newer ? "rope_parameters" : "rope_scaling";
  if (!holds_layer_types(object)) {
    ConfigBlock block(path, name, object);
    config.layers.push_back(read_layer(path, top, model, block, ""));
  } else {
    for (const auto& [layer_type, value] : object.items()) {
      ConfigBlock block(path, name + "." + layer_type, value);
      // Layers may differ in what the top level gives one value to.
      Model layer_model = model;
      if (value.contains("rope_theta")) layer_model.theta.reset();
      if (value.contains("partial_rotary_factor")) layer_model.partial.reset();
      config.layers.push_back(read_layer(path, top, layer_model, block, layer_type));
    }
  }
  add_local_layers(path, top, model, config);
  for (ModelRope& layer : config.layers) warn_of_unused(top, layer.warnings);
  return config;
}

ModelConfig read_model_config(const std::string& path) {
  BinaryFile file(path);
  if (file.size() > kMaxBytes)
    throw InputError(fmt::format("{}: {} bytes; accepted: a config.json of at most 16 MiB",
                                 printable(path), file.size()));
  const auto bytes = file.read(0, file.size(), "the configuration");
  return parse_model_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace tapalab
