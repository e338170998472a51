#include "sim/arranged_source.hpp"

#include <algorithm>
#include <utility>

#include "sim/marginal_sampler.hpp"
#include "sim/marginal_special.hpp"
#include "sim/random/normal.hpp"
#include "sim/random/streams.hpp"
#include "sim/simd_level.hpp"

namespace tapalab {
namespace {

// The words of one Philox block a lane.
struct LaneWords {
  std::uint32_t word[4][kLanes];

  TAPALAB_INLINE PhiloxBlock at(int lane) const {
    return {{word[0][lane], word[1][lane], word[2][lane], word[3][lane]}};
  }
};

TAPALAB_INLINE LaneWords philox_lanes(std::uint64_t first, std::uint32_t draw, std::uint32_t tag,
                                      PhiloxKey key) {
  LaneWords words;
  for (int lane = 0; lane < kLanes; ++lane) {
    const PhiloxBlock block =
        philox(stream_counter(first + static_cast<std::uint64_t>(lane), draw, tag), key);
    for (int w = 0; w < 4; ++w) words.word[w][lane] = block.word[w];
  }
  return words;
}

TAPALAB_INLINE void normals_of(const LaneWords& words, double* z0, double* z1) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const NormalPair pair = normal_pair(words.at(lane));
    z0[lane] = pair.first;
    z1[lane] = pair.second;
  }
}

// x = mean + L z in place, from the last row to the first.
TAPALAB_INLINE void apply_root(const SparseRoot& root, double* x) {
  for (std::size_t row = root.mean.size(); row-- > 0;) {
    double sum[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) sum[lane] = root.mean[row];
    for (std::uint32_t e = root.begin[row]; e < root.begin[row + 1]; ++e) {
      const SparseRoot::Entry entry = root.entries[e];
      const double* z = x + std::size_t{entry.column} * kLanes;
      for (int lane = 0; lane < kLanes; ++lane) {
        sum[lane] = detail::fused(entry.weight, z[lane], sum[lane]);
      }
    }
    for (int lane = 0; lane < kLanes; ++lane) x[row * kLanes + lane] = sum[lane];
  }
}

TAPALAB_INLINE void reflected_lanes(const SparseRoot& root, PhiloxKey key, std::uint64_t first,
                                    std::size_t reflected, double* x) {
  const std::size_t size = root.mean.size();
  for (std::size_t c = 0; c < size; c += 2) {
    normals_of(
        philox_lanes(first, static_cast<std::uint32_t>(c / 2), stream_tag(Stream::gaussian), key),
        x + c * kLanes, x + (c + 1) * kLanes);
  }
  for (std::size_t i = reflected * kLanes; i < size * kLanes; ++i) x[i] = -x[i];
  apply_root(root, x);
}

// How a draw of one coordinate uses its words.
enum class Use {
  ordered,   // one uniform number
  sided,     // one uniform number whose upper bit is the sign
  pair,      // two uniform numbers
  composed,  // one with a sign, and two of another block
};

Use use_of(MarginalFamily family) {
  switch (family) {
    case MarginalFamily::uniform:
      return Use::ordered;
    case MarginalFamily::sech:
    case MarginalFamily::logistic:
    case MarginalFamily::laplace:
    case MarginalFamily::rademacher:
      return Use::sided;
    case MarginalFamily::hermite2:
      return Use::composed;
    case MarginalFamily::gaussian:
    case MarginalFamily::bump:
    case MarginalFamily::student_t:
    case MarginalFamily::singular:
      break;
  }
  return Use::pair;
}

std::uint32_t dimensions_of(Use use) { return use == Use::composed ? 3 : use == Use::pair ? 2 : 1; }

// Blocks 0 and 1 of a coordinate from the sequence; tries after a refusal from the stream.
struct SobolWords {
  PhiloxBlock blocks[2];
  CoordinateWords more;

  TAPALAB_INLINE PhiloxBlock block(std::uint32_t number, std::uint32_t retry = 0) const {
    return retry == 0 ? blocks[number] : more.block(number, retry);
  }
};

template <class Draw>
TAPALAB_INLINE void draw_lanes(const Draw& draw, const LaneWords& zero, const LaneWords& one,
                               std::uint64_t first, std::uint32_t coordinate, PhiloxKey key,
                               double* row) {
  for (int lane = 0; lane < kLanes; ++lane) {
    row[lane] = draw(SobolWords{{zero.at(lane), one.at(lane)},
                                {first + static_cast<std::uint64_t>(lane), coordinate, key}});
  }
}

}  // namespace

// The body of SobolSource::lanes, compiled once a vector width below.
struct SobolLanes {
  const SobolSource& source;
  std::uint64_t first;
  SobolPlace place;
  PhiloxKey key;

  TAPALAB_INLINE explicit SobolLanes(const SobolSource& s, std::uint64_t begin)
      : source(s), first(begin), place(sobol_place(begin)), key(stream_key(s.seed_)) {}

  // The upper 32 bits of a dimension, in place of those of an independent number.
  TAPALAB_INLINE void scramble(std::uint32_t dimension, std::uint32_t* words) const {
    if (dimension >= source.points_.dimensions()) return;
    const std::uint32_t* direction = source.points_.direction(dimension);
    std::uint32_t base = 0;
    for (std::uint32_t bits = place.point, k = 0; bits != 0; bits >>= 1, ++k) {
      if (bits & 1) base ^= direction[k];
    }
    const SobolReplicas::Key scrambling = source.points_.key(place.replica, dimension);
    static_assert(kLanes == 16);
    std::uint32_t points[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      points[lane] = base ^ ((lane & 1) != 0 ? direction[0] : 0) ^
                     ((lane & 2) != 0 ? direction[1] : 0) ^ ((lane & 4) != 0 ? direction[2] : 0) ^
                     ((lane & 8) != 0 ? direction[3] : 0);
    }
    owen_scramble<kLanes>(points, scrambling, words);
  }

  // Two uniform numbers: dimensions `at` and at + 1.
  TAPALAB_INLINE LaneWords two(std::uint32_t at, std::uint32_t& rest) const {
    LaneWords words = philox_lanes(first, rest++, stream_tag(Stream::sobol_rest), key);
    scramble(at, words.word[0]);
    scramble(at + 1, words.word[2]);
    return words;
  }
  // One, in words 0 and 1; with a sign, its upper bit moves to where draws look for it.
  TAPALAB_INLINE LaneWords one(std::uint32_t at, std::uint32_t& rest, bool sided) const {
    LaneWords words = philox_lanes(first, rest++, stream_tag(Stream::sobol_rest), key);
    scramble(at, words.word[0]);
    if (!sided) return words;
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t high = words.word[0][lane], low = words.word[1][lane];
      words.word[0][lane] = high << 1 | low >> 31;
      words.word[1][lane] = low << 1 | words.word[2][lane] >> 31;
      words.word[2][lane] = high >> 31;
    }
    return words;
  }

  TAPALAB_INLINE void operator()(double* x) const {
    if (const auto* root = std::get_if<SparseRoot>(&source.law_)) {
      std::uint32_t rest = 0;
      for (std::uint32_t c = 0; c < root->mean.size(); c += 2) {
        double* row = x + std::size_t{c} * kLanes;
        normals_of(two(c, rest), row, row + kLanes);
      }
      apply_root(*root, x);
      return;
    }
    const auto& product = std::get<SobolSource::Product>(source.law_);
    const std::uint32_t dim = product.model.head_dim;
    std::uint32_t at = 0, rest = 0;
    span(product.model, product.model.query.family, product.query_student, 0, dim, at, rest, x);
    span(product.model, product.model.key.family, product.key_student, dim, 2 * dim, at, rest, x);
  }

  TAPALAB_INLINE void span(const ProductModel& model, MarginalFamily family,
                           const StudentShape& student, std::uint32_t begin, std::uint32_t end,
                           std::uint32_t& at, std::uint32_t& rest, double* x) const {
    const Use use = use_of(family);
    for (std::uint32_t c = begin; c < end; ++c, at += dimensions_of(use)) {
      double* row = x + std::size_t{c} * kLanes;
      const LaneWords zero = use == Use::pair ? two(at, rest) : one(at, rest, use != Use::ordered);
      const LaneWords more = use == Use::composed ? two(at + 1, rest) : zero;
      draw(family, student, zero, more, c, row);
      for (int lane = 0; lane < kLanes; ++lane) {
        row[lane] = detail::fused(model.scale[c], row[lane], model.mean[c]);
      }
    }
  }

  TAPALAB_INLINE void draw(MarginalFamily family, const StudentShape& student,
                           const LaneWords& zero, const LaneWords& more, std::uint32_t c,
                           double* row) const {
    switch (family) {
      case MarginalFamily::gaussian:
        return draw_lanes(DrawGaussian{}, zero, more, first, c, key, row);
      case MarginalFamily::sech:
        return draw_lanes(DrawSech{}, zero, more, first, c, key, row);
      case MarginalFamily::logistic:
        return draw_lanes(DrawLogistic{}, zero, more, first, c, key, row);
      case MarginalFamily::bump:
        return draw_lanes(DrawBump{}, zero, more, first, c, key, row);
      case MarginalFamily::hermite2:
        return draw_lanes(DrawHermite2{}, zero, more, first, c, key, row);
      case MarginalFamily::laplace:
        return draw_lanes(DrawLaplace{}, zero, more, first, c, key, row);
      case MarginalFamily::uniform:
        return draw_lanes(DrawUniform{}, zero, more, first, c, key, row);
      case MarginalFamily::student_t:
        return draw_lanes(DrawStudentT{student.exponent, student.excess}, zero, more, first, c, key,
                          row);
      case MarginalFamily::rademacher:
        return draw_lanes(DrawRademacher{}, zero, more, first, c, key, row);
      case MarginalFamily::singular:
        return draw_lanes(DrawSingular{}, zero, more, first, c, key, row);
    }
  }
};

namespace {

std::uint32_t dimensions_of(const SparseRoot& root) {
  return static_cast<std::uint32_t>(root.mean.size());
}
std::uint32_t dimensions_of(const ProductModel& model) {
  return model.head_dim *
         (dimensions_of(use_of(model.query.family)) + dimensions_of(use_of(model.key.family)));
}

// One copy per vector width, as in sim/block_kernels.cpp: the same bits from each.
void arranged_scalar(const SobolSource& source, std::uint64_t first, double* x) {
  SobolLanes(source, first)(x);
}
void reflected_scalar(const SparseRoot& root, PhiloxKey key, std::uint64_t first,
                      std::size_t reflected, double* x) {
  reflected_lanes(root, key, first, reflected, x);
}
#if defined(__x86_64__)
#define TAPALAB_ARRANGED_AVX2 __attribute__((target("avx2,fma")))
#define TAPALAB_ARRANGED_AVX512 \
  __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw")))
TAPALAB_ARRANGED_AVX2 void arranged_avx2(const SobolSource& source, std::uint64_t first,
                                         double* x) {
  SobolLanes(source, first)(x);
}
TAPALAB_ARRANGED_AVX512 void arranged_avx512(const SobolSource& source, std::uint64_t first,
                                             double* x) {
  SobolLanes(source, first)(x);
}
TAPALAB_ARRANGED_AVX2 void reflected_avx2(const SparseRoot& root, PhiloxKey key,
                                          std::uint64_t first, std::size_t reflected, double* x) {
  reflected_lanes(root, key, first, reflected, x);
}
TAPALAB_ARRANGED_AVX512 void reflected_avx512(const SparseRoot& root, PhiloxKey key,
                                              std::uint64_t first, std::size_t reflected,
                                              double* x) {
  reflected_lanes(root, key, first, reflected, x);
}
#else
constexpr auto arranged_avx2 = arranged_scalar, arranged_avx512 = arranged_scalar;
constexpr auto reflected_avx2 = reflected_scalar, reflected_avx512 = reflected_scalar;
#endif

template <class F>
F for_level(F scalar, F avx2, F avx512) {
  const SimdLevel level = simd_level();
  return level == SimdLevel::avx512 ? avx512 : level == SimdLevel::avx2 ? avx2 : scalar;
}

}  // namespace

void reflected_gaussian_lanes(const SparseRoot& root, PhiloxKey key, std::uint64_t first,
                              std::size_t reflected, double* x) {
  for_level(&reflected_scalar, &reflected_avx2, &reflected_avx512)(root, key, first, reflected, x);
}

SobolSource::SobolSource(SparseRoot root, std::uint64_t seed)
    : law_(std::move(root)),
      seed_(seed),
      dimensions_(dimensions_of(std::get<SparseRoot>(law_))),
      points_(dimensions_, kSobolReplicas, seed) {}

SobolSource::SobolSource(ProductModel model, std::uint64_t seed)
    : law_(Product{model, student_shape(model.query), student_shape(model.key)}),
      seed_(seed),
      dimensions_(dimensions_of(model)),
      points_(dimensions_, kSobolReplicas, seed) {}

void SobolSource::lanes(std::uint64_t first, double* x) const {
  for_level(&arranged_scalar, &arranged_avx2, &arranged_avx512)(*this, first, x);
}

}  // namespace tapalab
