// Assumption 2.1: all pairs of coordinates share their moments.
#pragma once

#include <string>

#include "proofs-check/claim.hpp"

namespace tapalab {

struct Assumption21Options {
  double level = 0.05;  ///< of the whole test, all pairs and quantities together
};

/// Statement: E A_d = mu_0, E B_d = nu_0 and E|q_d k_d|^2 = sigma_0^2 for all d, tested on the
/// queries and keys of a file, averaged over all pairs of tokens and over causal pairs. `not_run`
/// where the context names no file. Throws InputError for a file that cannot be read.
ClaimResult check_assumption_2_1(const ClaimContext& context,
                                 const Assumption21Options& options = {});

}  // namespace tapalab
