// Theorem 2.1: RoPE's mean comes near every value of an interval. docs/theory/theorem-2.1.md.
#pragma once

#include <cstdint>
#include <string>

#include "proofs-check/claim.hpp"
#include "proofs-check/rope_gap.hpp"

namespace tapalab {

struct Theorem21Options {
  std::string reach = "5";  ///< a distance counts as reaching gamma within this times r/D
};

/// Degree of b^(1/terms) for a rational base "p" or "p/q": that of the irreducible factor over the
/// integers of q X^terms - p which vanishes there. A second way to independent_rank.
std::uint64_t degree_by_factoring(const std::string& numerator, const std::string& denominator,
                                  std::uint64_t terms);

/// A distance, in decimal, at which 2/sqrt(D) E RoPE is near gamma r, for an independent base;
/// mu_0 = r cos(2 pi psi), nu_0 = r sin(2 pi psi), -1 <= gamma <= 1. `bits_per_term` 7 misses each
/// phase by about 0.004 turns.
std::string distance_reaching(const RopeSetting& setting, const std::string& psi_turns,
                              const std::string& gamma, long bits_per_term = 7);

ClaimResult check_theorem_2_1(const ClaimContext& context, const Theorem21Options& options = {});

}  // namespace tapalab
