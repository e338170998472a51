// Scores in the device's own fp64, fp32, bf16 and fp16. Light: no multiprecision, no CUDA.
#pragma once

#include "sim/kernel_batch.hpp"

namespace tapalab::gpu {

/// Every operation is one of the device's instructions in its format. Throw UnavailableError where
/// CUDA fails.
PhaseOutputs phase_scores(const PhaseBatch& batch);
RotaryOutputs rotary_scores(const RotaryBatch& batch);

}  // namespace tapalab::gpu
