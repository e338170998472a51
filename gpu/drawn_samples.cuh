// Where a thread finds the coordinates of its sample of any density. Each `open` gives q and k,
// which bilinear_form and its like (sim/score_tables.hpp) read.
#pragma once

#include "sim/draw_sample.hpp"

namespace tapalab::gpu {

/// Threads of a block that draw; neighbours' coordinates lie side by side.
inline constexpr int kDrawThreads = 256;

template <class Values>
struct DrawnPair {
  Values q, k;
};

/// What a thread draws.
struct DrawnSample {
  std::uint64_t number;
  std::uint64_t distance;  ///< of token pairs at a distance
  bool single;             ///< normals in float
};

/// All of a sample is drawn into the scratch memory of the thread: any density, any score.
struct FilledSamples {
  static constexpr bool kScratch = true;
  struct Room {
    double* first;
    __device__ __forceinline__ double& operator()(std::uint32_t c) const {
      return first[std::size_t{c} * kDrawThreads];
    }
  };
  struct Values {
    const double* at;
    __device__ __forceinline__ Values operator+(std::size_t places) const {
      return {at + places * kDrawThreads};
    }
    __device__ __forceinline__ double operator[](int) const { return *at; }
  };

  /// `scratch`: this thread's.
  static __device__ __forceinline__ DrawnPair<Values> open(const DrawView& view, double* scratch,
                                                           const DrawnSample& sample) {
    draw_sample(view, sample.number, sample.distance, sample.single, Room{scratch});
    return {{scratch}, {scratch + std::size_t{view.head_dim} * kDrawThreads}};
  }
};

// One copy of the ten laws a kernel.
static __device__ __noinline__ double drawn_coordinate(const DrawView& view, std::uint64_t sample,
                                                       std::uint32_t coordinate) {
  return draw_product(view, sample, coordinate);
}

/// Independent coordinates, each drawn where it is used: scores that use each once.
struct ProductSamples {
  static constexpr bool kScratch = false;
  struct Values {
    const DrawView* view;
    std::uint64_t sample;
    std::uint32_t coordinate;
    __device__ __forceinline__ Values operator+(std::size_t places) const {
      return {view, sample, coordinate + static_cast<std::uint32_t>(places)};
    }
    __device__ __forceinline__ double operator[](int) const {
      return drawn_coordinate(*view, sample, coordinate);
    }
  };

  static __device__ __forceinline__ DrawnPair<Values> open(const DrawView& view, double*,
                                                           const DrawnSample& sample) {
    return {{&view, sample.number, 0}, {&view, sample.number, view.head_dim}};
  }
};

/// Tokens of a file, read where they lie.
struct TokenSamples {
  static constexpr bool kScratch = false;
  static __device__ __forceinline__ DrawnPair<const double*> open(const DrawView& view, double*,
                                                                  const DrawnSample& sample) {
    const TokenRows rows = token_rows(view, sample.number, sample.distance);
    return {rows.query, rows.key};
  }
};

}  // namespace tapalab::gpu
