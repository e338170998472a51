// Fused attention forward for Hopper: O = softmax(S) V with TAPA scores (eq. 12), or plain ones,
// one pass over the keys. A producer warp feeds tiles through the copy engine to two consumer
// warpgroups of 64 query rows each; blocks are persistent and draw their tiles from a counter.
#pragma once

#include "gpu/attention/consumer.cuh"
#include "gpu/attention/producer.cuh"

namespace tapalab::attention {

template <class S>
__global__ void __launch_bounds__(kThreads, 1)
    attention_forward(const __grid_constant__ KernelParams p) {
  extern __shared__ __align__(1024) uint8_t raw[];
  auto& shared = *reinterpret_cast<SharedStorage<S>*>(raw);
  if (threadIdx.x == 0) {
    prefetch_map(p.q);
    prefetch_map(p.k);
    prefetch_map(p.v);
    const auto prepare = [](Barrier& full, Barrier& empty) {
      full.init(1);
      empty.init(kConsumers * 128);  // one arrival a thread
    };
    for (int i = 0; i < S::kQueryStages; ++i) prepare(shared.q_full[i], shared.q_empty[i]);
    for (int i = 0; i < S::kKeyStages; ++i) prepare(shared.k_full[i], shared.k_empty[i]);
    for (int i = 0; i < S::kValueStages; ++i) prepare(shared.v_full[i], shared.v_empty[i]);
    fence_barrier_init();
  }
  __syncthreads();

  // Uniform over the warp, which the register hand-over needs to see.
  const int role = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0);
  if (role == 0) {
    shrink_registers<kProducerRegisters>();
    if (threadIdx.x == 0) produce<S>(p, shared);
  } else {
    grow_registers<kConsumerRegisters>();
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32 % 4;
    const int warpgroup = role - 1;
    Consumer<S> consumer{
        p, shared,
        Place{warpgroup, lane, kRowsPerWarpgroup * warpgroup + 16 * warp + lane / 4,
              2 * (lane % 4)},
        p.score_scale * 1.44269504088896f,
        RowsDescriptor(shared_address(shared.q[0]) +
                       warpgroup * kRowsPerWarpgroup * kPanelRowBytes)};
    if constexpr (S::kTakeTurns) {
      if (warpgroup == 1) turn_pass(1);
    }
    while (true) {
      const int tile = consumer.await_queries();
      if (tile < 0) break;
      consumer.attend(work_of<S>(p, tile));
    }
  }
}

}  // namespace tapalab::attention
