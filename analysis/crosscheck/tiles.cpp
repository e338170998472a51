#include "analysis/crosscheck/tiles.hpp"

#include "sim/elementary.hpp"

namespace tapalab {
namespace {

template <class Real>
TAPALAB_INLINE void dot_tile(const Real* q, const Real* keys, std::size_t stride, std::size_t dims,
                             Real* dot) {
  constexpr std::size_t part = kTile / 2;
  for (std::size_t begin = 0; begin < kTile; begin += part) {
    Real sum[part] = {};
    for (std::size_t i = 0; i < dims; ++i) {
      const Real x = q[i];
      const Real* row = keys + i * stride + begin;
      for (std::size_t j = 0; j < part; ++j) sum[j] = detail::fused(x, row[j], sum[j]);
    }
    for (std::size_t j = 0; j < part; ++j) dot[begin + j] = sum[j];
  }
}

template <class Real>
TAPALAB_INLINE void weigh_tile(const Real* weight, const Real* values, std::size_t count,
                               std::size_t dims, Real* out) {
  for (std::size_t begin = 0; begin < dims; begin += kPadding) {
    Real sum[kPadding];
    for (std::size_t i = 0; i < kPadding; ++i) sum[i] = out[begin + i];
    for (std::size_t j = 0; j < count; ++j) {
      const Real w = weight[j];
      const Real* row = values + j * dims + begin;
      for (std::size_t i = 0; i < kPadding; ++i) sum[i] = detail::fused(w, row[i], sum[i]);
    }
    for (std::size_t i = 0; i < kPadding; ++i) out[begin + i] = sum[i];
  }
}

#define TAPALAB_TILE_SET(name, attributes)                                                  \
  template <class Real>                                                                     \
  struct name {                                                                             \
    attributes static void dots(const Real* q, const Real* keys, std::size_t stride,        \
                                std::size_t dims, Real* dot) {                              \
      dot_tile(q, keys, stride, dims, dot);                                                 \
    }                                                                                       \
    attributes static void weigh(const Real* weight, const Real* values, std::size_t count, \
                                 std::size_t dims, Real* out) {                             \
      weigh_tile(weight, values, count, dims, out);                                         \
    }                                                                                       \
    static constexpr TileKernels<Real> kernels{dots, weigh};                                \
  };

TAPALAB_TILE_SET(Scalar, )
#if defined(__x86_64__)
TAPALAB_TILE_SET(Avx2, __attribute__((target("avx2,fma"))))
TAPALAB_TILE_SET(Avx512, __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw"))))
#endif

template <class Real>
const TileKernels<Real>& kernels_of(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return Avx512<Real>::kernels;
  if (level == SimdLevel::avx2) return Avx2<Real>::kernels;
#endif
  return Scalar<Real>::kernels;
}

}  // namespace

template <>
const TileKernels<float>& tile_kernels<float>(SimdLevel level) {
  return kernels_of<float>(level);
}
template <>
const TileKernels<double>& tile_kernels<double>(SimdLevel level) {
  return kernels_of<double>(level);
}

}  // namespace tapalab
