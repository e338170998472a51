// RoPE's frequencies in ball arithmetic, from the specification's decimals and the formulas of
// docs/theory/rope-variants.md: written apart from sim/rope_scaling.cpp, which they certify.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs-check/ball.hpp"
#include "sim/rope_scaling.hpp"

namespace tapalab {

/// base^(-2i/d) in radians a token, i = 0 .. d/2-1.
std::vector<Ball> plain_frequencies_ball(const Ball& base, std::uint32_t d);

/// The number as single precision holds it; a hull where the ball does not decide which.
Ball single_ball(const Ball& x);

struct RopeFrequenciesBall {
  std::uint32_t rotary_dim = 0;  ///< pairs are made of the first d coordinates
  std::vector<Ball> radians;     ///< d/2 of them
  Ball attention_factor{1, 64};  ///< multiplies cosines and sines: logits carry its square
  Ball softmax_factor{1, 64};    ///< what DeepSeek's models multiply the softmax's scale by
};

/// Every scaling; parameters that `lower` (sim/score_model.hpp) accepts. Where a ball does not
/// decide on which side of a limit a frequency falls, the result holds both.
RopeFrequenciesBall rope_frequencies_ball(const RopeParameters& rope, std::uint32_t head_dim,
                                          std::uint64_t sequence_length, slong bits);

}  // namespace tapalab
