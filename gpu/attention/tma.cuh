// The copy engine: tiles of a (batch, head, row, column) tensor into swizzled panels, and plain
// runs of bytes.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "gpu/attention/pipeline.cuh"

namespace tapalab::attention {

/// Copies a box whose corner is (column, row, head, batch); rows past the end read as zero.
__device__ __forceinline__ void copy_panel(void* target, const CUtensorMap& map, Barrier& done,
                                           int column, int row, int head, int batch) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(shared_address(target)),
      "l"(&map), "r"(shared_address(&done.state)), "r"(column), "r"(row), "r"(head), "r"(batch)
      : "memory");
}

/// Copies `bytes` (a multiple of 16, both addresses aligned to 16).
__device__ __forceinline__ void copy_run(void* target, const void* source, uint32_t bytes,
                                         Barrier& done) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(target)),
      "l"(source), "r"(bytes), "r"(shared_address(&done.state))
      : "memory");
}

__device__ __forceinline__ void prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

}  // namespace tapalab::attention
