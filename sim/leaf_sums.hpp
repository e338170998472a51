// Sums over the samples of one block, about given centres, and the moments that they are. Host and
// device.
#pragma once

#include "sim/moments.hpp"
#include "sim/score.hpp"

namespace tapalab {

/// Near the means of the score, its sine part and its excess: where they are exactly does not
/// matter, only that squares of deviations do not drown the variance.
struct Centres {
  double score = 0, sine = 0, excess = 0;
};

/// Power sums of deviations from the centres, as ScoreMoments names the quantities.
struct LeafSums {
  double x1 = 0, x2 = 0, x3 = 0, x4 = 0;  ///< score
  double y1 = 0, y2 = 0, xy = 0;          ///< sine, and its products with the score
  double e1 = 0, e2 = 0, xe = 0;          ///< excess, likewise

  TAPALAB_HD TAPALAB_INLINE void add_score(double x) {
    const double square = x * x;
    x1 += x;
    x2 = detail::fused(x, x, x2);
    x3 = detail::fused(square, x, x3);
    x4 = detail::fused(square, square, x4);
  }

  /// A sample of this amplitude at an angle.
  TAPALAB_HD TAPALAB_INLINE void add(double amplitude, SinCos<double> wave, const Centres& centre) {
    const double x = detail::fused(amplitude, wave.cos, -centre.score);
    const double y = detail::fused(amplitude, wave.sin, -centre.sine);
    // a^2 cos(2 angle)/2 = a^2/2 (cos - sin)(cos + sin)
    const double half = (0.5 * amplitude) * amplitude;
    const double e =
        detail::fused(half * (wave.cos - wave.sin), wave.cos + wave.sin, -centre.excess);
    add_score(x);
    y1 += y;
    y2 = detail::fused(y, y, y2);
    xy = detail::fused(x, y, xy);
    e1 += e;
    e2 = detail::fused(e, e, e2);
    xe = detail::fused(x, e, xe);
  }

  TAPALAB_HD TAPALAB_INLINE LeafSums& operator+=(const LeafSums& other) {
    x1 += other.x1, x2 += other.x2, x3 += other.x3, x4 += other.x4;
    y1 += other.y1, y2 += other.y2, xy += other.xy;
    e1 += other.e1, e2 += other.e2, xe += other.xe;
    return *this;
  }
};

namespace detail {

TAPALAB_HD inline CompanionMoments companion_of(double sum, double squares, double products,
                                                double centre, double score_shift, double n) {
  const double shift = sum / n;
  const double m2 = squares - shift * sum;
  return {centre + shift, m2 < 0 ? 0 : m2, products - score_shift * sum};
}

}  // namespace detail

/// The moments of `count` samples, count >= 1.
TAPALAB_HD inline ScoreMoments moments_of(const LeafSums& sums, std::uint64_t count,
                                          const Centres& centre) {
  const double n = static_cast<double>(count);
  const double d = sums.x1 / n;  // the mean less the centre
  const double m2 = sums.x2 - d * sums.x1;
  const double m3 = sums.x3 - d * (3 * sums.x2 - 2 * d * sums.x1);
  const double m4 = sums.x4 - d * (4 * sums.x3 - d * (6 * sums.x2 - 3 * d * sums.x1));
  return {{count, centre.score + d, m2 < 0 ? 0 : m2, m3, m4 < 0 ? 0 : m4},
          detail::companion_of(sums.y1, sums.y2, sums.xy, centre.sine, d, n),
          detail::companion_of(sums.e1, sums.e2, sums.xe, centre.excess, d, n)};
}

}  // namespace tapalab
