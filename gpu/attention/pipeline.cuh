// Synchronisation inside a block: mbarriers between the copy engine and the consumers, named
// barriers between the consumer warpgroups, and the register budgets of the two roles.
#pragma once

#include <cstdint>

namespace tapalab::attention {

__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

struct Barrier {
  uint64_t state;

  __device__ void init(uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state)),
                 "r"(arrivals)
                 : "memory");
  }
  /// One arrival that also announces `bytes` of copies still to land.
  __device__ __forceinline__ void expect(uint32_t bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&state)),
        "r"(bytes)
        : "memory");
  }
  __device__ __forceinline__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state))
                 : "memory");
  }
  /// Whether the phase of this parity has completed; asked early, it hides the answer's latency.
  __device__ __forceinline__ bool ready(uint32_t parity) {
    uint32_t answer;
    asm volatile(
        "{ .reg .pred done;\n"
        "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done; }"
        : "=r"(answer)
        : "r"(shared_address(&state)), "r"(parity)
        : "memory");
    return answer != 0;
  }
  /// Returns once the phase of this parity has completed.
  __device__ __forceinline__ void wait(uint32_t parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again; }" ::"r"(shared_address(&state)),
        "r"(parity)
        : "memory");
  }
};

/// Makes initialised barriers visible to the copy engine.
__device__ __forceinline__ void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Makes this thread's ordinary writes to shared memory visible to products and the copy engine.
__device__ __forceinline__ void fence_shared_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Position in a ring of `Stages` buffers. The parity starts at 0 for the side that waits for
/// full buffers; the side that waits for empty ones waits for `parity ^ 1`.
template <int Stages>
struct RingPosition {
  int index = 0;
  uint32_t parity = 0;
  __device__ __forceinline__ void advance() {
    if (++index == Stages) {
      index = 0;
      parity ^= 1;
    }
  }
};

/// Named barriers 1 and 2 give the tensor cores to warpgroup 0 and 1 in turn; 0 is __syncthreads.
__device__ __forceinline__ void turn_wait(int warpgroup) {
  asm volatile("bar.sync %0, 256;" ::"r"(1 + warpgroup) : "memory");
}
__device__ __forceinline__ void turn_pass(int warpgroup) {
  asm volatile("bar.arrive %0, 256;" ::"r"(1 + (warpgroup ^ 1)) : "memory");
}

template <int Registers>
__device__ __forceinline__ void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

}  // namespace tapalab::attention
