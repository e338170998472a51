#include "sim/block_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "sim/random/normal.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {
namespace {

// Normals 2 draw and 2 draw + 1 of each lane. The words stand in arrays over the lanes, so that
// each step is one loop that vectorises.
TAPALAB_INLINE void normal_lanes(PhiloxKey key, std::uint64_t first, std::uint32_t draw, double* z0,
                                 double* z1) {
  std::uint32_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const PhiloxCounter counter = stream_counter(first + static_cast<std::uint64_t>(lane), draw,
                                                 stream_tag(Stream::gaussian));
    const PhiloxBlock block = philox(counter, key);
    c0[lane] = block.word[0];
    c1[lane] = block.word[1];
    c2[lane] = block.word[2];
    c3[lane] = block.word[3];
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    const NormalPair pair = normal_pair({{c0[lane], c1[lane], c2[lane], c3[lane]}});
    z0[lane] = pair.first;
    z1[lane] = pair.second;
  }
}

TAPALAB_INLINE void gaussian_lanes(const SparseRoot& root, PhiloxKey key, std::uint64_t first,
                                   double* x) {
  const std::size_t size = root.mean.size();
  for (std::size_t c = 0; c < size; c += 2) {
    normal_lanes(key, first, static_cast<std::uint32_t>(c / 2), x + c * kLanes,
                 x + (c + 1) * kLanes);
  }
  for (std::size_t row = size; row-- > 0;) {
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

TAPALAB_INLINE void phase_features(const PhaseTables& tables, const double* x, double* amplitude,
                                   double* phi) {
  const double* k = x + std::size_t{tables.head_dim} * kLanes;
  bilinear_form<kLanes>(tables.amplitude_scale, tables.amplitude.data(), tables.amplitude.size(), x,
                        k, amplitude);
  bilinear_form<kLanes>(1.0, tables.phase.data(), tables.phase.size(), x, k, phi);
  add_linear_form<kLanes>(tables.phase_linear.data(), tables.phase_linear.size(), tables.head_dim,
                          x, k, phi);
}

TAPALAB_INLINE void fine_phi(const PhaseTables& tables, const double* x, double* hi, double* lo) {
  phase_form<kLanes>(tables.phase.data(), tables.phase.size(), tables.phase_linear.data(),
                     tables.phase_linear.size(), tables.head_dim, x,
                     x + std::size_t{tables.head_dim} * kLanes, hi, lo);
}

TAPALAB_INLINE void rotary_features(const RotaryTables& tables, const double* x, double* A,
                                    double* B, double* plain) {
  const double* k = x + std::size_t{tables.head_dim} * kLanes;
  for (std::size_t d = 0; d < tables.pairs.size(); ++d) {
    double a[kLanes], b[kLanes];
    rotary_products<kLanes>(tables.pairs[d], x, k, a, b);
    for (int lane = 0; lane < kLanes; ++lane) {
      A[d * kLanes + lane] = tables.scale * a[lane];
      B[d * kLanes + lane] = tables.scale * b[lane];
    }
  }
  double sum[kLanes];
  plain_products<kLanes>(tables.plain.data(), tables.plain.size(), x, k, sum);
  for (int lane = 0; lane < kLanes; ++lane) plain[lane] = tables.scale * sum[lane];
}

// What a sample records at one distance, from a cos and a sin.
TAPALAB_INLINE void store_scores(SinCos<double> value, std::size_t i, double* __restrict cosine,
                                 double* __restrict sine, double* __restrict excess) {
  cosine[i] = value.cos;
  sine[i] = value.sin;
  // a^2 cos(2 angle)/2 = (a cos - a sin)(a cos + a sin)/2
  excess[i] = 0.5 * ((value.cos - value.sin) * (value.cos + value.sin));
}

TAPALAB_INLINE void phase_scores(const double* amplitude, const double* phi, TwoTerm<double> scale,
                                 std::size_t count, double* __restrict cosine,
                                 double* __restrict sine, double* __restrict excess) {
  for (std::size_t i = 0; i < count; ++i) {
    store_scores(complex_score<DoublePrecision>(amplitude[i], phi[i], scale), i, cosine, sine,
                 excess);
  }
}

TAPALAB_INLINE void fine_scores(const double* amplitude, const double* phi_hi, const double* phi_lo,
                                TwoTerm<double> scale, std::size_t count, double* __restrict cosine,
                                double* __restrict sine, double* __restrict excess) {
  for (std::size_t i = 0; i < count; ++i) {
    const TwoTerm<double> phi{phi_hi[i], phi_lo[i]};
    store_scores(complex_score<DoublePrecision>(amplitude[i], phi, scale), i, cosine, sine, excess);
  }
}

TAPALAB_INLINE void rotary_scores(const double* A, const double* B, const double* plain,
                                  std::size_t pairs, const SinCos<double>* angles,
                                  std::size_t distances, double* score) {
  for (std::size_t begin = 0; begin < kBlockSamples; begin += kLanes) {
    for (std::size_t i = 0; i < distances; ++i) {
      double sum[kLanes];
      for (int lane = 0; lane < kLanes; ++lane) sum[lane] = plain[begin + lane];
      for (std::size_t d = 0; d < pairs; ++d) {
        const SinCos<double> angle = angles[i * pairs + d];
        const double* a = A + begin * pairs + d * kLanes;
        const double* b = B + begin * pairs + d * kLanes;
        for (int lane = 0; lane < kLanes; ++lane) {
          sum[lane] = add_rotary<DoublePrecision>(sum[lane], a[lane], b[lane], angle);
        }
      }
      for (int lane = 0; lane < kLanes; ++lane) score[i * kBlockSamples + begin + lane] = sum[lane];
    }
  }
}

// Sums run over eight virtual lanes, whatever the width of the machine's own: two GCC/Clang vectors
// of four doubles.
inline constexpr std::size_t kQuad = 4;
inline constexpr std::size_t kSumLanes = 2 * kQuad;
using Quad [[gnu::vector_size(kQuad * sizeof(double))]] = double;

TAPALAB_INLINE double pairwise(const Quad* s) {
  const Quad sum = s[0] + s[1];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The values of a block that fill whole rows of virtual lanes, the last row padded.
class Rows {
 public:
  TAPALAB_INLINE Rows(const double* values, std::size_t count)
      : count_(count), padded_((count + kSumLanes - 1) / kSumLanes * kSumLanes), rows_(values) {
    if (padded_ == count_) return;
    std::copy_n(values, count_, copy_);
    pad(0.0);
    rows_ = copy_;
  }
  TAPALAB_INLINE void pad(double value) { std::fill(copy_ + count_, copy_ + padded_, value); }
  TAPALAB_INLINE std::size_t size() const { return padded_; }
  // Not by return: a vector of this size is returned in another way by each width.
  TAPALAB_INLINE void read(std::size_t i, Quad& v) const { std::memcpy(&v, rows_ + i, sizeof v); }

 private:
  std::size_t count_, padded_;
  const double* rows_;
  double copy_[kBlockSamples];
};

TAPALAB_INLINE double row_mean(const Rows& rows, double n) {
  Quad s1[2] = {};
  for (std::size_t i = 0; i < rows.size(); i += kSumLanes) {
    for (std::size_t h = 0; h < 2; ++h) {
      Quad v;
      rows.read(i + h * kQuad, v);
      s1[h] += v;
    }
  }
  return pairwise(s1) / n;
}

TAPALAB_INLINE Moments block_moments(const double* values, std::size_t count) {
  count = std::min(count, kBlockSamples);
  const double n = static_cast<double>(count);
  Rows rows(values, count);
  const double center = row_mean(rows, n);
  if (rows.size() != count) rows.pad(center);  // where it adds nothing to central sums
  Quad d1[2] = {}, d2[2] = {}, d3[2] = {}, d4[2] = {};
  for (std::size_t i = 0; i < rows.size(); i += kSumLanes) {
    for (std::size_t h = 0; h < 2; ++h) {
      Quad v;
      rows.read(i + h * kQuad, v);
      const Quad d = v - center;
      const Quad square = d * d;
      d1[h] += d;
      d2[h] += square;
      d3[h] += square * d;
      d4[h] += square * square;
    }
  }
  // The center is rounded: move to the mean it stands for; higher powers of the rest vanish.
  const double left = pairwise(d1);
  const double rest = left / n;
  const double m2 = std::max(0.0, pairwise(d2) - rest * left);
  const double m3 = pairwise(d3);
  const double m4 = pairwise(d4);
  return {count, center + rest, m2, m3 - 3 * rest * m2, m4 - 4 * rest * m3};
}

TAPALAB_INLINE CompanionMoments block_companion(const double* values, const double* scores,
                                                std::size_t count, const Moments& of_scores) {
  count = std::min(count, kBlockSamples);
  const double n = static_cast<double>(count);
  Rows x(values, count), y(scores, count);
  const double center = row_mean(x, n);
  if (x.size() != count) {
    x.pad(center);
    y.pad(of_scores.mean);
  }
  Quad d1[2] = {}, d2[2] = {}, cross[2] = {};
  for (std::size_t i = 0; i < x.size(); i += kSumLanes) {
    for (std::size_t h = 0; h < 2; ++h) {
      Quad v, score;
      x.read(i + h * kQuad, v);
      y.read(i + h * kQuad, score);
      const Quad d = v - center;
      d1[h] += d;
      d2[h] += d * d;
      cross[h] += d * (score - of_scores.mean);
    }
  }
  const double left = pairwise(d1);
  const double rest = left / n;
  // The scores' deviations from their mean sum to 0 up to rounding: no correction of `cross`.
  return {center + rest, std::max(0.0, pairwise(d2) - rest * left), pairwise(cross)};
}

// One set of functions per width, each with all of the above inlined into it.
#define TAPALAB_KERNEL_SET(name, attributes)                                                       \
  struct name {                                                                                    \
    attributes static void gaussian(const SparseRoot& root, PhiloxKey key, std::uint64_t first,    \
                                    double* x) {                                                   \
      gaussian_lanes(root, key, first, x);                                                         \
    }                                                                                              \
    attributes static void phase(const PhaseTables& tables, const double* x, double* amplitude,    \
                                 double* phi) {                                                    \
      phase_features(tables, x, amplitude, phi);                                                   \
    }                                                                                              \
    attributes static void fine(const PhaseTables& tables, const double* x, double* hi,            \
                                double* lo) {                                                      \
      fine_phi(tables, x, hi, lo);                                                                 \
    }                                                                                              \
    attributes static void rotary(const RotaryTables& tables, const double* x, double* A,          \
                                  double* B, double* plain) {                                      \
      rotary_features(tables, x, A, B, plain);                                                     \
    }                                                                                              \
    attributes static void phase_at(const double* amplitude, const double* phi,                    \
                                    TwoTerm<double> scale, std::size_t count, double* cosine,      \
                                    double* sine, double* excess) {                                \
      phase_scores(amplitude, phi, scale, count, cosine, sine, excess);                            \
    }                                                                                              \
    attributes static void fine_at(const double* amplitude, const double* phi_hi,                  \
                                   const double* phi_lo, TwoTerm<double> scale, std::size_t count, \
                                   double* cosine, double* sine, double* excess) {                 \
      fine_scores(amplitude, phi_hi, phi_lo, scale, count, cosine, sine, excess);                  \
    }                                                                                              \
    attributes static void rotary_at(const double* A, const double* B, const double* plain,        \
                                     std::size_t pairs, const SinCos<double>* angles,              \
                                     std::size_t distances, double* score) {                       \
      rotary_scores(A, B, plain, pairs, angles, distances, score);                                 \
    }                                                                                              \
    attributes static Moments moments(const double* values, std::size_t count) {                   \
      return block_moments(values, count);                                                         \
    }                                                                                              \
    attributes static CompanionMoments companion(const double* values, const double* scores,       \
                                                 std::size_t count, const Moments& of_scores) {    \
      return block_companion(values, scores, count, of_scores);                                    \
    }                                                                                              \
    static constexpr BlockKernels kernels{gaussian, phase,     fine,    rotary,   phase_at,        \
                                          fine_at,  rotary_at, moments, companion};                \
  };

TAPALAB_KERNEL_SET(Scalar, )
#if defined(__x86_64__)
#define TAPALAB_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__)
#define TAPALAB_WIDE ""
#else
#define TAPALAB_WIDE ",prefer-vector-width=512"
#endif
#define TAPALAB_AVX512 \
  __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw" TAPALAB_WIDE)))
TAPALAB_KERNEL_SET(Avx2, TAPALAB_AVX2)
TAPALAB_KERNEL_SET(Avx512, TAPALAB_AVX512)
#endif

}  // namespace

const BlockKernels& block_kernels(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return Avx512::kernels;
  if (level == SimdLevel::avx2) return Avx2::kernels;
#endif
  return Scalar::kernels;
}

}  // namespace tapalab
