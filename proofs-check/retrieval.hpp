// The retrieval figure of the paper beside a probe that needs no trained model.
#pragma once

#include "proofs-check/claim.hpp"

namespace tapalab {

/// Needles among 2^16 keys under TAPA with phases of many turns and with small ones, and under RoPE
/// (docs/theory/retrieval.md).
ClaimResult check_retrieval(const ClaimContext& context);

}  // namespace tapalab
