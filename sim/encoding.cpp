#include "sim/encoding.hpp"

#include <algorithm>

#include "sim/errors.hpp"
#include "sim/family.hpp"
#include "sim/io/model_config.hpp"
#include "sim/io/npy.hpp"

namespace tapalab {
namespace {

const KeyEntry kAlpha{"alpha", "0.1", "a decimal > 0",
                      "distance exponent (power) or scale (linear)"};
const KeyEntry kShare{"share", "0.5", "a decimal strictly between 0 and 1",
                      "part of the coordinates that carry the amplitude"};
const KeyEntry kLaw{"law", "power", "power|linear",
                    "phase scale: distance^alpha or alpha * distance"};
const KeyEntry kBase{"base", "10000", "a decimal > 1", "frequencies are base^(-2d/D)"};
const KeyEntry kAngle{"angle", "radians", "turns|radians",
                      "angle of pair d: 2 pi distance f_d or distance f_d"};
const KeyEntry kPairing{"pairing", "half", "adjacent|half",
                        "rotated pairs: (2d, 2d+1) or (d, d + D/2)"};
const KeyEntry kFreq{"freq", "exact", "exact|f32", "frequencies, or their nearest float32"};
const KeyEntry kMatrixM{"M", "", "path of a square .npy matrix", "amplitude q^T M k", true};
const KeyEntry kMatrixN{"N", "", "path of a square .npy matrix", "phase q^T N k", true};

const KeyEntry kPartial{"partial", "1", "a decimal above 0 and at most 1",
                        "part of the head's coordinates that is rotated"};
const KeyEntry kPart{"partial", "", "a decimal above 0 and at most 1",
                     "part of the head's coordinates that is rotated", true};
const KeyEntry kFactor{"factor", "", "a decimal > 0", "by which texts are stretched", true};
const KeyEntry kOriginal{"original", "", "an integer from 1 to 2^63-1",
                         "tokens of the trained context", true};
const KeyEntry kAttention{"attention_factor", "", "a decimal > 0",
                          "multiplies cosines and sines; default: by the factor"};
const KeyEntry kConfigFile{"file", "", "path of a model's config.json",
                           "hf:FILE is short for hf:file=FILE", true};
const KeyEntry kLayerType{"layer_type", "", "a layer type of the configuration",
                          "where RoPE differs from layer to layer"};

constexpr std::uint64_t kMostHeads = 65536;
constexpr std::uint64_t kMostTokens = 0x7fff'ffff'ffff'ffffULL;

ExactDecimal read_alpha(const SpecReader& spec) {
  const ExactDecimal alpha = spec.decimal("alpha");
  if (alpha.compare(0) <= 0) spec.refuse("alpha");
  return alpha;
}

PhaseLaw read_phase_law(const SpecReader& spec) {
  return spec.word("law") == 0 ? PhaseLaw::power : PhaseLaw::linear;
}

template <class Tapa>
EncodingLaw read_split(const SpecReader& spec) {
  Tapa tapa;
  tapa.alpha = read_alpha(spec);
  tapa.share = spec.decimal("share");
  if (tapa.share.compare(0) <= 0 || tapa.share.compare(1) >= 0) spec.refuse("share");
  tapa.law = read_phase_law(spec);
  return tapa;
}

EncodingLaw read_general(const SpecReader& spec) {
  TapaGeneralEncoding tapa;
  tapa.alpha = read_alpha(spec);
  tapa.law = read_phase_law(spec);
  tapa.M = read_npy_matrix(spec.text("M"), spec.label("M"));
  tapa.N = read_npy_matrix(spec.text("N"), spec.label("N"));
  return tapa;
}

EncodingLaw read_rope(const SpecReader& spec) {
  RopeEncoding rope;
  rope.base = spec.decimal("base");
  if (rope.base.compare(1) <= 0) spec.refuse("base");
  rope.angle = spec.word("angle") == 0 ? AngleUnit::turns : AngleUnit::radians;
  rope.pairing = spec.word("pairing") == 0 ? Pairing::adjacent : Pairing::half;
  rope.frequency = spec.word("freq") == 0 ? FrequencyPrecision::exact : FrequencyPrecision::f32;
  return rope;
}

ExactDecimal read_positive(const SpecReader& spec, std::string_view key) {
  const ExactDecimal value = spec.decimal(key);
  if (value.compare(0) <= 0) spec.refuse(key);
  return value;
}

std::uint64_t read_tokens(const SpecReader& spec, std::string_view key) {
  const std::uint64_t tokens = spec.count(key, kMostTokens);
  if (tokens == 0) spec.refuse(key);
  return tokens;
}

std::optional<ExactDecimal> read_optional(const SpecReader& spec, std::string_view key) {
  if (!spec.has(key)) return std::nullopt;
  return spec.decimal(key);
}

// Decimals separated by commas (the whole in double quotes).
std::vector<ExactDecimal> read_list(const SpecReader& spec, std::string_view key) {
  std::vector<ExactDecimal> list;
  const std::string text = spec.text(key);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    list.push_back(ExactDecimal::parse(text.substr(from, to - from), spec.label(key)));
    if (list.back().compare(0) <= 0) spec.refuse(key);
    from = to + 1;
  }
  return list;
}

RopeScaling read_scaling(const SpecReader& spec, std::string_view name) {
  if (name == "pi") return LinearScaling{read_positive(spec, "factor")};
  if (name == "ntk") return NtkScaling{read_positive(spec, "factor")};
  if (name == "dynamic")
    return DynamicScaling{read_positive(spec, "factor"), read_tokens(spec, "original")};
  if (name == "proportional") return ProportionalScaling{read_positive(spec, "factor")};
  if (name == "llama3")
    return Llama3Scaling{read_positive(spec, "factor"), read_positive(spec, "low_freq_factor"),
                         read_positive(spec, "high_freq_factor"), read_tokens(spec, "original")};
  if (name == "longrope")
    return LongRopeScaling{read_list(spec, "short_factor"), read_list(spec, "long_factor"),
                           read_tokens(spec, "original"), read_positive(spec, "factor"),
                           read_optional(spec, "attention_factor")};
  if (name == "yarn")
    return YarnScaling{read_positive(spec, "factor"),    read_tokens(spec, "original"),
                       read_positive(spec, "beta_fast"), read_positive(spec, "beta_slow"),
                       spec.word("truncate") == 0,       read_optional(spec, "attention_factor"),
                       read_optional(spec, "mscale"),    read_optional(spec, "mscale_all_dim")};
  return NoScaling{};
}

void read_rotation(const SpecReader& spec, ModelRopeEncoding& encoding) {
  encoding.pairing = spec.word("pairing") == 0 ? Pairing::adjacent : Pairing::half;
  encoding.frequency = spec.word("freq") == 0 ? FrequencyPrecision::exact : FrequencyPrecision::f32;
  encoding.parameters = spec.values();
}

EncodingLaw read_model_rope(const SpecReader& spec) {
  ModelRopeEncoding encoding;
  encoding.name = spec.name();
  encoding.rope.base = spec.decimal("base");
  if (encoding.rope.base.compare(1) <= 0) spec.refuse("base");
  encoding.rope.partial = spec.decimal("partial");
  if (encoding.rope.partial.compare(0) <= 0 || encoding.rope.partial.compare(1) > 0)
    spec.refuse("partial");
  encoding.rope.scaling = read_scaling(spec, encoding.name);
  read_rotation(spec, encoding);
  return encoding;
}

EncodingLaw read_configured(const SpecReader& spec) {
  const ModelConfig config = read_model_config(spec.text("file"));
  const ModelRope& model = config.layer(spec.text("layer_type"));
  ModelRopeEncoding encoding;
  encoding.name = spec.name();
  encoding.rope = model.rope;
  encoding.head_dim = model.head_dim;
  encoding.scales_softmax = model.scales_softmax;
  encoding.file = config.path;
  encoding.warnings = model.warnings;
  read_rotation(spec, encoding);
  if (model.interleaved && encoding.pairing == Pairing::half) {
    encoding.warnings.emplace_back(
        "the configuration asks for interleaved pairs: pairing=adjacent is this model's");
  }
  return encoding;
}

EncodingLaw read_xpos(const SpecReader& spec) {
  XposEncoding xpos;
  xpos.base = spec.decimal("base");
  if (xpos.base.compare(1) <= 0) spec.refuse("base");
  xpos.gamma = read_positive(spec, "gamma");
  xpos.scale_base = read_positive(spec, "scale_base");
  xpos.pairing = spec.word("pairing") == 0 ? Pairing::adjacent : Pairing::half;
  return xpos;
}

EncodingLaw read_alibi(const SpecReader& spec) {
  AlibiEncoding alibi;
  alibi.slope = read_optional(spec, "slope");
  if (alibi.slope && alibi.slope->compare(0) <= 0) spec.refuse("slope");
  if (alibi.slope && (spec.has("heads") || spec.has("head"))) {
    throw InputError(
        "encoding alibi: slope stands beside head or heads, which give one; accepted: one of the "
        "two");
  }
  alibi.heads = static_cast<std::uint32_t>(spec.count("heads", kMostHeads));
  if (alibi.heads == 0) spec.refuse("heads");
  alibi.head = static_cast<std::uint32_t>(spec.count("head", kMostHeads));
  if (alibi.head >= alibi.heads) spec.refuse("head");
  return alibi;
}

EncodingLaw read_nope(const SpecReader&) { return NopeEncoding{}; }

const std::vector<Family<EncodingLaw>>& encoding_families() {
  static const std::vector<Family<EncodingLaw>> table{
      {{std::string(TapaEncoding::name),
        "split TAPA (eq. 12): amplitude q_A.k_A, phase q_P.k_P",
        {kAlpha, kShare, kLaw}},
       read_split<TapaEncoding>},
      {{std::string(TapaLinearEncoding::name),
        "TAPA with a linear phase (eq. 16)",
        {kAlpha, kShare, kLaw}},
       read_split<TapaLinearEncoding>},
      {{std::string(TapaGeneralEncoding::name),
        "general TAPA (eq. 9, 10): amplitude q^T M k, phase q^T N k",
        {kAlpha, kLaw, kMatrixM, kMatrixN}},
       read_general},
      {{std::string(RopeEncoding::name), "RoPE (eq. 2, 3)", {kBase, kAngle, kPairing, kFreq}},
       read_rope},
      {{"pi",
        "RoPE with interpolated positions: f/factor",
        {kFactor, kBase, kPartial, kPairing, kFreq}},
       read_model_rope},
      {{"ntk",
        "RoPE, NTK-aware: base factor^(d/(d-2))",
        {kFactor, kBase, kPartial, kPairing, kFreq}},
       read_model_rope},
      {{"dynamic",
        "RoPE, NTK-aware by the length of the text (--seq-len)",
        {kFactor, kOriginal, kBase, kPartial, kPairing, kFreq}},
       read_model_rope},
      {{"yarn",
        "RoPE, YaRN: fast pairs kept, slow ones divided by the factor, a ramp between",
        {kFactor,
         kOriginal,
         {"beta_fast", "32", "a decimal > 0", "turns in the trained context above which f is kept"},
         {"beta_slow", "1", "a decimal > 0", "turns below which f is divided"},
         {"truncate", "true", "true|false", "the ramp begins and ends at whole pairs"},
         kAttention,
         {"mscale", "", "a decimal", "growth of cosines and sines with ln(factor)"},
         {"mscale_all_dim", "", "a decimal", "growth that is divided out again"},
         kBase,
         kPartial,
         kPairing,
         kFreq}},
       read_model_rope},
      {{"longrope",
        "RoPE, LongRoPE: f/ext, ext by the length of the text (--seq-len)",
        {{"short_factor", "", "d/2 decimals > 0 in double quotes", "ext up to original", true},
         {"long_factor", "", "d/2 decimals > 0 in double quotes", "ext past original", true},
         kOriginal,
         kFactor,
         kAttention,
         kBase,
         kPartial,
         kPairing,
         kFreq}},
       read_model_rope},
      {{"llama3",
        "RoPE as Llama 3.1 has it: by wavelength kept, blended or divided",
        {{"factor", "8", "a decimal > 0", "by which texts are stretched"},
         {"low_freq_factor", "1", "a decimal > 0", "wavelengths above original/this are divided"},
         {"high_freq_factor", "4", "a decimal >= low_freq_factor",
          "wavelengths below original/this are kept"},
         {"original", "8192", "an integer from 1 to 2^63-1", "tokens of the trained context"},
         {"base", "500000", "a decimal > 1", "frequencies are base^(-2d/D)"},
         kPartial,
         kPairing,
         kFreq}},
       read_model_rope},
      {{"partial", "RoPE on the first coordinates alone", {kPart, kBase, kPairing, kFreq}},
       read_model_rope},
      {{"proportional",
        "RoPE whose slowest frequencies are 0; exponents by the whole head",
        {kPart,
         {"factor", "1", "a decimal > 0", "by which texts are stretched"},
         kBase,
         kPairing,
         kFreq}},
       read_model_rope},
      {{"hf",
        "RoPE as a model's config.json asks for it",
        {kConfigFile, kLayerType, kPairing, kFreq}},
       read_configured},
      {{std::string(XposEncoding::name),
        "xPos: RoPE that decays with distance",
        {kBase,
         {"gamma", "0.4", "a decimal > 0", "zeta_i = (2i/D + gamma)/(1 + gamma)"},
         {"scale_base", "512", "a decimal > 0", "tokens in which pair i decays by zeta_i"},
         {"pairing", "adjacent", "adjacent|half", "rotated pairs: (2d, 2d+1) or (d, d + D/2)"}}},
       read_xpos},
      {{std::string(AlibiEncoding::name),
        "ALiBi: q.k/sqrt(D) - slope distance",
        {{"slope", "", "a decimal > 0", "per token; default: that of the head"},
         {"heads", "8", "an integer from 1 to 65536", "heads of the model"},
         {"head", "0", "an integer from 0 to heads-1",
          "whose slope it is: 2^(-8 (head+1)/heads)"}}},
       read_alibi},
      {{std::string(NopeEncoding::name), "no position: q.k/sqrt(D)", {}}, read_nope},
  };
  return table;
}

// hf:FILE,... as hf:file=FILE,...; other specifications as they are.
std::string with_file_key(std::string_view spec) {
  constexpr std::string_view start = "hf:";
  if (spec.substr(0, start.size()) != start) return std::string(spec);
  const std::string_view rest = spec.substr(start.size());
  const bool quoted = !rest.empty() && rest.front() == '"';
  const std::string_view first = rest.substr(0, rest.find(','));
  if (!quoted && first.find('=') != std::string_view::npos) return std::string(spec);
  return std::string(start) + "file=" + std::string(rest);
}

}  // namespace

Encoding parse_encoding(std::string_view spec) {
  Encoding encoding;
  encoding.law = read_law("encoding", with_file_key(spec), encoding_families());
  encoding.spec = spec;
  return encoding;
}

const std::vector<NamedEntry>& encoding_catalogue() {
  static const std::vector<NamedEntry> catalogue = catalogue_of(encoding_families());
  return catalogue;
}

std::string_view encoding_name(const EncodingLaw& law) {
  return std::visit([](const auto& encoding) { return encoding.name; }, law);
}

bool is_rotary(const EncodingLaw& law) {
  return std::holds_alternative<RopeEncoding>(law) || std::holds_alternative<NopeEncoding>(law) ||
         std::holds_alternative<AlibiEncoding>(law) ||
         std::holds_alternative<ModelRopeEncoding>(law) ||
         std::holds_alternative<XposEncoding>(law);
}

bool depends_on_length(const EncodingLaw& law) {
  const auto* model = std::get_if<ModelRopeEncoding>(&law);
  return model != nullptr && (std::holds_alternative<DynamicScaling>(model->rope.scaling) ||
                              std::holds_alternative<LongRopeScaling>(model->rope.scaling));
}

bool has_split(const EncodingLaw& law) {
  return std::visit(
      [](const auto& encoding) {
        return requires { encoding.share; };
      },
      law);
}

}  // namespace tapalab
