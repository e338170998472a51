// RoPE's variance for independent and for correlated coordinates: docs/theory/rope-variance.md.
#pragma once

#include <string>

#include "proofs-check/claim.hpp"

namespace tapalab {

struct RopeVarianceOptions {
  std::string variance = "1";  ///< what is claimed for independent coordinates
};

/// For independent centred coordinates of unit variance RoPE's variance is 1 at every distance.
ClaimResult check_rope_variance(const ClaimContext& context,
                                const RopeVarianceOptions& options = {});

}  // namespace tapalab
