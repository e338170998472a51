// RoPE's mean at distances of hundreds of digits, in an arithmetic that shares nothing with Arb.
#pragma once

#include <string>

#include "proofs-check/rope_gap.hpp"

namespace tapalab {

/// 2/(sqrt(D) r) E RoPE with mu_0 = r cos(2 pi psi), nu_0 = r sin(2 pi psi), term by term in 1024
/// bits (Boost): 40 digits, good to 1e-38 for distances below 10^250.
std::string rope_mean_long(const RopeSetting& setting, const std::string& psi_turns,
                           const std::string& distance);

}  // namespace tapalab
