// The random scale of a sample of a radial density. Host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/random/normal.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {

/// A variate of the Gamma law of this shape, 1/2 or at least 1, from the stream `scale` (Marsaglia
/// and Tsang, ACM TOMS 26 (2000)): after 2^16 refusals in a row, below 1e-80000 likely, the mode.
TAPALAB_HD inline double gamma_variate(double shape, std::uint64_t sample, PhiloxKey key) {
  if (shape < 1) {  // half the square of a normal
    const double z =
        normal_pair(philox(stream_counter(sample, 0, stream_tag(Stream::scale)), key)).first;
    return 0.5 * z * z;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (std::uint32_t retry = 0; retry < 65536; ++retry) {
    const double z =
        normal_pair(philox(stream_counter(sample, 0, stream_tag(Stream::scale, retry)), key)).first;
    const double root = detail::fused(c, z, 1.0);
    if (!(root > 0)) continue;
    const double v = root * root * root;
    const PhiloxBlock words =
        philox(stream_counter(sample, 1, stream_tag(Stream::scale, retry)), key);
    // u in [2^-65, 1], as sim/marginal_sampler.hpp makes it
    const double u = (detail::word_value(words.word[0]) * 4294967296.0 +
                      (detail::word_value(words.word[1]) + 0.5)) *
                     5.421010862427522e-20;
    if (natural_log(u) <= 0.5 * z * z + d * (1.0 - v + natural_log(v))) return d * v;
  }
  return d;
}

}  // namespace tapalab
