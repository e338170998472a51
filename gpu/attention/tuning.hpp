// Tile shapes, pipeline depths and register budgets of the attention kernels, all in one place.
// Measured choices: docs/results/attention-forward.md.
#pragma once

namespace tapalab::attention {

/// How a phase product becomes a cosine. The factor beside it is s/sqrt(dP) for `turns`, 2 pi times
/// that for `radians`.
enum class Reduction {
  turns,    ///< reduced by fused multiply-adds first; any distance
  radians,  ///< left to the special-function unit, three instructions fewer; moderate phases
};

/// The largest s(distance) for which `radians` is chosen: its phase error, 2^-22 of the phase, is
/// then at most four times what rounding the factor alone costs, and 2^-16 turns per unit of
/// q_P.k_P/sqrt(dP).
inline constexpr double kLargestScaleInRadians = 64.0;

/// Tile and pipeline for one head dimension and kind of score.
struct Tuning {
  int key_rows;                                ///< keys in a tile, a multiple of 16
  int query_stages, key_stages, value_stages;  ///< buffers for Q, K and V
  bool take_turns;                             ///< the two warpgroups issue their products in turn
  bool weigh_first;      ///< weights before it is known whether they are too large
  int polynomial_share;  ///< of 8 cosines, how many avoid the special-function unit
};

/// Accumulators of a consumer thread: head_dim/2 for the output, key_rows for the two score
/// products, key_rows/4 for the weights; they and about 30 more must fit 240 registers.
/// Multiply-adds that run beside the tensor cores wait for register ports, so that no share of
/// polynomials gains.
constexpr Tuning tuning(int head_dim, bool tapa, Reduction how) {
  if (head_dim == 256) return {tapa ? 64 : 80, 1, 2, 2, true, false, 0};
  if (head_dim == 64) return {128, 1, 2, 2, !tapa, false, 0};
  if (!tapa) return {128, 2, 2, 2, true, false, 0};
  // The explicit reduction needs the registers that weighing first would take.
  if (how == Reduction::turns) return {112, 1, 3, 3, false, false, 0};
  return {112, 2, 3, 2, false, true, 0};
}

inline constexpr int kRowsPerWarpgroup = 64;
inline constexpr int kConsumers = 2;  ///< warpgroups that compute
inline constexpr int kQueryRows = kConsumers * kRowsPerWarpgroup;
inline constexpr int kThreads = (kConsumers + 1) * 128;
// A block owns the registers it was launched with, 168 a thread; a hand-over that asks for more
// would wait for ever.
inline constexpr int kProducerRegisters = 24;
inline constexpr int kConsumerRegisters = 240;
static_assert(kProducerRegisters + kConsumers * kConsumerRegisters <= (kConsumers + 1) * 168);

}  // namespace tapalab::attention
