#include "proofs-check/rope_region.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "proofs-check/rope_sums.hpp"
#include "proofs-check/theorem_2_2.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

constexpr slong kRopeRegionBits = 96;
/// y = w far/b beyond which |Ci(y)|, |Si(y) - pi/2| <= 1/y are enough.
constexpr double kLast = 400;
constexpr double kStep = 1.02;

/// x +- error
Ball widened(Ball x, const Ball& error) {
  arb_add_error(x.get(), error.get());
  return x;
}

}  // namespace

RatioLimit ratio_limit(const std::string& base, AngleUnit angle, const std::string& bound) {
  const std::vector<std::uint64_t> near = near_distances(base);
  if (near.empty()) throw InputError("base " + base + ": accepted are bases above 65536");
  const Ball b = Ball::decimal(base, kRopeRegionBits), w = angular_unit(angle, kRopeRegionBits);
  const Ball log_base = log(b);
  // 2 L bound; what Ci(w far) and Si(w far) - pi/2 may add for far > b
  const Ball wanted = log_base * 2 * Ball::decimal(bound, kRopeRegionBits);
  const Ball rest = Ball(1, kRopeRegionBits) / (w * b);
  const Ball half_pi = Ball::pi(kRopeRegionBits) / 2;
  std::optional<Ball> holds, fails;
  const auto take = [](std::optional<Ball>& least, const Ball& value) {
    if (!least || !certainly_at_most(*least, value)) least = value;
  };
  const double first = angle == AngleUnit::turns ? 6.28 : 1.0;
  for (const std::uint64_t d : near) {
    const Ball x = w * Ball::distance(d, kRopeRegionBits);
    const Ball cosine = widened(cosine_integral(x) - cosine_integral(x / b), rest) - wanted;
    const Ball sine = widened(sine_integral(x) - sine_integral(x / b) - half_pi, rest);
    const auto ratio = [&](const Ball& ci, const Ball& si) {
      Ball greatest(0, kRopeRegionBits), least(0, kRopeRegionBits);
      const Ball quotient_top = cosine + ci, quotient_bottom = abs(sine + si);
      arb_get_lbound_arf(arb_midref(least.get()), quotient_top.get(), kRopeRegionBits);
      arb_get_ubound_arf(arb_midref(greatest.get()), quotient_bottom.get(), kRopeRegionBits);
      return least / greatest;
    };
    for (double y = first; y < kLast; y *= kStep) {
      const Ball cell = between(y, y * kStep * (1 + 1e-12), kRopeRegionBits);
      take(holds, ratio(cosine_integral_range(cell), sine_integral_range(cell)));
      const Ball point = Ball::exactly(y * std::sqrt(kStep), kRopeRegionBits);
      take(fails, (cosine + cosine_integral(point)) / abs(sine + sine_integral(point)));
    }
    const Ball far = Ball(1, kRopeRegionBits) / Ball::exactly(kLast, kRopeRegionBits);
    take(holds, ratio(widened(Ball(0, kRopeRegionBits), far), widened(half_pi, far)));
  }
  return {*holds, *fails};
}

}  // namespace tapalab
