// Theorem 2.2: RoPE prefers near keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/claim.hpp"
#include "proofs-check/rope_gap.hpp"

namespace tapalab {

struct Theorem22Options {
  std::string bound = "0.125";  ///< |mu_0|/8 with mu_0 = 1
  /// Distances scanned beyond b in each setting; 0: by effort.
  std::uint64_t scan_length = 0;
};

/// The integers d with 1 < d < b^(1/4)/8, decided by ball.
std::vector<std::uint64_t> near_distances(const std::string& base);

/// The near distance with the smallest C_D, from which the gap breaks first.
std::optional<std::uint64_t> weakest_near_distance(const RopeSetting& setting);

/// Statement: for small 1/b, if 1 < near < b^(1/4)/8 and far > b, then sgn(mu_0)/sqrt(D) (E
/// RoPE(near)
/// - E RoPE(far)) > |mu_0|/8 for large D. Uniformly in the far distance it is refuted: by
/// Dirichlet's theorem at every b and D (docs/theory/theorem-2.2.md), and here by distances found
/// and certified on the bases of real models. With the far distance fixed before D it holds, with a
/// better constant.
ClaimResult check_theorem_2_2(const ClaimContext& context, const Theorem22Options& options = {});

/// A far distance that a row of the claim's evidence certifies to break the uniform reading:
/// C_D(near) - C_D(far) below the bound.
struct CertifiedRecurrence {
  RopeSetting setting;
  std::uint64_t near_distance = 0;
  std::string far_distance;  ///< decimal, of any length
  std::string gap;           ///< as the row says; for any nu_0/mu_0 up to 10 the largest
};
/// Those of the rows of check_theorem_2_2, which may come from a file: they are read from the text
/// of the rows by ball arithmetic that hold.
std::vector<CertifiedRecurrence> certified_recurrences(const std::vector<Evidence>& rows);

/// The smallest even D for which docs/theory/theorem-2.2.md proves the gap above |mu_0|/8 for every
/// near distance of the hypothesis and every far distance in (b, farthest]; `ratio` = |nu_0/mu_0|,
/// a decimal. nullopt where it proves none below 2^62.
std::optional<std::uint64_t> sufficient_head_dim(const std::string& base, AngleUnit angle,
                                                 std::uint64_t farthest, const std::string& ratio);

/// Beyond nu_0 = 0 and D -> infinity: no ratio nu_0/mu_0 saves the uniform reading, and a D that is
/// large enough for bounded far distances.
void check_every_ratio(std::vector<Evidence>& rows);
void check_sufficient_head_dim(std::vector<Evidence>& rows);

}  // namespace tapalab
