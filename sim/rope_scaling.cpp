#include "sim/rope_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/errors.hpp"
#include "sim/numbers/decimal_parts.hpp"
#include "sim/numbers/guarded.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

// Everything is computed with guard digits and rounded to Wide at the end.
GuardedWide two_pi() {
  static const GuardedWide value = 8 * atan(GuardedWide(1));
  return value;
}

[[noreturn]] void refuse(std::string_view key, const ExactDecimal& value,
                         std::string_view accepted) {
  throw InputError(
      fmt::format("{}={} of RoPE; accepted: {}", key, printable(value.text()), accepted));
}

void require_positive(std::string_view key, const ExactDecimal& value) {
  if (value.compare(0) <= 0) refuse(key, value, "a decimal > 0");
}

void require_original(std::uint64_t original) {
  if (original == 0)
    throw InputError("original=0 of RoPE; accepted: the trained context, at least 1 token");
}

// int(head_dim * partial) as models compute it, in double.
std::uint32_t rotated_coordinates(const ExactDecimal& partial, std::uint32_t head_dim) {
  if (partial.compare(0) <= 0 || partial.compare(1) > 0) {
    refuse("partial", partial, "a decimal above 0 and at most 1");
  }
  return static_cast<std::uint32_t>(head_dim * partial.value());
}

std::uint32_t rotary_dim(const RopeParameters& rope, std::uint32_t head_dim) {
  const std::uint32_t d = rotated_coordinates(rope.partial, head_dim);
  if (d >= 2 && d % 2 == 0) return d;
  throw InputError(fmt::format(
      "{} of the {} coordinates of a head would be rotated (partial={}); accepted: an even number, "
      "at least 2",
      d, head_dim, printable(rope.partial.text())));
}

// base^(-2i/d), i = 0 .. d/2-1.
std::vector<GuardedWide> plain_frequencies(const GuardedWide& base, std::uint32_t d) {
  const GuardedWide log_base = log(base);
  std::vector<GuardedWide> frequencies;
  for (std::uint32_t i = 0; i < d / 2; ++i) {
    frequencies.push_back(exp(-(log_base * (2 * i)) / d));
  }
  return frequencies;
}

RopeFrequencies rounded(std::uint32_t d, const std::vector<GuardedWide>& frequencies,
                        PairScaling what) {
  RopeFrequencies result;
  result.rotary_dim = d;
  for (const auto& f : frequencies) result.radians.push_back(Wide(f));
  result.pairs.assign(frequencies.size(), what);
  return result;
}

// base * growth^(d/(d-2)).
GuardedWide grown_base(const ExactDecimal& base, const GuardedWide& growth, std::uint32_t d) {
  if (d == 2)
    throw InputError(
        "NTK-aware scaling divides by d - 2, and only d = 2 coordinates are rotated; accepted: at "
        "least 4");
  const GuardedWide grown = guarded(base) * exp(log(growth) * d / (d - 2));
  if (!(grown > 1))
    throw InputError("the scaled base is not above 1; accepted: a factor that keeps it above 1");
  return grown;
}

struct Scale {
  const RopeParameters& rope;
  std::uint32_t head_dim;
  std::uint64_t sequence_length;

  RopeFrequencies operator()(const NoScaling&) const {
    const std::uint32_t d = rotary_dim(rope, head_dim);
    return rounded(d, plain_frequencies(guarded(rope.base), d), PairScaling::kept);
  }

  RopeFrequencies operator()(const LinearScaling& scaling) const {
    require_positive("factor", scaling.factor);
    const std::uint32_t d = rotary_dim(rope, head_dim);
    auto frequencies = plain_frequencies(guarded(rope.base), d);
    for (auto& f : frequencies) f /= guarded(scaling.factor);
    return rounded(d, frequencies,
                   scaling.factor.compare(1) == 0 ? PairScaling::kept : PairScaling::divided);
  }

  RopeFrequencies operator()(const NtkScaling& scaling) const {
    require_positive("factor", scaling.factor);
    const std::uint32_t d = rotary_dim(rope, head_dim);
    return with_base(grown_base(rope.base, guarded(scaling.factor), d), d);
  }

  RopeFrequencies operator()(const DynamicScaling& scaling) const {
    require_positive("factor", scaling.factor);
    require_original(scaling.original);
    const std::uint32_t d = rotary_dim(rope, head_dim);
    // A text shorter than the trained context is read with the plain base.
    if (sequence_length <= scaling.original) return with_base(guarded(rope.base), d);
    const GuardedWide factor = guarded(scaling.factor);
    const GuardedWide growth =
        factor * GuardedWide(sequence_length) / GuardedWide(scaling.original) - (factor - 1);
    return with_base(grown_base(rope.base, growth, d), d);
  }

  RopeFrequencies operator()(const YarnScaling& yarn) const {
    const std::uint32_t d = rotary_dim(rope, head_dim);
    const YarnRamp ramp = yarn_ramp(yarn, rope.base, d);
    const auto low = widen<GuardedWide>(ramp.low), high = widen<GuardedWide>(ramp.high);
    auto frequencies = plain_frequencies(guarded(rope.base), d);
    std::vector<PairScaling> pairs;
    for (std::uint32_t i = 0; i < d / 2; ++i) {
      GuardedWide part = (i - low) / (high - low);
      part = std::clamp(part, GuardedWide(0), GuardedWide(1));
      const GuardedWide f = frequencies[i];
      frequencies[i] = f / guarded(yarn.factor) * part + f * (1 - part);
      pairs.push_back(part == 0   ? PairScaling::kept
                      : part == 1 ? PairScaling::divided
                                  : PairScaling::blended);
    }
    RopeFrequencies result = rounded(d, frequencies, PairScaling::kept);
    result.pairs = pairs;
    result.attention_factor = attention_factor(yarn);
    return result;
  }

  RopeFrequencies operator()(const LongRopeScaling& scaling) const {
    require_original(scaling.original);
    require_positive("factor", scaling.factor);
    const std::uint32_t d = rotary_dim(rope, head_dim);
    const bool longer = sequence_length > scaling.original;
    check_list("short_factor", scaling.short_factor, d);
    check_list("long_factor", scaling.long_factor, d);
    const auto& ext = longer ? scaling.long_factor : scaling.short_factor;
    auto frequencies = plain_frequencies(guarded(rope.base), d);
    RopeFrequencies result;
    result.rotary_dim = d;
    for (std::uint32_t i = 0; i < d / 2; ++i) {
      result.radians.push_back(Wide(frequencies[i] / guarded(ext[i])));
      result.pairs.push_back(ext[i].compare(1) == 0 ? PairScaling::kept : PairScaling::divided);
    }
    result.attention_factor = attention_factor(scaling);
    return result;
  }

  RopeFrequencies operator()(const Llama3Scaling& scaling) const {
    require_positive("factor", scaling.factor);
    require_positive("low_freq_factor", scaling.low_freq_factor);
    require_original(scaling.original);
    const GuardedWide low = guarded(scaling.low_freq_factor);
    const GuardedWide high = guarded(scaling.high_freq_factor);
    if (high < low) {
      refuse("high_freq_factor", scaling.high_freq_factor,
             "a decimal of at least low_freq_factor=" + scaling.low_freq_factor.text());
    }
    const GuardedWide original(scaling.original), factor = guarded(scaling.factor);
    const std::uint32_t d = rotary_dim(rope, head_dim);
    RopeFrequencies result;
    result.rotary_dim = d;
    for (const auto& f : plain_frequencies(guarded(rope.base), d)) {
      const GuardedWide wavelength = two_pi() / f;
      if (wavelength < original / high) {
        result.radians.push_back(Wide(f));
        result.pairs.push_back(PairScaling::kept);
      } else if (wavelength > original / low || high == low) {  // equal: nothing is blended
        result.radians.push_back(Wide(GuardedWide(f / factor)));
        result.pairs.push_back(PairScaling::divided);
      } else {
        const GuardedWide u = (original / wavelength - low) / (high - low);
        result.radians.push_back(Wide(GuardedWide((1 - u) * f / factor + u * f)));
        result.pairs.push_back(PairScaling::blended);
      }
    }
    return result;
  }

  RopeFrequencies operator()(const ProportionalScaling& scaling) const {
    require_positive("factor", scaling.factor);
    if (head_dim < 2 || head_dim % 2 != 0)
      throw InputError(fmt::format(
          "head dimension {} does not fit proportional RoPE; accepted: an even number, at least 2",
          head_dim));
    // Counted in pairs of the whole head: int(partial D // 2).
    const std::uint32_t rotated = rotated_coordinates(rope.partial, head_dim) / 2;
    if (rotated == 0) refuse("partial", rope.partial, "a decimal that leaves a pair to rotate");
    auto frequencies = plain_frequencies(guarded(rope.base), head_dim);
    RopeFrequencies result;
    result.rotary_dim = head_dim;
    for (std::uint32_t i = 0; i < head_dim / 2; ++i) {
      const GuardedWide scaled = frequencies[i] / guarded(scaling.factor);
      result.radians.push_back(i < rotated ? Wide(scaled) : Wide(0));
      result.pairs.push_back(i >= rotated                     ? PairScaling::unrotated
                             : scaling.factor.compare(1) == 0 ? PairScaling::kept
                                                              : PairScaling::divided);
    }
    return result;
  }

 private:
  RopeFrequencies with_base(const GuardedWide& base, std::uint32_t d) const {
    const auto plain = plain_frequencies(guarded(rope.base), d);
    const auto scaled = plain_frequencies(base, d);
    RopeFrequencies result = rounded(d, scaled, PairScaling::kept);
    for (std::uint32_t i = 0; i < d / 2; ++i) {
      if (scaled[i] != plain[i]) result.pairs[i] = PairScaling::divided;
    }
    return result;
  }

  static void check_list(std::string_view key, const std::vector<ExactDecimal>& list,
                         std::uint32_t d) {
    if (list.size() != d / 2)
      throw InputError(fmt::format("{} of RoPE has {} entries; accepted: {}, one for each pair",
                                   key, list.size(), d / 2));
    for (const auto& entry : list) require_positive(key, entry);
  }

  static Wide attention_factor(const YarnScaling& yarn) {
    if (yarn.attention_factor) {
      require_positive("attention_factor", *yarn.attention_factor);
      return yarn.attention_factor->wide();
    }
    const auto given = [](const std::optional<ExactDecimal>& x) { return x && x->compare(0) != 0; };
    if (given(yarn.mscale) && given(yarn.mscale_all_dim))
      return yarn_mscale(yarn.factor, *yarn.mscale) /
             yarn_mscale(yarn.factor, *yarn.mscale_all_dim);
    return yarn_mscale(yarn.factor, ExactDecimal(1));
  }

  static Wide attention_factor(const LongRopeScaling& scaling) {
    if (scaling.attention_factor) {
      require_positive("attention_factor", *scaling.attention_factor);
      return scaling.attention_factor->wide();
    }
    if (scaling.factor.compare(1) <= 0) return Wide(1);
    if (scaling.original < 2)
      throw InputError(
          "original=1 of longrope: its attention factor divides by ln(original); "
          "accepted: at least 2 tokens");
    return Wide(sqrt(1 + log(guarded(scaling.factor)) / log(GuardedWide(scaling.original))));
  }
};

}  // namespace

Wide yarn_mscale(const ExactDecimal& factor, const ExactDecimal& mscale) {
  if (factor.compare(1) <= 0) return Wide(1);
  return Wide(guarded(mscale) * log(guarded(factor)) / 10 + 1);
}

Wide softmax_scale_factor(const RopeScaling& scaling) {
  const auto* yarn = std::get_if<YarnScaling>(&scaling);
  if (yarn == nullptr || !yarn->mscale_all_dim || yarn->mscale_all_dim->compare(0) == 0)
    return Wide(1);
  const Wide growth = yarn_mscale(yarn->factor, *yarn->mscale_all_dim);
  return growth * growth;
}

YarnRamp yarn_ramp(const YarnScaling& yarn, const ExactDecimal& base, std::uint32_t rotary_dim) {
  require_positive("factor", yarn.factor);
  require_positive("beta_fast", yarn.beta_fast);
  require_positive("beta_slow", yarn.beta_slow);
  if (yarn.beta_fast.wide() < yarn.beta_slow.wide())
    refuse("beta_fast", yarn.beta_fast, "at least beta_slow=" + printable(yarn.beta_slow.text()));
  if (base.compare(1) <= 0) refuse("base", base, "a decimal > 1");
  require_original(yarn.original);
  // The pair that turns r times within the trained context.
  const auto pair_of = [&](const ExactDecimal& rotations) {
    return GuardedWide(rotary_dim *
                       log(GuardedWide(yarn.original) / (guarded(rotations) * two_pi())) /
                       (2 * log(guarded(base))));
  };
  GuardedWide low = pair_of(yarn.beta_fast), high = pair_of(yarn.beta_slow);
  if (yarn.truncate) {
    low = floor(low);
    high = ceil(high);
  }
  low = std::max(low, GuardedWide(0));
  high = std::min(high, GuardedWide(rotary_dim - 1));
  if (low == high) high += GuardedWide(1) / 1000;
  return {Wide(low), Wide(high)};
}

RopeFrequencies rope_frequencies(const RopeParameters& rope, std::uint32_t head_dim,
                                 std::uint64_t sequence_length) {
  if (rope.base.compare(1) <= 0) refuse("base", rope.base, "a decimal > 1");
  return std::visit(Scale{rope, head_dim, sequence_length}, rope.scaling);
}

}  // namespace tapalab
