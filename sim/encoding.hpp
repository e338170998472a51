// Positional encodings as they are specified: names and exact decimal parameters, nothing
// derived. `lower` in sim/score_model.hpp turns one into the numbers of its score.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/catalogue.hpp"
#include "sim/numbers/exact_decimal.hpp"
#include "sim/rope_scaling.hpp"

namespace tapalab {

/// s(distance): `power` is distance^alpha (eq. 9), `linear` is alpha * distance.
enum class PhaseLaw { power, linear };

/// Split TAPA (eq. 12): q_A.k_A/sqrt(dA) * cos(2 pi s q_P.k_P/sqrt(dP)).
struct TapaEncoding {
  static constexpr std::string_view name = "tapa";
  ExactDecimal alpha = ExactDecimal::parse("0.1", "alpha");
  ExactDecimal share = ExactDecimal::parse("0.5", "share");
  PhaseLaw law = PhaseLaw::power;
};

/// TAPA with a linear phase (eq. 16): the phase is sum_j (q_P,j + k_P,j)/sqrt(dP).
struct TapaLinearEncoding {
  static constexpr std::string_view name = "tapa-linear";
  ExactDecimal alpha = ExactDecimal::parse("0.1", "alpha");
  ExactDecimal share = ExactDecimal::parse("0.5", "share");
  PhaseLaw law = PhaseLaw::power;
};

/// TAPA, general (eq. 9, 10): q^T M k cos(2 pi s q^T N k); M and N are D x D.
struct TapaGeneralEncoding {
  static constexpr std::string_view name = "tapa-general";
  ExactDecimal alpha = ExactDecimal::parse("0.1", "alpha");
  PhaseLaw law = PhaseLaw::power;
  DecimalMatrix M;
  DecimalMatrix N;
};

/// turns: the angle is 2 pi distance f_d (eq. 3); radians: distance f_d (every real model).
enum class AngleUnit { turns, radians };
/// adjacent: coordinates (2d, 2d+1); half: (d, d + D/2), as LLaMA and NeoX checkpoints store them.
enum class Pairing { adjacent, half };
/// exact: f_d = base^(-2d/D); f32: rounded to float32, as models store them.
enum class FrequencyPrecision { exact, f32 };

/// RoPE (eq. 2, 3).
struct RopeEncoding {
  static constexpr std::string_view name = "rope";
  ExactDecimal base = ExactDecimal(10000);
  AngleUnit angle = AngleUnit::radians;
  Pairing pairing = Pairing::half;
  FrequencyPrecision frequency = FrequencyPrecision::exact;
};

/// RoPE as models stretch it (sim/rope_scaling.hpp), in radians: pi, ntk, dynamic, yarn, longrope,
/// llama3, partial, proportional, and hf, whose parameters are those of a model's config.json. The
/// logits of rotated coordinates carry the square of the attention factor.
struct ModelRopeEncoding {
  std::string_view name;  ///< of the catalogue
  RopeParameters rope;
  Pairing pairing = Pairing::half;
  FrequencyPrecision frequency = FrequencyPrecision::exact;
  std::uint32_t head_dim = 0;   ///< by the configuration; 0: any
  bool scales_softmax = false;  ///< logits carry softmax_scale_factor too (DeepSeek)
  std::vector<std::pair<std::string, std::string>> parameters{};  ///< key, value: the echo
  std::string file{};                                             ///< the configuration
  std::vector<std::string> warnings{};                            ///< what of it has no effect here
};

/// xPos: RoPE whose pair i decays with distance as zeta_i^(distance/scale_base),
/// zeta_i = (2i/D + gamma)/(1 + gamma).
struct XposEncoding {
  static constexpr std::string_view name = "xpos";
  ExactDecimal base = ExactDecimal(10000);
  ExactDecimal gamma = ExactDecimal::parse("0.4", "gamma");
  ExactDecimal scale_base = ExactDecimal(512);
  Pairing pairing = Pairing::adjacent;
};

/// ALiBi: no rotation, and slope * distance taken off: q.k/sqrt(D) - slope distance.
struct AlibiEncoding {
  static constexpr std::string_view name = "alibi";
  std::optional<ExactDecimal> slope{};  ///< else that of `head` among `heads`
  std::uint32_t heads = 8;
  std::uint32_t head = 0;  ///< 0 .. heads - 1
};

/// No position: q.k/sqrt(D).
struct NopeEncoding {
  static constexpr std::string_view name = "nope";
};

using EncodingLaw =
    std::variant<TapaEncoding, TapaLinearEncoding, TapaGeneralEncoding, RopeEncoding,
                 ModelRopeEncoding, XposEncoding, AlibiEncoding, NopeEncoding>;

struct Encoding {
  std::string spec;  ///< as given on the command line; the echo and the label in figures
  EncodingLaw law;
  /// Tokens of the text, for encodings that depend on its length (`depends_on_length`).
  std::optional<std::uint64_t> sequence_length{};
};

/// Reads `name` or `name:key=value,...`; values may be in double quotes. Throws InputError for an
/// unknown name or key, a repeated key, or a value out of range (share strictly between 0 and 1,
/// alpha > 0, base > 1). `tapa-general` has its matrices as .npy paths (M="m.npy",N="n.npy").
Encoding parse_encoding(std::string_view spec);

/// Every encoding that parse_encoding reads, with its keys.
const std::vector<NamedEntry>& encoding_catalogue();

/// The name that starts a specification: "tapa", "rope", ...
std::string_view encoding_name(const EncodingLaw& law);

/// True for scores q.R(distance).k, whose mean needs second moments alone: RoPE in all its forms,
/// xPos, ALiBi and NoPE.
bool is_rotary(const EncodingLaw& law);

/// True for dynamic and longrope, also where a configuration asks for them.
bool depends_on_length(const EncodingLaw& law);

/// True for encodings with amplitude and phase coordinates (tapa, tapa-linear), whose densities
/// may carry the prefixes `a.` and `p.`.
bool has_split(const EncodingLaw& law);

}  // namespace tapalab
