// Theorem 2.2 over (b, D, nu_0/mu_0): docs/theory/theorem-2.2.md.
#include <cmath>
#include <numbers>

#include "proofs-check/evidence.hpp"
#include "proofs-check/rope_reach.hpp"
#include "proofs-check/rope_sums.hpp"
#include "proofs-check/theorem_2_2.hpp"

namespace tapalab {
namespace {

constexpr slong kTheorem22RegionBits = 256;

/// Phases of the near distance, in turns.
std::vector<Ball> phases(const RopeSetting& setting, std::uint64_t distance, slong bits,
                         std::vector<Ball>& frequencies) {
  const slong terms = static_cast<slong>(setting.head_dim) / 2;
  const Ball log_base = log(Ball::decimal(setting.base, bits));
  std::vector<Ball> turns;
  for (slong d = 0; d < terms; ++d) {
    Ball f = exp(-log_base * d / terms);
    if (setting.angle == AngleUnit::radians) f /= Ball::pi(bits) * 2;
    frequencies.push_back(f);
    turns.push_back(f * Ball::distance(distance, bits));
  }
  return turns;
}

/// C_D by doubles, for D in the millions.
double plain_cosine_mean(double base, std::uint64_t head_dim, AngleUnit angle, double distance) {
  double sum = 0;
  for (std::uint64_t d = 0; d < head_dim / 2; ++d) {
    double turns = distance * std::exp(-std::log(base) * 2 * static_cast<double>(d) /
                                       static_cast<double>(head_dim));
    if (angle == AngleUnit::radians) turns /= 2 * std::numbers::pi;
    sum += std::cos(2 * std::numbers::pi * (turns - std::floor(turns)));
  }
  return sum / static_cast<double>(head_dim);
}

}  // namespace

std::optional<std::uint64_t> sufficient_head_dim(const std::string& base, AngleUnit angle,
                                                 std::uint64_t farthest, const std::string& ratio) {
  const std::vector<std::uint64_t> near = near_distances(base);
  if (near.empty()) return std::nullopt;
  const Ball k = Ball::decimal(ratio, kTheorem22RegionBits), one(1, kTheorem22RegionBits);
  const bool turns = angle == AngleUnit::turns;
  const Ball lost = k * Ball::decimal("1.853", kTheorem22RegionBits) +
                    Ball::decimal(turns ? "0.216" : "0", kTheorem22RegionBits);
  const Ball margin = one / 4 - lost / log(Ball::decimal(base, kTheorem22RegionBits));
  if (!margin.certainly_positive()) return std::nullopt;
  const Ball variation =
      Ball::distance(near.back() + farthest, kTheorem22RegionBits) * (turns ? 4 : 1);
  const Ball least = variation * (one + k) / margin;
  if (!certainly_less(least, Ball::distance(std::uint64_t{1} << 62, kTheorem22RegionBits)))
    return std::nullopt;
  const auto above = static_cast<std::uint64_t>(least.midpoint_wide()) + 2;
  return above + above % 2;
}

void check_every_ratio(std::vector<Evidence>& rows) {
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
    const RopeSetting setting{"500000", 64, angle};
    const std::uint64_t near = 2;
    const long bits = 12 * 32;
    std::vector<Ball> frequencies;
    const std::vector<Ball> targets = phases(setting, near, 2 * bits + 320, frequencies);
    const std::string far = reach_phases(frequencies, targets, bits);
    const RopeSums at_near = rope_sums_at(setting, std::to_string(near), kTheorem22RegionBits);
    const RopeSums at_far = rope_sums_at(setting, far, kTheorem22RegionBits);
    // mu_0 = 1, any |nu_0| <= 10, of either sign
    const Ball gap = abs(at_near.cosine - at_far.cosine) + abs(at_near.sine - at_far.sine) * 10;
    Evidence row = ball_less(
        "largest gap for |nu_0/mu_0| <= 10, " + describe(setting) + ", distances 2 and " + far, gap,
        Ball::decimal("0.125", kTheorem22RegionBits), "0.125");
    row.holds = row.holds && certainly_less(Ball::decimal(setting.base, kTheorem22RegionBits),
                                            Ball::decimal(far, 2 * bits));
    rows.push_back(row);
  }
}

void check_sufficient_head_dim(std::vector<Evidence>& rows) {
  for (const std::string base : {"500000", "100000000"})
    for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
      for (const std::string ratio : {"0", "1"}) {
        const std::uint64_t farthest = 10 * std::stoull(base);
        const auto D = sufficient_head_dim(base, angle, farthest, ratio);
        rows.push_back({"ball",
                        "D from which the gap is proved above |mu_0|/8 for all far in (b, 10 b], "
                        "b = " +
                            base + ", " + to_string(angle) + ", |nu_0/mu_0| <= " + ratio,
                        "> 10 b: far above 256", D ? std::to_string(*D) : "none", "0 (exact)",
                        D && *D > farthest});
      }
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
    RopeSetting setting{"70000", 0, angle};
    const std::uint64_t near = near_distances(setting.base).back(), far = 70001;
    setting.head_dim =
        static_cast<std::uint32_t>(sufficient_head_dim(setting.base, angle, far, "0").value());
    const double gap =
        plain_cosine_mean(70000, setting.head_dim, angle, static_cast<double>(near)) -
        plain_cosine_mean(70000, setting.head_dim, angle, static_cast<double>(far));
    const Ball limit = rope_cosine_limit(setting, near, kTheorem22RegionBits) -
                       rope_cosine_limit(setting, far, kTheorem22RegionBits);
    // each sum within V/D of its limit
    const Ball slack = Ball::distance(near + far, kTheorem22RegionBits) *
                       (angle == AngleUnit::turns ? 4 : 1) / static_cast<slong>(setting.head_dim);
    rows.push_back(
        {"double", "gap, " + describe(setting) + ", distances 2 and 70001: the D of the formula",
         "> 0.125, within " + slack.midpoint(3) + " of its limit " + limit.midpoint(6),
         short_decimal(Ball::exactly(gap, kTheorem22RegionBits), 8), "1e-9 (rounding)",
         gap > 0.125 + 1e-9 &&
             certainly_less(abs(Ball::exactly(gap, kTheorem22RegionBits) - limit), slack)});
  }
}

}  // namespace tapalab
