#include "proofs-check/lemma_c.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "proofs-check/evidence.hpp"
#include "sim/random/philox.hpp"

namespace tapalab {

LemmaConstants printed_constants() { return {"4", "2", "1", "2"}; }

LemmaConstants sharper_constants(AngleUnit angle) {
  const bool turns = angle == AngleUnit::turns;
  return {"0.56", turns ? "0.85" : "0.93", turns ? "0.29" : "0.34", "1.1"};
}

namespace {

std::vector<std::uint32_t> dimensions(Effort effort, bool sharper) {
  std::vector<std::uint32_t> dims = {0, 64, 128};
  if (effort != Effort::quick || !sharper) dims.push_back(256);
  if (effort == Effort::full || (effort == Effort::normal && !sharper)) dims.push_back(1024);
  return dims;
}

std::string statement(Lemma lemma, const LemmaConstants& c, bool limit) {
  const std::string eps =
      limit ? "" : fmt::format(" + alpha + {} w l b^-alpha/D for all alpha > 0", c.epsilon);
  switch (lemma) {
    case Lemma::c1_cosine:
      return fmt::format("|C_D(l)| <= {} b/(w l ln b){}", c.cosine, eps);
    case Lemma::c1_sine:
      return fmt::format("|S_D(l)| <= {}/ln b{}", c.sine, eps);
    case Lemma::c2:
      return fmt::format(
          "C_D(l) > (1 - e) cos(w l b^-e)/2 - {}/ln b{} and every e > 0 with w l b^-e < pi/2",
          c.offset,
          limit ? "" : fmt::format(" - alpha - {} w l b^-alpha/D for all alpha > 0", c.epsilon));
  }
  return {};
}

Evidence boxes_row(const LemmaRegion& region, const std::string& form) {
  const LemmaBoxes boxes = certify_lemma(region);
  const bool limit = region.head_dim == 0;
  std::string observed =
      fmt::format("{} boxes certified, {} vacuous", boxes.decided, boxes.vacuous);
  if (boxes.undecided > 0)
    observed += fmt::format("; undecided at b = {:.6g}, l = {:.6g}",
                            std::exp(boxes.first_undecided.log_base_low),
                            std::exp(boxes.first_undecided.log_distance_low));
  return {"ball",
          fmt::format("{}: {}; {}, {}, every real b from 10 to {:g}{} and l >= 1", form,
                      statement(region.lemma, region.constants, limit),
                      limit ? "limit D -> infinity" : fmt::format("D = {}", region.head_dim),
                      to_string(region.angle), region.base_max, limit ? "" : " with D > 4 ln b"),
          "every box holds",
          observed,
          "0 (ball)",
          boxes.holds()};
}

/// A uniform number in (0, 1): component `k` of point `i`.
double uniform(std::uint64_t seed, std::uint32_t i, std::uint32_t k) {
  const PhiloxBlock block = philox(
      {{i, k, 0, 0}}, {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}});
  return (block.word[0] + 0.5) * 0x1p-32;
}

/// Left-hand side taken to the right: positive where the bound holds at this point.
Wide slack(Lemma lemma, const LemmaConstants& c, AngleUnit angle, std::uint32_t head_dim,
           const Wide& log_base, const Wide& distance, double cell) {
  const Wide base = exp(log_base);
  const WideSums sums = rope_sums_wide(angle, head_dim, base, distance);
  const Wide wl = (angle == AngleUnit::turns ? wide_two_pi() : Wide(1)) * distance;
  const Wide a = Wide(c.epsilon) * wl / head_dim;
  const Wide al = a * log_base;
  const Wide eps = al > 1 ? Wide((1 + log(al)) / log_base) : a;
  switch (lemma) {
    case Lemma::c1_cosine:
      return Wide(c.cosine) * base / (wl * log_base) + eps - abs(sums.cosine);
    case Lemma::c1_sine:
      return Wide(c.sine) / log_base + eps - abs(sums.sine);
    case Lemma::c2: {
      const Wide z = wide_pi() / 2 * Wide(cell);
      const Wide main = log(z * base / wl) / log_base * cos(z) / 2;  // 1 - e = ln(z b/(w l))/ln b
      return sums.cosine - (main - Wide(c.offset) / log_base - eps);
    }
  }
  return 0;
}

/// The bound at random points, by arithmetic that shares nothing with the balls.
Evidence points_row(Lemma lemma, const LemmaConstants& constants, AngleUnit angle,
                    const std::string& form, const ClaimContext& context) {
  const std::uint32_t count = context.effort == Effort::quick ? 100 : 400;
  Wide least = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t head_dim = 64u << (i % 3);
    const double log_max = std::min(std::log(1e8), head_dim / 4.0);
    const double log_base =
        std::log(10.0) + (log_max - std::log(10.0)) * uniform(context.seed, i, 0);
    const double log_distance = (log_base + 2) * uniform(context.seed, i, 1);
    double cell = uniform(context.seed, i, 2);
    if (lemma == Lemma::c2) {
      // e > 0 asks for z < w l
      const double wl =
          std::exp(log_distance) * (angle == AngleUnit::turns ? 2 * std::numbers::pi : 1);
      cell *= std::min(1.0, wl / (std::numbers::pi / 2));
    }
    least = std::min(least, slack(lemma, constants, angle, head_dim, Wide(log_base),
                                  exp(Wide(log_distance)), cell));
  }
  return {"wide",
          fmt::format("{}: least slack of {} at {} random (b, D, l), {}", form,
                      statement(lemma, constants, false), count, to_string(angle)),
          "> 0",
          LogNumber(least).decimal(6),
          "1e-30 (rounding)",
          least > Wide("1e-30")};
}

void add_rows(std::vector<Lemma> lemmas, const LemmaOptions& options, const ClaimContext& context,
              std::vector<Evidence>& rows) {
  for (const Lemma lemma : lemmas) {
    for (const std::uint32_t D : dimensions(context.effort, false))
      rows.push_back(boxes_row({lemma, AngleUnit::turns, D, 1e8, options.printed}, "as printed"));
    rows.push_back(points_row(lemma, options.printed, AngleUnit::turns, "as printed", context));
    for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
      const LemmaConstants& sharper =
          angle == AngleUnit::turns ? options.sharper_turns : options.sharper_radians;
      for (const std::uint32_t D : dimensions(context.effort, true))
        rows.push_back(boxes_row({lemma, angle, D, 1e8, sharper}, "sharper"));
      rows.push_back(points_row(lemma, sharper, angle, "sharper", context));
    }
  }
}

}  // namespace

ClaimResult check_lemma_c_1(const ClaimContext& context, const LemmaOptions& options) {
  ClaimResult result;
  add_rows({Lemma::c1_cosine, Lemma::c1_sine}, options, context, result.evidence);
  result.scope =
      "Proved for every real b > 10, D > 4 ln b, l >= 1 and alpha > 0 (docs/theory/lemma-c.md), by "
      "another proof than the printed one, which fails where l/b <= 5/4; certified besides by "
      "branch and bound for b up to 1e8 and all l >= 1. Ci and Si give a first term 7 times "
      "smaller and hold in radians too. For D up to 256 the printed bound on C_D exceeds 1/2 "
      "everywhere and says nothing; the bound on S_D does at the smallest distances.";
  decide(result, Verdict::confirmed, Rigor::proved);
  return result;
}

ClaimResult check_lemma_c_2(const ClaimContext& context, const LemmaOptions& options) {
  ClaimResult result;
  add_rows({Lemma::c2}, options, context, result.evidence);
  result.scope =
      "Proved for every real b > 10, D > 4 ln b, l >= 1, alpha > 0 and e > 0 with l b^-e < 1/4 "
      "(docs/theory/lemma-c.md); certified besides by branch and bound for b up to 1e8 and all l "
      ">= 1. The printed proof's last display lacks the factor 1/2 that the statement has. With Ci "
      "the offset 1/ln b is 0.29/ln b (radians: 0.34/ln b).";
  decide(result, Verdict::confirmed, Rigor::proved);
  return result;
}

}  // namespace tapalab
