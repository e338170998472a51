// What a device needs to draw samples of x = (q, k) of any density itself: plain numbers, without
// multiprecision, so that .cu files can include it. Each source of samples says its own
// (`tables()` of sim/pair_source.hpp, product_sampler.hpp, coupled_sampler.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/random/philox.hpp"
#include "sim/token_pairs.hpp"

namespace tapalab {

enum class DrawKind : std::uint32_t { gaussian, mixture, student_t, quartic, product, tokens };

/// MarginalFamily (sim/marginal.hpp) without what that header needs.
enum class DrawLaw : std::uint32_t {
  gaussian,
  sech,
  logistic,
  bump,
  hermite2,
  laplace,
  uniform,
  student_t,
  rademacher,
  singular
};

/// One coordinate before shift and scale; `exponent` and `excess` are 2/nu and nu - 2 of student-t.
struct DrawMarginal {
  DrawLaw law = DrawLaw::gaussian;
  double exponent = 0, excess = 0;
};

/// weight * z[column] of a row of L.
struct RootEntry {
  std::uint32_t column;
  std::uint32_t unused = 0;
  double weight;
};

struct DrawTables {
  DrawKind kind = DrawKind::gaussian;
  std::uint32_t head_dim = 0;
  PhiloxKey key{};
  /// Row r of L of component c: entries begin[c (2D + 1) + r] .. begin[c (2D + 1) + r + 1] - 1, and
  /// root_mean[c 2D + r]. One component but for mixtures; none for products, and for tokens without
  /// a bandwidth.
  std::vector<double> root_mean;
  std::vector<std::uint32_t> begin;
  std::vector<RootEntry> entries;
  std::vector<std::uint64_t> below;  ///< mixture: component_of
  /// Radial: x = mean + scale L z. Product: coordinate c is mean[c] + scale[c] X.
  std::vector<double> mean, scale;
  double gamma_shape = 1, factor = 1;  ///< radial
  DrawMarginal query_law, key_law;     ///< product
  TokenRule rule = TokenRule::all;     ///< tokens, as are all below
  std::uint64_t tokens = 0;
  std::shared_ptr<const std::vector<double>> queries, keys;  ///< tokens x D, row by row
  std::vector<std::uint32_t> partner;                        ///< of shuffled tokens

  bool has_root() const { return !begin.empty(); }
  /// Every distance has samples of its own.
  bool per_distance() const { return kind == DrawKind::tokens && rule == TokenRule::at_distance; }
};

/// DrawTables as pointers.
struct DrawView {
  DrawKind kind;
  std::uint32_t head_dim;
  PhiloxKey key;
  const double* root_mean;
  const std::uint32_t* begin;  ///< null where there is no root
  const RootEntry* entries;
  const std::uint64_t* below;
  std::uint32_t components;
  const double* mean;
  const double* scale;
  double gamma_shape, factor;
  DrawMarginal query_law, key_law;
  TokenRule rule;
  std::uint64_t tokens;
  const double* queries;
  const double* keys;
  const std::uint32_t* partner;
};

inline DrawView view(const DrawTables& t) {
  return {t.kind,
          t.head_dim,
          t.key,
          t.root_mean.data(),
          t.has_root() ? t.begin.data() : nullptr,
          t.entries.data(),
          t.below.data(),
          static_cast<std::uint32_t>(t.below.size()),
          t.mean.data(),
          t.scale.data(),
          t.gamma_shape,
          t.factor,
          t.query_law,
          t.key_law,
          t.rule,
          t.tokens,
          t.queries ? t.queries->data() : nullptr,
          t.keys ? t.keys->data() : nullptr,
          t.partner.data()};
}

/// The component of a mixture that a word falls to: the first whose bound is above it. The last
/// component takes what is left, the largest word included.
TAPALAB_HD inline std::uint32_t component_of(const std::uint64_t* below, std::uint32_t components,
                                             std::uint64_t sample, PhiloxKey key) {
  if (components == 1) return 0;
  const PhiloxBlock block = philox(stream_counter(sample, 0, stream_tag(Stream::component)), key);
  const std::uint64_t word = std::uint64_t{block.word[0]} << 32 | block.word[1];
  std::uint32_t first = 0, last = components - 1;  // the answer is in first .. last
  while (first < last) {
    const std::uint32_t middle = first + (last - first) / 2;
    if (word < below[middle]) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}

}  // namespace tapalab
