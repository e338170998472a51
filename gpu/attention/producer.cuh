// The producer warp: draws tiles of work and feeds Q, K, V and the phase factors of each key tile
// to the consumers through the copy engine.
#pragma once

#include "gpu/attention/forward_shape.cuh"

namespace tapalab::attention {

template <class S>
__device__ __forceinline__ void produce(const KernelParams& p, SharedStorage<S>& shared) {
  constexpr uint32_t kRowBytes = S::kHeadDim * sizeof(typename S::Element);
  RingPosition<S::kQueryStages> q_ring;
  RingPosition<S::kKeyStages> k_ring;
  RingPosition<S::kValueStages> v_ring;
  const int tiles = (p.rows + kQueryRows - 1) / kQueryRows * p.heads * p.batch;
  int tile = blockIdx.x;
  while (true) {
    Barrier& q_full = shared.q_full[q_ring.index];
    shared.q_empty[q_ring.index].wait(q_ring.parity ^ 1);
    shared.tile[q_ring.index] = tile < tiles ? tile : -1;
    if (tile >= tiles) {
      q_full.arrive();
      // The last block leaves both counters as it found them, ready for the next launch.
      __threadfence();
      if (atomicAdd(p.finished_blocks, 1) == static_cast<int>(gridDim.x) - 1) {
        *p.next_tile = 0;
        *p.finished_blocks = 0;
      }
      return;
    }
    const Work work = work_of<S>(p, tile);
    const int key_head = work.head / p.heads_per_key_head;
    q_full.expect(kQueryRows * kRowBytes);
    for (int panel = 0; panel < S::kPanels; ++panel)
      copy_panel(shared.q[q_ring.index] + panel * kQueryRows * kPanelElements, p.q, q_full,
                 panel * kPanelElements, work.first_row, work.head, work.batch);
    for (int t = work.key_tiles - 1; t >= 0; --t) {
      const int first_key = t * S::kKeyRows;
      Barrier& k_full = shared.k_full[k_ring.index];
      shared.k_empty[k_ring.index].wait(k_ring.parity ^ 1);
      k_full.expect(S::kKeyRows * kRowBytes + (S::kTapa ? S::kWindow * sizeof(float) : 0));
      // The phase half first: its product is the first to start.
      for (int panel = S::kPanels - 1; panel >= 0; --panel)
        copy_panel(shared.k[k_ring.index] + panel * S::kKeyRows * kPanelElements, p.k, k_full,
                   panel * kPanelElements, first_key, key_head, work.batch);
      if constexpr (S::kTapa)
        copy_run(shared.factors[k_ring.index],
                 p.factors + (p.factor_origin + work.first_row - first_key - S::kKeyRows),
                 S::kWindow * sizeof(float), k_full);
      k_ring.advance();
      Barrier& v_full = shared.v_full[v_ring.index];
      shared.v_empty[v_ring.index].wait(v_ring.parity ^ 1);
      v_full.expect(S::kKeyRows * kRowBytes);
      for (int panel = 0; panel < S::kPanels; ++panel)
        copy_panel(shared.v[v_ring.index] + panel * S::kKeyRows * kPanelElements, p.v, v_full,
                   panel * kPanelElements, first_key, key_head, work.batch);
      v_ring.advance();
    }
    q_ring.advance();
    tile = gridDim.x + atomicAdd(p.next_tile, 1);
  }
}

}  // namespace tapalab::attention
