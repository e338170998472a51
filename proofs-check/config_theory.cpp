#include "proofs-check/config_theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proofs-check/rope_gap.hpp"
#include "proofs-check/rope_independence.hpp"
#include "proofs-check/theorem_2_2.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

// The base of the frequencies, up to rational multiples of them, as parse_radical_base reads it;
// or why there is none.
struct BaseText {
  std::string base;
  std::string undecided;
};

// base factor^(d/(d-2))
std::string stretched(const std::string& base, const std::string& factor, std::uint32_t dim) {
  return fmt::format("{}*{}^({}/{})", base, factor, dim, dim - 2);
}

struct FindBase {
  const RopeReport& report;
  std::string base;
  std::uint32_t dim;

  BaseText operator()(const NtkScaling& ntk) const {
    if (ntk.factor.compare(1) == 0) return {base, ""};
    if (dim == 2) return {"", "one frequency alone"};
    return {stretched(base, ntk.factor.text(), dim), ""};
  }
  BaseText operator()(const DynamicScaling& dynamic) const {
    const std::uint64_t length = std::max(report.sequence_length, dynamic.original);
    if (length == dynamic.original || dynamic.factor.compare(1) == 0) return {base, ""};
    // factor L/original - (factor - 1), where it is a whole number
    if (length % dynamic.original == 0 && dim > 2) {
      const Wide inner = dynamic.factor.wide() * Wide(length / dynamic.original - 1) + 1;
      if (inner == floor(inner) && inner < Wide(9e17)) {
        const auto whole = static_cast<std::uint64_t>(inner);
        return {stretched(base, std::to_string(whole), dim), ""};
      }
    }
    return {"", "the base moves with the length by a factor that is no whole number"};
  }
  BaseText operator()(const YarnScaling& yarn) const {
    const bool blended = std::count(report.frequencies.pairs.begin(),
                                    report.frequencies.pairs.end(), PairScaling::blended) > 0;
    if (!yarn.truncate && blended) return {"", "the ends of the ramp are no rationals"};
    return {base, ""};
  }
  BaseText operator()(const Llama3Scaling&) const {
    const bool blended = std::count(report.frequencies.pairs.begin(),
                                    report.frequencies.pairs.end(), PairScaling::blended) > 0;
    if (blended) return {"", "blended pairs carry their frequency squared, over pi"};
    return {base, ""};
  }
  template <class Scaling>
  BaseText operator()(const Scaling&) const {
    return {base, ""};
  }
};

bool proportional(const RopeReport& report) {
  return std::holds_alternative<ProportionalScaling>(report.model.rope.scaling);
}

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace

IndependenceReport rope_independence(const RopeReport& report) {
  IndependenceReport result;
  const auto& radians = report.frequencies.radians;
  result.frequencies = static_cast<std::uint64_t>(
      std::count_if(radians.begin(), radians.end(), [](const Wide& f) { return f != 0; }));
  const std::uint32_t dim =
      proportional(report) ? report.model.head_dim : report.frequencies.rotary_dim;
  const BaseText base =
      std::visit(FindBase{report, report.model.rope.base.text(), dim}, report.model.rope.scaling);
  if (!base.undecided.empty()) {
    result.undecided = base.undecided;
    return result;
  }
  try {
    const std::uint64_t rank = independent_rank(parse_radical_base(base.base), dim / 2);
    result.rank = std::min(rank, result.frequencies);
  } catch (const InputError&) {
    result.undecided = "its base is none whose prime factors are found here";
  }
  return result;
}

GapReport rope_gap_report(const RopeReport& report) {
  GapReport result;
  const RopeSetting setting{report.model.rope.base.text(), report.frequencies.rotary_dim,
                            AngleUnit::radians};
  const Wide base = report.model.rope.base.wide();
  if (base >= Wide(1e15)) {
    result.undecided = "the base is 1e15 or more";
    return result;
  }
  if (setting.head_dim < 4) {
    result.undecided = "one pair alone";
    return result;
  }
  const auto near = weakest_near_distance(setting);
  if (!near) {
    result.undecided = "no integer in (1, base^(1/4)/8)";
    return result;
  }
  result.near = near;
  result.far = static_cast<std::uint64_t>(Wide(floor(base))) + 1;
  const auto difference = [&](auto value) {
    return static_cast<double>(
        (value(setting, *result.near, 128) - value(setting, *result.far, 128)).midpoint_wide());
  };
  result.gap = difference(rope_cosine_mean_ball);
  result.limit = difference(rope_cosine_limit);
  return result;
}

nlohmann::ordered_json theory_json(const RopeReport& report) {
  const IndependenceReport independence = rope_independence(report);
  const GapReport gap = rope_gap_report(report);
  using Json = nlohmann::ordered_json;
  return {{"rational_independence",
           {{"frequencies", independence.frequencies},
            {"rank", or_null(independence.rank)},
            {"independent", independence.rank ? Json(independence.independent()) : Json(nullptr)},
            {"undecided", or_null(independence.undecided)}}},
          {"near_far_gap",
           {{"near", or_null(gap.near)},
            {"far", or_null(gap.far)},
            {"gap", or_null(gap.gap)},
            {"limit", or_null(gap.limit)},
            {"bound", 0.125},
            {"undecided", or_null(gap.undecided)}}}};
}

std::string theory_text(const RopeReport& report) {
  const IndependenceReport independence = rope_independence(report);
  const GapReport gap = rope_gap_report(report);
  std::string text = "theorem 2.1: ";
  if (!independence.rank) {
    text += fmt::format("independence of the frequencies is not decided ({})\n",
                        independence.undecided);
  } else if (independence.independent()) {
    text += fmt::format("the {} frequencies are independent over the rationals\n",
                        independence.frequencies);
  } else {
    text += fmt::format(
        "of the {} frequencies {} are independent over the rationals: its hypothesis fails\n",
        independence.frequencies, *independence.rank);
  }
  if (!gap.gap) return text + fmt::format("theorem 2.2: says nothing here: {}\n", gap.undecided);
  return text +
         fmt::format(
             "theorem 2.2: gap of plain RoPE at this base and dimension, not stretched, between "
             "distances {} and {}: {:.6g} |mu_0|, claimed above 0.125; {:.6g} as the dimension "
             "grows\n",
             *gap.near, *gap.far, *gap.gap, *gap.limit);
}

}  // namespace tapalab
