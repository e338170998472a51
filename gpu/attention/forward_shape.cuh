// What the parts of the Hopper attention kernel share: its parameters, shape, shared memory, and
// which rows and keys a tile stands for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/attention/attention.hpp"
#include "gpu/attention/pipeline.cuh"
#include "gpu/attention/tma.cuh"
#include "gpu/attention/tuning.hpp"
#include "gpu/attention/wgmma.cuh"

namespace tapalab::attention {

struct KernelParams {
  CUtensorMap q, k, v;
  const float* factors;  ///< s(|distance|)/sqrt(dP) at index m - n + factor_origin
  int factor_origin;
  void* out;
  Strides out_strides;
  float* log_sum_exp;    ///< [batch][head][row], natural logarithm; may be null
  int* next_tile;        ///< counter, zero at launch and again at the end
  int* finished_blocks;  ///< likewise
  int batch, heads, heads_per_key_head;
  int rows, keys;  ///< query and key counts
  int64_t offset;  ///< position of query 0 minus position of key 0
  bool causal;
  float score_scale;  ///< 1/sqrt(dA), or 1/sqrt(D) for plain scores
};

/// AmplitudeDim 0: plain attention, the phase left out.
template <class ElementT, int HeadDim, int AmplitudeDim, Reduction How,
          Tuning Choice = tuning(HeadDim, AmplitudeDim > 0, How)>
struct Shape {
  using Element = ElementT;
  static constexpr int kHeadDim = HeadDim;
  static constexpr bool kTapa = AmplitudeDim > 0;
  static constexpr int kAmplitudeDim = kTapa ? AmplitudeDim : HeadDim;
  static constexpr Reduction kReduction = How;
  static constexpr int kKeyRows = Choice.key_rows;
  static constexpr int kQueryStages = Choice.query_stages;
  static constexpr int kKeyStages = Choice.key_stages;
  static constexpr int kValueStages = Choice.value_stages;
  static constexpr bool kTakeTurns = Choice.take_turns;
  static constexpr bool kWeighFirst = Choice.weigh_first;
  static constexpr int kPolynomialShare = Choice.polynomial_share;
  static constexpr int kPanels = HeadDim / kPanelElements;
  static constexpr int kWindow = kQueryRows + kKeyRows;  ///< factors a tile needs, and one more
};

template <class S>
struct SharedStorage {
  using Element = typename S::Element;
  static constexpr int kPanel = S::kKeyRows * kPanelElements;
  alignas(1024) Element q[S::kQueryStages][S::kPanels * kQueryRows * kPanelElements];
  alignas(1024) Element k[S::kKeyStages][S::kPanels * kPanel];
  alignas(1024) Element v[S::kValueStages][S::kPanels * kPanel];
  alignas(128) float factors[S::kKeyStages][S::kTapa ? S::kWindow : 4];
  Barrier q_full[S::kQueryStages], q_empty[S::kQueryStages];
  Barrier k_full[S::kKeyStages], k_empty[S::kKeyStages];
  Barrier v_full[S::kValueStages], v_empty[S::kValueStages];
  int tile[S::kQueryStages];
};

/// One block of 128 query rows of one head, and the key tiles it meets.
struct Work {
  int batch, head, first_row;
  int key_tiles;
  int open_tiles;  ///< the first ones, which no mask touches; every row sees a key in the others
};

template <class S>
__device__ __forceinline__ Work work_of(const KernelParams& p, int tile) {
  const int row_blocks = (p.rows + kQueryRows - 1) / kQueryRows;
  const int head = tile / row_blocks;
  Work work;
  work.batch = head / p.heads;
  work.head = head % p.heads;
  // The last rows meet the most keys: long work first.
  work.first_row = (row_blocks - 1 - tile % row_blocks) * kQueryRows;
  int64_t met = p.keys, open = p.keys;
  if (p.causal) {
    const int64_t position = work.first_row + p.offset;
    met = max(int64_t{0}, min(met, position + kQueryRows));
    open = max(int64_t{0}, min(open, position));
  }
  work.key_tiles = (static_cast<int>(met) + S::kKeyRows - 1) / S::kKeyRows;
  work.open_tiles = static_cast<int>(open) / S::kKeyRows;
  return work;
}

}  // namespace tapalab::attention
