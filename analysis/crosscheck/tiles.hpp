// The inner loops of attention over a tile of keys, compiled once per vector width; every width
// gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/simd_level.hpp"

namespace tapalab {

/// Keys of one step of the softmax.
inline constexpr std::size_t kTile = 64;

/// Coordinates of values are padded with zeros to a multiple of this.
inline constexpr std::size_t kPadding = 32;

template <class Real>
struct TileKernels {
  /// dot[j] = sum over i < dims of q[i] keys[i * stride + j], j < kTile: fused multiply-adds in
  /// order, from 0.
  void (*dots)(const Real* q, const Real* keys, std::size_t stride, std::size_t dims, Real* dot);
  /// out[i] += sum over j < count of weight[j] values[j * dims + i]: fused multiply-adds in order.
  /// dims is a multiple of kPadding.
  void (*weigh)(const Real* weight, const Real* values, std::size_t count, std::size_t dims,
                Real* out);
};

/// The kernels of that width, or of the widest one below it that this build has.
template <class Real>
const TileKernels<Real>& tile_kernels(SimdLevel level);
template <>
const TileKernels<float>& tile_kernels<float>(SimdLevel level);
template <>
const TileKernels<double>& tile_kernels<double>(SimdLevel level);

}  // namespace tapalab
