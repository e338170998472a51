// One draw of each law of sim/marginal.hpp from random words: by its inverse distribution function
// or a transform of known law, over the functions of sim/elementary.hpp, so that a draw is the same
// bits everywhere, host and device. Rejection only for bump.
//
// u = (word0 2^32 + word1 + 1/2) 2^-64 rounded to double, in [2^-65, 1]; v the same of words 2 and
// 3; the sign is the lowest bit of word 2 where v is not used.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/exponential.hpp"
#include "sim/random/normal.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {

/// The words of one coordinate of one sample: block 0 or 1 of a try; only bump tries again. Laws
/// take any type with such a `block`.
struct CoordinateWords {
  std::uint64_t sample;
  std::uint32_t coordinate;
  PhiloxKey key;

  TAPALAB_HD TAPALAB_INLINE PhiloxBlock block(std::uint32_t number, std::uint32_t retry = 0) const {
    return philox(
        stream_counter(sample, 2 * coordinate + number, stream_tag(Stream::product, retry)), key);
  }
};

namespace detail {

TAPALAB_HD TAPALAB_INLINE double unit_value(std::uint32_t high, std::uint32_t low) {
  return (word_value(high) * 4294967296.0 + (word_value(low) + 0.5)) * 5.421010862427522e-20;
}
TAPALAB_HD TAPALAB_INLINE double unit_first(PhiloxBlock b) {
  return unit_value(b.word[0], b.word[1]);
}
TAPALAB_HD TAPALAB_INLINE double unit_second(PhiloxBlock b) {
  return unit_value(b.word[2], b.word[3]);
}
// size with the sign of the word's lowest bit
TAPALAB_HD TAPALAB_INLINE double signed_value(double size, std::uint32_t word) {
  return from_bits(bits_of(size) | std::uint64_t{word & 1u} << 63);
}

}  // namespace detail

struct DrawGaussian {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    return normal_pair(w.block(0)).first;
  }
};

/// P(|X| > x) = (4/pi) atan(e^(-pi x/2)) = u
struct DrawSech {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    const PhiloxBlock b = w.block(0);
    const SinCos<double> angle = sincos_2pi(0.125 * detail::unit_first(b));
    const double size = -0.6366197723675814 * natural_log(angle.sin / angle.cos);
    return detail::signed_value(size < 0 ? 0.0 : size, b.word[2]);
  }
};

/// P(|X| > x) = 2/(1 + e^(pi x/sqrt 3)) = u
struct DrawLogistic {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    const PhiloxBlock b = w.block(0);
    const double u = detail::unit_first(b);
    const double size = 0.5513288954217921 * (natural_log(2.0 - u) - natural_log(u));
    return detail::signed_value(size, b.word[2]);
  }
};

/// P(|X| > x) = e^(-sqrt(2) x) = u
struct DrawLaplace {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    const PhiloxBlock b = w.block(0);
    const double size = -0.7071067811865476 * natural_log(detail::unit_first(b));
    return detail::signed_value(size < 0 ? -size : size, b.word[2]);
  }
};

struct DrawUniform {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    return 1.7320508075688772 * detail::fused(2.0, detail::unit_first(w.block(0)), -1.0);
  }
};

struct DrawRademacher {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    return detail::signed_value(1.0, w.block(0).word[2]);
  }
};

/// The square of a standard normal N is 2 Gamma(1/2): |Z| = N^2/2, X = 2 Z/sqrt(3).
struct DrawSingular {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    const NormalPair n = normal_pair(w.block(0));
    const double size = 0.5773502691896258 * (n.first * n.first);
    return n.second < 0 ? -size : size;
  }
};

/// |Z| is chi with three degrees of freedom: Z^2 = -2 ln u + N^2, X = Z/sqrt(3).
struct DrawHermite2 {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    const PhiloxBlock b = w.block(0);
    const double n = normal_pair(w.block(1)).first;
    const double square = detail::fused(n, n, -2.0 * natural_log(detail::unit_first(b)));
    return detail::signed_value(0.5773502691896258 * std::sqrt(square), b.word[2]);
  }
};

/// sqrt(nu (u^(-2/nu) - 1)) cos(2 pi v) has Student's t law (Bailey, Math. Comp. 62 (1994)).
struct DrawStudentT {
  double exponent;  ///< 2/nu
  double scale;     ///< nu - 2

  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    const PhiloxBlock b = w.block(0);
    const double ratio = exp_minus_one(-exponent * natural_log(detail::unit_first(b)));
    return std::sqrt(scale * ratio) * cos_2pi(detail::unit_second(b));
  }
};

/// z uniform on (-1, 1), kept with probability e^(1 - 1/(1 - z^2)): 0.603 on average. After 2^16
/// refusals in a row (probability 1e-26292) the center is taken.
struct DrawBump {
  template <class Words>
  TAPALAB_HD TAPALAB_INLINE double operator()(const Words& w) const {
    for (std::uint32_t retry = 0; retry < 65536; ++retry) {
      const PhiloxBlock b = w.block(0, retry);
      const double z = detail::fused(2.0, detail::unit_first(b), -1.0);
      const double rest = detail::fused(-z, z, 1.0);
      if (!(rest > 0)) continue;
      if (natural_log(detail::unit_second(b)) <= 1.0 - 1.0 / rest) return 2.514868821655911 * z;
    }
    return 0;
  }
};

}  // namespace tapalab
