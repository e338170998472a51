// Fused attention forward with TAPA scores (eq. 12), in C++. The C interface is attention_c.h.
//
//   out[m] = sum_n softmax_n(score(m, n)) value[n],
//   score(m, n) = q_A.k_A/sqrt(dA) * cos(2 pi s(|m + offset - n|) q_P.k_P/sqrt(dP)),
//
// with the first dA = amplitude_dim coordinates as amplitude and the other dP as phase. With
// amplitude_dim = 0 the same kernels compute plain attention, score = q.k/sqrt(D).
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace tapalab {
enum class PhaseLaw;  // sim/encoding.hpp
}

namespace tapalab::attention {

enum class Precision { bf16, fp16 };

/// Strides in elements of a (batch, head, row, column) tensor; columns are contiguous. Any order
/// of batch, head and row in memory will do: bshd, bhsd, slices of a packed qkv.
struct Strides {
  std::int64_t batch = 0, head = 0, row = 0;
};

/// All pointers are device memory. Nothing is read outside the described tensors.
struct Problem {
  const void* query = nullptr;  ///< [batch][heads][rows][head_dim]
  const void* key = nullptr;    ///< [batch][key_heads][keys][head_dim]
  const void* value = nullptr;  ///< [batch][key_heads][keys][head_dim]
  void* out = nullptr;          ///< [batch][heads][rows][head_dim]
  /// [batch][heads][rows], natural logarithm of the softmax denominator; may be null. A row that
  /// sees no key has out = 0 and log-sum-exp = -inf.
  float* log_sum_exp = nullptr;
  Strides query_strides, key_strides, value_strides, out_strides;

  Precision precision = Precision::bf16;
  int batch = 1;
  int heads = 1;
  int key_heads = 1;  ///< divides heads; query head h reads key head h / (heads / key_heads)
  std::int64_t rows = 0, keys = 0;
  int head_dim = 128;
  int amplitude_dim = 64;   ///< dA; 0 for plain attention
  std::int64_t offset = 0;  ///< position of query 0 when key 0 stands at 0; decoding: keys - rows
  bool causal = false;      ///< query m sees keys n <= m + offset

  double alpha = 0.1;
  PhaseLaw law{};  ///< power unless set
};

/// Bytes of device memory that `prepare` and `forward` need for this problem, aligned to 256.
/// Throws InputError when the problem is malformed.
std::size_t workspace_bytes(const Problem& problem);

/// Prepares the workspace; needed before the first `forward` on it, for plain attention too. It
/// receives s(|distance|)/sqrt(dP) for every distance of the problem, computed in
/// double and rounded once. Depends on rows, keys, offset, alpha, law and the dimensions alone,
/// so one call serves many forward calls.
void prepare(const Problem& problem, void* workspace, CUstream_st* stream);

/// Computes out and log_sum_exp. The results do not change from run to run. Calls that may run at
/// the same time need workspaces of their own. Throws InputError when the problem is malformed
/// and UnavailableError when the device cannot run it.
void forward(const Problem& problem, void* workspace, CUstream_st* stream);

}  // namespace tapalab::attention
