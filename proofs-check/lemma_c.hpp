// Lemmas C.1 and C.2: bounds on C_D and S_D (eq. 24 to 27), docs/theory/lemma-c.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proofs-check/claim.hpp"
#include "proofs-check/rope_sums.hpp"

namespace tapalab {

/// The constants of the two lemmas, with L = ln b, w = 2 pi for turns and 1 for radians:
///   |C_D(l)| <= cosine b/(w l L) + eps,   |S_D(l)| <= sine/L + eps                        (C.1)
///   C_D(l) > 1/2 (1 - e) cos(w l b^-e) - offset/L - eps  where w l b^-e < pi/2            (C.2)
///   eps = alpha + epsilon w l b^-alpha/D, for all alpha > 0.
struct LemmaConstants {
  std::string cosine, sine, offset, epsilon;  ///< decimals
};
/// As printed (in turns): 2/(pi l) = 4/(w l); 2; 1; 4 pi = 2 w.
LemmaConstants printed_constants();
/// What Ci and Si give, rounded up in the second digit.
LemmaConstants sharper_constants(AngleUnit angle);

struct LemmaOptions {
  LemmaConstants printed = printed_constants();
  LemmaConstants sharper_turns = sharper_constants(AngleUnit::turns);
  LemmaConstants sharper_radians = sharper_constants(AngleUnit::radians);
};

enum class Lemma { c1_cosine, c1_sine, c2 };

/// What is certified: every real b in [10, b_max] with D > 4 ln b and every real l >= 1.
struct LemmaRegion {
  Lemma lemma = Lemma::c1_cosine;
  AngleUnit angle = AngleUnit::turns;
  std::uint32_t head_dim = 128;  ///< 0: the limit D -> infinity, without eps
  double base_max = 1e8;
  LemmaConstants constants = printed_constants();
};

struct LemmaBoxes {
  std::uint64_t decided = 0;    ///< boxes in which the bound was certified from the sums
  std::uint64_t vacuous = 0;    ///< boxes in which it says no more than |C_D|, |S_D| <= 1/2
  std::uint64_t undecided = 0;  ///< smallest boxes in which the bound was not certified
  bool tail = false;            ///< distances beyond the boxes are covered too
  RopeBox first_undecided;
  bool holds() const { return decided + vacuous > 0 && undecided == 0 && tail; }
};

/// Branch and bound with balls over the region. Stops at the first undecided box.
LemmaBoxes certify_lemma(const LemmaRegion& region);

/// The infimum over alpha > 0 of alpha + a b^-alpha, which `eps` attains or comes down to:
/// (1 + ln(a L))/L where a L > 1, else a.
Ball least_epsilon(const Ball& a, const Ball& log_base);

ClaimResult check_lemma_c_1(const ClaimContext& context, const LemmaOptions& options = {});
ClaimResult check_lemma_c_2(const ClaimContext& context, const LemmaOptions& options = {});

}  // namespace tapalab
