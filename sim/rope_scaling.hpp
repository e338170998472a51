// The ways in which models change RoPE's frequencies to read longer texts, as public model
// configurations name them (`rope_type`), and the frequencies that follow.
//
// f_i = base^(-2i/d) radians per token, i = 0 .. d/2-1, d the rotated coordinates of a head. Every
// scaling gives f'_i and an attention factor A by which cosines and sines are both multiplied, so
// that the logits of rotated coordinates carry A^2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

/// f'_i = f_i.
struct NoScaling {
  static constexpr std::string_view name = "default";
};
/// Position interpolation: f'_i = f_i / factor.
struct LinearScaling {
  static constexpr std::string_view name = "linear";
  ExactDecimal factor;
};
/// NTK-aware, static: base' = base factor^(d/(d-2)).
struct NtkScaling {
  static constexpr std::string_view name = "ntk";
  ExactDecimal factor;
};
/// NTK-aware, dynamic: base' = base (factor L/original - (factor - 1))^(d/(d-2)) with
/// L = max(sequence length, original).
struct DynamicScaling {
  static constexpr std::string_view name = "dynamic";
  ExactDecimal factor;
  std::uint64_t original = 0;  ///< tokens of the trained context
};
/// YaRN: between f_i (fast pairs) and f_i/factor (slow pairs) along a ramp.
struct YarnScaling {
  static constexpr std::string_view name = "yarn";
  ExactDecimal factor;
  std::uint64_t original = 0;
  ExactDecimal beta_fast = ExactDecimal(32);
  ExactDecimal beta_slow = ExactDecimal(1);
  bool truncate = true;  ///< the ends of the ramp are whole pairs
  std::optional<ExactDecimal> attention_factor{};
  std::optional<ExactDecimal> mscale{};
  std::optional<ExactDecimal> mscale_all_dim{};
};
/// LongRoPE: f'_i = f_i / ext_i; ext is long_factor past the trained context, else short_factor.
struct LongRopeScaling {
  static constexpr std::string_view name = "longrope";
  std::vector<ExactDecimal> short_factor;  ///< d/2 of them
  std::vector<ExactDecimal> long_factor;
  std::uint64_t original = 0;
  ExactDecimal factor;
  std::optional<ExactDecimal> attention_factor{};
};
/// Llama 3: by wavelength, kept, blended or divided.
struct Llama3Scaling {
  static constexpr std::string_view name = "llama3";
  ExactDecimal factor;
  ExactDecimal low_freq_factor;
  ExactDecimal high_freq_factor;
  std::uint64_t original = 0;
};
/// int(partial * D // 2) frequencies base^(-2i/D)/factor, D the head dimension; the others are 0.
struct ProportionalScaling {
  static constexpr std::string_view name = "proportional";
  ExactDecimal factor = ExactDecimal(1);
};

using RopeScaling = std::variant<NoScaling, LinearScaling, NtkScaling, DynamicScaling, YarnScaling,
                                 LongRopeScaling, Llama3Scaling, ProportionalScaling>;

struct RopeParameters {
  ExactDecimal base = ExactDecimal(10000);
  /// Part of the head's coordinates that is rotated: d = int(partial D), the first d of them.
  ExactDecimal partial = ExactDecimal(1);
  RopeScaling scaling;
};

/// What a scaling did to a pair's frequency.
enum class PairScaling { kept, blended, divided, unrotated };

struct RopeFrequencies {
  std::uint32_t rotary_dim = 0;  ///< d; pairs are made of the first d coordinates
  std::vector<Wide> radians;     ///< f'_i per token, d/2 of them, each with a few 2^-191 of error
  std::vector<PairScaling> pairs;
  Wide attention_factor{1};  ///< A
};

/// The frequencies that a text of `sequence_length` tokens is read with (only dynamic and longrope
/// depend on it). Throws InputError, naming the key, for a rotary dimension that is zero or odd, a
/// factor that is not positive, a list of another length than d/2, and bases that are not above 1.
RopeFrequencies rope_frequencies(const RopeParameters& rope, std::uint32_t head_dim,
                                 std::uint64_t sequence_length);

/// 1 where factor <= 1, else 0.1 mscale ln(factor) + 1: YaRN's growth of the logits.
Wide yarn_mscale(const ExactDecimal& factor, const ExactDecimal& mscale);

/// By what models of the DeepSeek family multiply the scale of their softmax beside A:
/// yarn_mscale(factor, mscale_all_dim)^2; 1 for other scalings and without mscale_all_dim.
Wide softmax_scale_factor(const RopeScaling& scaling);

/// The ends of YaRN's ramp, in pairs, as the frequencies use them.
struct YarnRamp {
  Wide low;
  Wide high;
};
YarnRamp yarn_ramp(const YarnScaling& yarn, const ExactDecimal& base, std::uint32_t rotary_dim);

}  // namespace tapalab
