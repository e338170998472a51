// One sample of x = (q, k) of any density, coordinate by coordinate: the values, to the last bit,
// that the host's sources draw many at a time. Host and device.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/draw_tables.hpp"
#include "sim/marginal_sampler.hpp"
#include "sim/random/gamma.hpp"
#include "sim/random/normal_single.hpp"

namespace tapalab {

/// Coordinate c of a sample with independent coordinates.
TAPALAB_HD inline double draw_marginal(const DrawMarginal& law, const CoordinateWords& words) {
  switch (law.law) {
    case DrawLaw::gaussian:
      return DrawGaussian{}(words);
    case DrawLaw::sech:
      return DrawSech{}(words);
    case DrawLaw::logistic:
      return DrawLogistic{}(words);
    case DrawLaw::bump:
      return DrawBump{}(words);
    case DrawLaw::hermite2:
      return DrawHermite2{}(words);
    case DrawLaw::laplace:
      return DrawLaplace{}(words);
    case DrawLaw::uniform:
      return DrawUniform{}(words);
    case DrawLaw::student_t:
      return DrawStudentT{law.exponent, law.excess}(words);
    case DrawLaw::rademacher:
      return DrawRademacher{}(words);
    case DrawLaw::singular:
      return DrawSingular{}(words);
  }
  return 0;
}
TAPALAB_HD inline double draw_product(const DrawView& view, std::uint64_t sample,
                                      std::uint32_t coordinate) {
  const double value = draw_marginal(coordinate < view.head_dim ? view.query_law : view.key_law,
                                     CoordinateWords{sample, coordinate, view.key});
  return detail::fused(view.scale[coordinate], value, view.mean[coordinate]);
}

namespace detail {

/// The normals of a sample: of the stream `gaussian_single` or `gaussian`.
template <class Room>
TAPALAB_HD inline void fill_normals(const DrawView& view, std::uint64_t sample, bool single,
                                    const Room& x) {
  const std::uint32_t size = 2 * view.head_dim;
  if (single) {
    for (std::uint32_t draw = 0; 4 * draw < size; ++draw) {
      const PhiloxBlock block =
          philox(stream_counter(sample, draw, stream_tag(Stream::gaussian_single)), view.key);
      for (std::uint32_t half = 0; half < 2 && 4 * draw + 2 * half < size; ++half) {
        const SingleNormalPair pair =
            normal_pair_single(block.word[2 * half], block.word[2 * half + 1]);
        x(4 * draw + 2 * half) = double{pair.first};
        x(4 * draw + 2 * half + 1) = double{pair.second};
      }
    }
    return;
  }
  for (std::uint32_t draw = 0; draw < view.head_dim; ++draw) {
    const NormalPair pair =
        normal_pair(philox(stream_counter(sample, draw, stream_tag(Stream::gaussian)), view.key));
    x(2 * draw) = pair.first;
    x(2 * draw + 1) = pair.second;
  }
}

/// x = mean + L x, from the last row to the first, in place.
template <class Room>
TAPALAB_HD inline void apply_root(const DrawView& view, std::uint32_t component, const Room& x) {
  const std::uint32_t size = 2 * view.head_dim;
  const double* mean = view.root_mean + std::size_t{component} * size;
  const std::uint32_t* begin = view.begin + std::size_t{component} * (size + 1);
  for (std::uint32_t row = size; row-- > 0;) {
    double sum = mean[row];
    for (std::uint32_t e = begin[row]; e < begin[row + 1]; ++e) {
      const RootEntry entry = view.entries[e];
      sum = fused(entry.weight, x(entry.column), sum);
    }
    x(row) = sum;
  }
}

}  // namespace detail

/// The rows of a sample's tokens.
struct TokenRows {
  const double* query;
  const double* key;
};
TAPALAB_HD inline TokenRows token_rows(const DrawView& view, std::uint64_t sample,
                                       std::uint64_t distance) {
  const TokenPair pair =
      token_pair(view.rule, view.tokens, view.partner, sample, distance, view.key);
  return {view.queries + pair.query * view.head_dim, view.keys + pair.key * view.head_dim};
}

/// All of a sample: x(c), a reference to coordinate c of 2 head_dim, gets its value. `single`:
/// normals in float, of Gaussians alone. `distance` matters to token pairs at a distance.
template <class Room>
TAPALAB_HD inline void draw_sample(const DrawView& view, std::uint64_t sample,
                                   std::uint64_t distance, bool single, const Room& x) {
  const std::uint32_t dim = view.head_dim, size = 2 * dim;
  if (view.kind == DrawKind::product) {
    for (std::uint32_t c = 0; c < size; ++c) x(c) = draw_product(view, sample, c);
    return;
  }
  if (view.kind == DrawKind::tokens) {
    const TokenRows rows = token_rows(view, sample, distance);
    const bool blurred = view.begin != nullptr;
    if (blurred) {
      detail::fill_normals(view, sample, false, x);
      detail::apply_root(view, 0, x);
    }
    for (std::uint32_t c = 0; c < size; ++c) {
      const double value = c < dim ? rows.query[c] : rows.key[c - dim];
      x(c) = (blurred ? x(c) : 0.0) + value;
    }
    return;
  }
  detail::fill_normals(view, sample, single && view.kind == DrawKind::gaussian, x);
  if (view.kind == DrawKind::gaussian) {
    detail::apply_root(view, 0, x);
    return;
  }
  if (view.kind == DrawKind::mixture) {
    detail::apply_root(view, component_of(view.below, view.components, sample, view.key), x);
    return;
  }
  const double gamma = gamma_variate(view.gamma_shape, sample, view.key);
  double scale = 0;
  if (view.kind == DrawKind::student_t) {
    scale = std::sqrt(view.factor / gamma);  // W = 2 Gamma
  } else {
    double square = 0;
    for (std::uint32_t c = 0; c < size; ++c) square = detail::fused(x(c), x(c), square);
    scale = view.factor * std::sqrt(std::sqrt(gamma)) / std::sqrt(square);
  }
  detail::apply_root(view, 0, x);
  for (std::uint32_t c = 0; c < size; ++c) x(c) = detail::fused(scale, x(c), view.mean[c]);
}

}  // namespace tapalab
