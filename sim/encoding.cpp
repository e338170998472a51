#include "sim/encoding.hpp"

#include "sim/errors.hpp"
#include "sim/family.hpp"
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

EncodingLaw read_nope(const SpecReader&) { return NopeEncoding{}; }

const std::vector<Family<EncodingLaw>>& families() {
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
      {{std::string(NopeEncoding::name), "no position: q.k/sqrt(D)", {}}, read_nope},
  };
  return table;
}

}  // namespace

Encoding parse_encoding(std::string_view spec) {
  Encoding encoding;
  encoding.law = read_law("encoding", spec, families());
  encoding.spec = spec;
  return encoding;
}

const std::vector<NamedEntry>& encoding_catalogue() {
  static const std::vector<NamedEntry> catalogue = catalogue_of(families());
  return catalogue;
}

std::string_view encoding_name(const EncodingLaw& law) {
  return std::visit([](const auto& encoding) { return encoding.name; }, law);
}

bool has_split(const EncodingLaw& law) {
  return std::visit(
      [](const auto& encoding) {
        return requires { encoding.share; };
      },
      law);
}

}  // namespace tapalab
