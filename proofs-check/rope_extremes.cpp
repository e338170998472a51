// Branch and bound in one variable.
#include "proofs-check/rope_extremes.hpp"

#include <algorithm>
#include <map>
#include <queue>

#include "proofs-check/rope_sums.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

constexpr slong kRopeExtremesBits = 96;

Ball cosine_sum(const std::vector<std::uint64_t>& coefficients, const Ball& u,
                const Ball& psi_turns) {
  Ball sum(0, kRopeExtremesBits);
  for (const std::uint64_t c : coefficients) {
    Ball term = cos_turns(u * Ball::distance(c, kRopeExtremesBits) - psi_turns);
    if (mag_cmp_2exp_si(arb_radref(term.get()), 0) >= 0) arb_zero_pm_one(term.get());
    sum += term;
  }
  return sum;
}

double low(const Ball& x) {
  Ball least(0, 53);
  arb_get_lbound_arf(arb_midref(least.get()), x.get(), 53);
  return arf_get_d(arb_midref(least.get()), ARF_RND_FLOOR);
}
double high(const Ball& x) {
  Ball most(0, 53);
  arb_get_ubound_arf(arb_midref(most.get()), x.get(), 53);
  return arf_get_d(arb_midref(most.get()), ARF_RND_CEIL);
}

/// A closed interval of the search, least lower bound first.
template <class Place>
struct Piece {
  double bound;
  Place first, last;
  friend bool operator<(const Piece& a, const Piece& b) { return a.bound > b.bound; }
};

}  // namespace

LeastSum least_cosine_sum(const std::vector<std::uint64_t>& coefficients, const Ball& psi_turns,
                          double tolerance) {
  const auto at = [&](double u) {
    return cosine_sum(coefficients, Ball::exactly(u, kRopeExtremesBits), psi_turns);
  };
  double best_place = 0.5;
  double best = high(at(best_place));
  std::priority_queue<Piece<double>> open;
  open.push({-static_cast<double>(coefficients.size()), 0, 1});
  while (open.top().bound < best - tolerance) {
    throw_if_interrupted();
    const Piece<double> piece = open.top();
    open.pop();
    const double middle = (piece.first + piece.last) / 2;  // exact: dyadic
    const double value = high(at(middle));
    if (value < best) {
      best = value;
      best_place = middle;
    }
    for (const auto& [a, b] : {std::pair{piece.first, middle}, std::pair{middle, piece.last}}) {
      const double bound =
          low(cosine_sum(coefficients, between(a, b, kRopeExtremesBits), psi_turns));
      if (bound < best) open.push({std::max(bound, piece.bound), a, b});
    }
    if (open.empty()) return {Ball::exactly(best, kRopeExtremesBits), best_place};
  }
  return {between(open.top().bound, best, kRopeExtremesBits), best_place};
}

LeastSum least_cosine_sum_on_grid(const std::vector<std::uint64_t>& coefficients,
                                  std::uint64_t grid, const Ball& psi_turns) {
  const Ball n = Ball::distance(grid, kRopeExtremesBits);
  const auto at = [&](std::uint64_t k) {
    return cosine_sum(coefficients, Ball::distance(k, kRopeExtremesBits) / n, psi_turns);
  };
  std::uint64_t best_place = grid / 2;
  Ball best = at(best_place);
  std::priority_queue<Piece<std::uint64_t>> open;
  open.push({-static_cast<double>(coefficients.size()), 0, grid - 1});
  while (!open.empty() && open.top().bound < high(best)) {
    throw_if_interrupted();
    const Piece<std::uint64_t> piece = open.top();
    open.pop();
    const std::uint64_t middle = piece.first + (piece.last - piece.first) / 2;
    const Ball value = at(middle);
    if (certainly_less(value, best)) {
      best = value;
      best_place = middle;
    } else if (!certainly_less(best, value) && middle != best_place) {
      // a tie within the balls (mirror images): either is the least
      best = hull(best, value);
    }
    const auto push = [&](std::uint64_t a, std::uint64_t b) {
      const Ball range = cosine_sum(
          coefficients,
          hull(Ball::distance(a, kRopeExtremesBits), Ball::distance(b, kRopeExtremesBits)) / n,
          psi_turns);
      if (low(range) < high(best)) open.push({low(range), a, b});
    };
    if (middle > piece.first) push(piece.first, middle - 1);
    if (middle < piece.last) push(middle + 1, piece.last);
  }
  return {best, static_cast<double>(best_place)};
}

MeanRange rope_mean_range(const RopeSetting& setting, const RadicalBase& base,
                          const Ball& psi_turns, double tolerance) {
  const std::uint64_t terms = setting.head_dim / 2;
  const std::uint64_t rank = std::min(independent_rank(base, terms), terms);
  const FrequencyRatio ratio = rank < terms ? frequency_ratio(base, terms) : FrequencyRatio{1, 1};
  const auto coefficients = [&](std::uint64_t first) {
    // chain first, first + rank, ...: fast^(m-1), fast^(m-2) slow, ..., slow^(m-1)
    const std::uint64_t length = (terms - first + rank - 1) / rank;
    std::vector<std::uint64_t> c(length, 1);
    for (std::uint64_t k = 0; k < length; ++k)
      for (std::uint64_t i = 0; i + 1 < length; ++i) c[k] *= i < k ? ratio.slow : ratio.fast;
    return c;
  };
  const auto least_total = [&](const Ball& psi) {
    Ball total(0, kRopeExtremesBits);
    std::map<std::size_t, Ball> by_length;
    for (std::uint64_t d = 0; d < rank; ++d) {
      const std::vector<std::uint64_t> c = coefficients(d);
      if (d == 0 && setting.angle == AngleUnit::turns) {
        // whole turns: distances modulo fast^(m-1) are all that counts
        total += least_cosine_sum_on_grid(c, c.front(), psi).value;
        continue;
      }
      const auto known = by_length.find(c.size());
      if (known != by_length.end()) {
        total += known->second;
        continue;
      }
      const Ball least = least_cosine_sum(c, psi, tolerance).value;
      by_length.emplace(c.size(), least);
      total += least;
    }
    return total * 2 / static_cast<slong>(setting.head_dim);
  };
  const Ball half_turn = Ball(1, kRopeExtremesBits) / 2;
  return {least_total(psi_turns), -least_total(psi_turns + half_turn)};
}

}  // namespace tapalab
