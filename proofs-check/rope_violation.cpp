#include "proofs-check/rope_violation.hpp"

#include <algorithm>
#include <vector>

#include "proofs-check/rope_reach.hpp"
#include "proofs-check/rope_sums.hpp"
#include "sim/random/philox.hpp"

namespace tapalab {
namespace {

/// Frequencies of the `count` slowest terms in turns per token.
std::vector<Ball> slowest(const RopeSetting& setting, slong count, slong bits) {
  const slong terms = static_cast<slong>(setting.head_dim) / 2;
  const Ball log_base = log(Ball::decimal(setting.base, bits));
  std::vector<Ball> frequencies;
  for (slong d = terms - count; d < terms; ++d) {
    Ball f = exp(-log_base * d / terms);
    if (setting.angle == AngleUnit::radians) f /= Ball::pi(bits) * 2;
    frequencies.push_back(f);
  }
  return frequencies;
}

/// Whole-number order of decimals without sign or leading zeros.
bool is_smaller(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

bool gap_certainly_below(const RopeSetting& setting, std::uint64_t near_distance,
                         const std::string& distance, const std::string& bound) {
  const Ball gap =
      rope_cosine_mean_ball(setting, near_distance) - rope_sums_at(setting, distance, 128).cosine;
  return certainly_less(gap, Ball::decimal(bound, 128));
}

std::optional<std::string> violation_by_reduction(const ViolationSearch& search) {
  const slong terms = static_cast<slong>(search.setting.head_dim) / 2;
  std::uint32_t draw = 0;
  for (long bits = search.first_bits; bits <= search.last_bits; bits += 2) {
    std::optional<std::string> smallest;
    // more phases held loosely, or fewer held tightly
    for (const double bits_per_term : {1.8, 2.2, 2.7, 3.3}) {
      const slong count =
          std::min<slong>(terms, static_cast<slong>(static_cast<double>(bits) / bits_per_term));
      const slong working = 2 * bits + 320;
      const PhaseLattice lattice(slowest(search.setting, count, working), bits);
      for (std::uint32_t trial = 0; trial < search.trials; ++trial) {
        std::vector<Ball> targets;
        for (slong j = 0; j < count; ++j) {
          const PhiloxBlock block =
              philox({{draw++, 22, 0, 0}}, {{static_cast<std::uint32_t>(search.seed), 0x22}});
          const double spread = trial == 0 ? 0 : 0.15;
          targets.push_back(Ball::exactly(spread * ((block.word[0] + 0.5) * 0x1p-31 - 1), working));
        }
        const std::string distance = lattice.reach(targets);
        if (!certainly_less(Ball::decimal(search.setting.base, 128),
                            Ball::decimal(distance, working)))
          continue;
        if (gap_certainly_below(search.setting, search.near_distance, distance, search.bound) &&
            (!smallest || is_smaller(distance, *smallest)))
          smallest = distance;
      }
    }
    if (smallest) return smallest;
  }
  return std::nullopt;
}

}  // namespace tapalab
