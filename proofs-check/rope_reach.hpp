// Distances at which given frequencies come close to given phases, by lattice reduction.
#pragma once

#include <string>
#include <vector>

#include "proofs-check/ball.hpp"

namespace tapalab {

/// A positive integer t of about `bits` bits, in decimal, with t f_j near target_j modulo 1 for all
/// j. Of n frequencies each is missed by about 2^(-bits/(n + 1)) turns: LLL and Babai's nearest
/// plane, which promise nothing; the caller certifies what was reached. The balls must hold more
/// than 2 bits + 64 bits. Throws InputError for lists of different or no length.
std::string reach_phases(const std::vector<Ball>& frequencies_turns,
                         const std::vector<Ball>& targets_turns, long bits);

}  // namespace tapalab
