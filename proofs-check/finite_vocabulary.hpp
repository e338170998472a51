// Finitely many tokens: the mean over their pairs does not decay.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs-check/claim.hpp"

namespace tapalab {

/// A pair of tokens: the score is amplitude cos(2 pi s phi).
struct TokenPairValue {
  double amplitude;
  double phi;
};

/// Mean square over s in [0, infinity) of M(s) = 1/n sum_p a_p cos(2 pi s phi_p), exactly as the
/// values stand: n^-2 [(sum over phi = 0 of a)^2 + 1/2 sum over v > 0 of (sum over |phi| = v of
/// a)^2].
double mean_square_over_scales(std::vector<TokenPairValue> pairs);

/// Rows of +-1 coordinates as bits: bit j of word w is coordinate 64 w + j, set for -1.
/// True where scale q.k/root is a whole number for every pair of rows, in integers alone.
bool phases_are_whole(const std::vector<std::uint64_t>& queries,
                      const std::vector<std::uint64_t>& keys, std::int64_t scale,
                      std::int64_t root);

/// Statement: the root mean square over s is sqrt(E a^2/2)/T; +-1 tokens with dP = 64, alpha = 0.1
/// revive exactly at distance 2^20. Proof: docs/theory/finite-vocabulary.md.
ClaimResult check_finite_vocabulary(const ClaimContext& context);

}  // namespace tapalab
