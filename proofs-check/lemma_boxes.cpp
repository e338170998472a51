// Branch and bound over boxes of (ln b, ln l).
//
// Each right-hand side is monotonic in b, l and so has its least (greatest) value over a box at a
// corner; the sums are enclosed over the whole box. Boxes in which a bound says less than
// |C_D|, |S_D| <= 1/2 hold without a look at the sums.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "proofs-check/lemma_c.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

constexpr slong kLemmaBoxesBits = 64;
/// Boxes are not divided below this width of ln b and ln l.
constexpr double kSmallest = 0x1p-12;
/// Just below ln 10: the hypothesis is b > 10.
constexpr double kLogTen = 2.302585;
/// w l/b beyond which |Ci(x)| <= 1/x takes over from boxes, in the limit D -> infinity.
constexpr double kFarArgument = 5;
/// Cells of z = w l b^-e in (0, pi/2) over which the right-hand side of C.2 is maximised.
constexpr int kCells = 64;

struct Bounds {
  const LemmaRegion& region;
  Ball cosine, sine, offset, epsilon, w, half;
  /// Per cell of z: ln of its upper end, and the cosine of its lower end.
  std::vector<std::pair<Ball, Ball>> cells;

  explicit Bounds(const LemmaRegion& r)
      : region(r),
        cosine(Ball::decimal(r.constants.cosine, kLemmaBoxesBits)),
        sine(Ball::decimal(r.constants.sine, kLemmaBoxesBits)),
        offset(Ball::decimal(r.constants.offset, kLemmaBoxesBits)),
        epsilon(Ball::decimal(r.constants.epsilon, kLemmaBoxesBits)),
        w(angular_unit(r.angle, kLemmaBoxesBits)),
        half(Ball(1, kLemmaBoxesBits) / 2) {
    const Ball quarter = Ball::pi(kLemmaBoxesBits) / 2;
    for (int k = 0; k < kCells; ++k)
      cells.emplace_back(log(quarter * (k + 1) / kCells),
                         cos_turns(Ball(k, kLemmaBoxesBits) / (4 * kCells)));
  }

  /// inf over alpha of eps: falls with b, grows with l, so least at (greatest b, least l).
  Ball least_eps(const RopeBox& box) const {
    if (region.head_dim == 0) return Ball(0, kLemmaBoxesBits);
    const Ball distance = exp(Ball::exactly(box.log_distance_low, kLemmaBoxesBits));
    return least_epsilon(epsilon * w * distance / static_cast<slong>(region.head_dim),
                         Ball::exactly(box.log_base_high, kLemmaBoxesBits));
  }

  /// The right-hand side of C.1 times L: b/l grows with b and falls with l.
  Ball least_first_term(const RopeBox& box) const {
    if (region.lemma == Lemma::c1_sine) return sine;
    return cosine *
           exp(Ball::exactly(box.log_base_low, kLemmaBoxesBits) -
               Ball::exactly(box.log_distance_high, kLemmaBoxesBits)) /
           w;
  }

  /// max over z of ln(z b/(w l)) cos z, at least: 1/2 (1 - e) cos(w l b^-e) is 1/(2 L) of it.
  Ball greatest_main_term(const RopeBox& box) const {
    const Ball shift = Ball::exactly(box.log_base_high, kLemmaBoxesBits) -
                       Ball::exactly(box.log_distance_low, kLemmaBoxesBits) - log(w);
    Ball greatest(0, kLemmaBoxesBits);
    for (const auto& [log_high, cosine_low] : cells) {
      const Ball value = (log_high + shift) * cosine_low;
      if (!certainly_at_most(value, greatest)) greatest = hull(greatest, value);
    }
    return greatest;
  }

  bool is_vacuous(const RopeBox& box) const {
    if (region.head_dim == 0) return false;
    const Ball L = Ball::exactly(box.log_base_high, kLemmaBoxesBits);
    if (region.lemma == Lemma::c2) {
      const Ball right = greatest_main_term(box) / 2 / L - offset / L - least_eps(box);
      return certainly_less(right, -half);
    }
    // b/ln b grows for ln b > 1
    const Ball log_low = Ball::exactly(box.log_base_low, kLemmaBoxesBits);
    const Ball first = least_first_term(box) / (region.lemma == Lemma::c1_sine ? L : log_low);
    return certainly_at_most(half, first + least_eps(box));
  }

  bool holds_by_sums(const RopeBox& box) const {
    const Ball log_base = between(box.log_base_low, box.log_base_high, kLemmaBoxesBits);
    const Ball log_distance = between(box.log_distance_low, box.log_distance_high, kLemmaBoxesBits);
    const Ball L_high = Ball::exactly(box.log_base_high, kLemmaBoxesBits);
    if (region.head_dim == 0) return limit_holds(box, log_base, log_distance);
    const RopeSums sums = rope_sums(region.angle, region.head_dim, log_base, log_distance);
    if (region.lemma == Lemma::c2) {
      const Ball right = greatest_main_term(box) / 2 / L_high - offset / L_high - least_eps(box);
      return certainly_less(right, sums.cosine);
    }
    const bool of_sine = region.lemma == Lemma::c1_sine;
    const Ball L = of_sine ? L_high : Ball::exactly(box.log_base_low, kLemmaBoxesBits);
    return certainly_at_most(abs(of_sine ? sums.sine : sums.cosine),
                             least_first_term(box) / L + least_eps(box));
  }

  /// Both sides times 2 L, which they share.
  bool limit_holds(const RopeBox& box, const Ball& log_base, const Ball& log_distance) const {
    const double argument =
        box.log_distance_low - box.log_base_high +
        (region.angle == AngleUnit::turns ? std::log(2 * std::numbers::pi) : 0.0);
    if (region.lemma == Lemma::c1_cosine && argument > std::log(kFarArgument)) {
      // |Ci(w l)| + |Ci(w l/b)| <= (1 + 1/b) b/(w l)
      const Ball factor = exp(-Ball::exactly(box.log_base_low, kLemmaBoxesBits)) + 1;
      return certainly_at_most(factor, cosine * 2);
    }
    const RopeSums limit = rope_limit_numerators(region.angle, log_base, log_distance);
    switch (region.lemma) {
      case Lemma::c1_cosine:
        return certainly_at_most(abs(limit.cosine), least_first_term(box) * 2);
      case Lemma::c1_sine:
        return certainly_at_most(abs(limit.sine), sine * 2);
      case Lemma::c2:
        return certainly_less(greatest_main_term(box) - offset * 2, limit.cosine);
    }
    return false;
  }
};

/// ln l beyond which no box is needed: eps alone makes the bound vacuous for every b of the region
/// (at least 1/2; at least 1 for C.2, whose main term is at most 1/2), or, in the limit, w l/b is
/// at least kFarArgument.
double last_log_distance(const LemmaRegion& region, double log_base_max) {
  const double log_w = region.angle == AngleUnit::turns ? std::log(2 * std::numbers::pi) : 0;
  const double spare = 0.1;
  if (region.head_dim == 0) return log_base_max + std::log(kFarArgument) - log_w + spare;
  const double eps = region.lemma == Lemma::c2 ? 1 : 0.5;
  return eps * log_base_max - 1 +
         std::log(region.head_dim / (std::stod(region.constants.epsilon) * log_base_max)) - log_w +
         spare;
}

/// Whether distances l >= e^log_distance_low are covered without boxes.
bool tail_holds(const Bounds& bounds, const RopeBox& beyond) {
  const Lemma lemma = bounds.region.lemma;
  if (bounds.region.head_dim > 0)
    return certainly_at_most(lemma == Lemma::c2 ? Ball(1, kLemmaBoxesBits) : bounds.half,
                             bounds.least_eps(beyond));
  // |Ci(x)| <= 1/x, |Si(x) - pi/2| <= 1/x at x = w l/b and w l; the main term of C.2 is 0
  const Ball rest =
      Ball::exactly(2 / kFarArgument, kLemmaBoxesBits) + Ball::decimal("1e-15", kLemmaBoxesBits);
  if (lemma == Lemma::c1_sine) return certainly_at_most(rest, bounds.sine * 2);
  if (lemma == Lemma::c2) return certainly_less(rest, bounds.offset * 2);
  return bounds.limit_holds(beyond,
                            between(beyond.log_base_low, beyond.log_base_high, kLemmaBoxesBits),
                            Ball::exactly(beyond.log_distance_low, kLemmaBoxesBits));
}

}  // namespace

Ball least_epsilon(const Ball& a, const Ball& log_base) {
  const Ball product = a * log_base;
  const Ball one(1, a.bits());
  if (certainly_at_most(product, one)) return a;
  const Ball interior = (log(product) + 1) / log_base;
  return certainly_less(one, product) ? interior : hull(a, interior);
}

LemmaBoxes certify_lemma(const LemmaRegion& region) {
  LemmaBoxes report;
  const Bounds bounds(region);
  double log_base_max = std::log(region.base_max);
  // the hypothesis D > 4 ln b
  if (region.head_dim > 0) log_base_max = std::min(log_base_max, region.head_dim / 4.0);
  const double last = std::max(1.0, last_log_distance(region, log_base_max));
  std::vector<RopeBox> open = {{kLogTen, log_base_max, 0, last}};
  report.tail = tail_holds(bounds, {kLogTen, log_base_max, last, last});
  while (!open.empty() && report.undecided == 0) {
    throw_if_interrupted();
    const RopeBox box = open.back();
    open.pop_back();
    if (bounds.is_vacuous(box)) {
      ++report.vacuous;
      continue;
    }
    const double base_width = box.log_base_high - box.log_base_low;
    const double distance_width = box.log_distance_high - box.log_distance_low;
    // wide boxes enclose nothing: do not even try
    if (std::max(base_width, distance_width) < 0.5 && bounds.holds_by_sums(box)) {
      ++report.decided;
      continue;
    }
    if (std::max(base_width, distance_width) < kSmallest) {
      ++report.undecided;
      report.first_undecided = box;
      continue;
    }
    RopeBox low = box, high = box;
    if (base_width > distance_width)
      low.log_base_high = high.log_base_low = (box.log_base_low + box.log_base_high) / 2;
    else
      low.log_distance_high = high.log_distance_low =
          (box.log_distance_low + box.log_distance_high) / 2;
    open.push_back(high);
    open.push_back(low);
  }
  return report;
}

}  // namespace tapalab
