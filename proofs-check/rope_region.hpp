// How large nu_0/mu_0 may be in Theorem 2.2 with the far distance fixed and D -> infinity.
#pragma once

#include <string>

#include "proofs-check/ball.hpp"
#include "proofs-check/rope_gap.hpp"

namespace tapalab {

/// The limit of the gap exceeds bound |mu_0| for every near distance with 1 < near < b^(1/4)/8 and
/// every far > b if |nu_0/mu_0| <= holds, and for some near and real far it does not at `fails`.
struct RatioLimit {
  Ball holds;
  Ball fails;
};
/// Certified by balls on far/b; b > 65536, so that a near distance exists (else InputError).
RatioLimit ratio_limit(const std::string& base, AngleUnit angle, const std::string& bound);

}  // namespace tapalab
