// Hopper warpgroup matrix products: shared-memory descriptors and m64nNk16 with fp32 accumulators.
//
// Fragment layout of an m64nN accumulator, thread `lane` of warp w in its warpgroup: element r of
// d[N/2] stands at row 16 w + lane/4 + 8 ((r/2) % 2), column 8 (r/4) + 2 (lane % 4) + r % 2.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace tapalab::attention {

/// Bytes of one row of a 128-byte-swizzled panel: 64 elements of two bytes.
inline constexpr int kPanelRowBytes = 128;
inline constexpr int kPanelElements = 64;

/// Descriptor of an operand stored with the 128-byte swizzle. `PanelStride` and `GroupStride` are
/// distances in bytes: between 64-element panels along the contiguous direction (read only for
/// operands whose contiguous direction is N, as V) and between groups of eight rows. Moving by
/// `bytes` adds to the address field alone, so a tile's descriptors cost one addition each.
template <uint32_t PanelStride, uint32_t GroupStride>
struct Descriptor {
  uint32_t low;
  __device__ __forceinline__ explicit Descriptor(uint32_t shared_address)
      : low((shared_address >> 4) | (PanelStride >> 4) << 16) {}
  __device__ __forceinline__ uint64_t at(uint32_t bytes) const {
    constexpr uint32_t kHigh = GroupStride >> 4 | 1u << 30;  // 1 << 62: 128-byte swizzle
    uint64_t descriptor;
    asm("mov.b64 %0, {%1, %2};" : "=l"(descriptor) : "r"(low + (bytes >> 4)), "r"(kHigh));
    return descriptor;
  }
};

__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most `Pending` of the committed groups are still running.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Keeps the compiler from moving reads or writes of a fragment across a wgmma issue or wait.
template <int Count>
__device__ __forceinline__ void pin(float (&fragment)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(fragment[i])::"memory");
}
template <int Count>
__device__ __forceinline__ void pin(uint32_t (&fragment)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(fragment[i])::"memory");
}

/// d (64 x N) = or += A (64 x 16) B (16 x N). `ss`: A and B in shared memory, both with K
/// contiguous. `rs`: A in registers, B in shared memory with N contiguous.
template <class Element, int N>
struct Wgmma;

// Operand lists. "%0".."%127" name the accumulators; the inputs follow them.
#define TAPALAB_R32                                                                            \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24," \
  "%25,%26,%27,%28,%29,%30,%31"
#define TAPALAB_R40 TAPALAB_R32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define TAPALAB_R48 TAPALAB_R40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define TAPALAB_R56 TAPALAB_R48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define TAPALAB_R64 TAPALAB_R56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define TAPALAB_R72 TAPALAB_R64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define TAPALAB_R80 TAPALAB_R72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define TAPALAB_R88 TAPALAB_R80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define TAPALAB_R128                                                                          \
  TAPALAB_R88                                                                                 \
  ",%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107," \
  "%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,"     \
  "%125,%126,%127"
#define TAPALAB_D8(i)                                                                         \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define TAPALAB_D32 TAPALAB_D8(0), TAPALAB_D8(8), TAPALAB_D8(16), TAPALAB_D8(24)
#define TAPALAB_D40 TAPALAB_D32, TAPALAB_D8(32)
#define TAPALAB_D48 TAPALAB_D40, TAPALAB_D8(40)
#define TAPALAB_D56 TAPALAB_D48, TAPALAB_D8(48)
#define TAPALAB_D64 TAPALAB_D56, TAPALAB_D8(56)
#define TAPALAB_D72 TAPALAB_D64, TAPALAB_D8(64)
#define TAPALAB_D80 TAPALAB_D72, TAPALAB_D8(72)
#define TAPALAB_D88 TAPALAB_D80, TAPALAB_D8(80)
#define TAPALAB_D128 \
  TAPALAB_D88, TAPALAB_D8(88), TAPALAB_D8(96), TAPALAB_D8(104), TAPALAB_D8(112), TAPALAB_D8(120)

#define TAPALAB_SS_ASM(N, R, TYPE, A, B, S)                                                       \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %" S                                               \
               ", 0;"                                                                             \
               " wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" TAPALAB_R##R \
               "}, %" A ", %" B ", p, 1, 1, 0, 0; }"                                              \
               : TAPALAB_D##R                                                                     \
               : "l"(a), "l"(b), "r"(accumulate))
#define TAPALAB_RS_ASM(N, R, TYPE, A0, A1, A2, A3, B)                                            \
  asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" TAPALAB_R##R \
               "}, {%" A0 ",%" A1 ",%" A2 ",%" A3 "}, %" B ", 1, 1, 1, 1;"                       \
               : TAPALAB_D##R                                                                    \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

#define TAPALAB_WGMMA_SS(N, R, A, B, S)                                           \
  static __device__ __forceinline__ void ss(float(&d)[R], uint64_t a, uint64_t b, \
                                            int accumulate) {                     \
    if constexpr (std::is_same_v<Element, __half>) {                              \
      TAPALAB_SS_ASM(N, R, "f16", A, B, S);                                       \
    } else {                                                                      \
      TAPALAB_SS_ASM(N, R, "bf16", A, B, S);                                      \
    }                                                                             \
  }
#define TAPALAB_WGMMA_RS(N, R, A0, A1, A2, A3, B)                                          \
  static __device__ __forceinline__ void rs(float(&d)[R], const uint32_t* a, uint64_t b) { \
    if constexpr (std::is_same_v<Element, __half>) {                                       \
      TAPALAB_RS_ASM(N, R, "f16", A0, A1, A2, A3, B);                                      \
    } else {                                                                               \
      TAPALAB_RS_ASM(N, R, "bf16", A0, A1, A2, A3, B);                                     \
    }                                                                                      \
  }

template <class Element>
struct Wgmma<Element, 64> {
  TAPALAB_WGMMA_SS(64, 32, "32", "33", "34")
  TAPALAB_WGMMA_RS(64, 32, "32", "33", "34", "35", "36")
};
template <class Element>
struct Wgmma<Element, 80> {
  TAPALAB_WGMMA_SS(80, 40, "40", "41", "42")
};
template <class Element>
struct Wgmma<Element, 96> {
  TAPALAB_WGMMA_SS(96, 48, "48", "49", "50")
};
template <class Element>
struct Wgmma<Element, 112> {
  TAPALAB_WGMMA_SS(112, 56, "56", "57", "58")
};
template <class Element>
struct Wgmma<Element, 128> {
  TAPALAB_WGMMA_SS(128, 64, "64", "65", "66")
  TAPALAB_WGMMA_RS(128, 64, "64", "65", "66", "67", "68")
};
template <class Element>
struct Wgmma<Element, 256> {
  TAPALAB_WGMMA_RS(256, 128, "128", "129", "130", "131", "132")
};

#undef TAPALAB_WGMMA_SS
#undef TAPALAB_WGMMA_RS
#undef TAPALAB_SS_ASM
#undef TAPALAB_RS_ASM

/// Two floats as one register of two elements, the first in the low half.
template <class Element>
__device__ __forceinline__ uint32_t pack(float low, float high) {
  uint32_t word;
  if constexpr (std::is_same_v<Element, __half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  }
  return word;
}

}  // namespace tapalab::attention
