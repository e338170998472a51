// Closed forms of split TAPA (eq. 12) under a joint Gaussian of independent coordinate pairs, in
// ball arithmetic. Written from the one-pair characteristic function, not from the matrix formula
// that the exact engine uses, so that the two check each other.
#pragma once

#include <cstdint>
#include <string>

#include "proofs-check/ball.hpp"
#include "sim/density.hpp"

namespace tapalab {

/// q_A.k_A/sqrt(dA) cos(2 pi s q_P.k_P/sqrt(dP)), s = distance^alpha; every amplitude pair has the
/// law `amplitude`, every phase pair the law `phase`.
struct SplitGaussian {
  std::uint32_t amplitude_dim = 64;
  std::uint32_t phase_dim = 64;
  std::string alpha = "0.1";
  PairLaw amplitude;
  PairLaw phase;
};

/// s(distance) = distance^alpha (eq. 9); 0 at distance 0.
Ball phase_scale_ball(const std::string& alpha, std::uint64_t distance, slong bits);

/// E e^(i t x y) for one pair of coordinates.
ComplexBall pair_transform_ball(const PairLaw& law, const Ball& t);

/// E a and E a^2 of the amplitude a = q_A.k_A/sqrt(dA).
Ball amplitude_mean_ball(const SplitGaussian& model, slong bits);
Ball amplitude_square_ball(const SplitGaussian& model, slong bits);

struct ScoreBalls {
  Ball mean;
  Ball envelope;  ///< |Phi_1|
  Ball variance;
  Ball variance_excess;  ///< Var - E a^2/2
};
ScoreBalls split_gaussian_ball(const SplitGaussian& model, std::uint64_t distance, slong bits);

/// Theorem 3.2 with its constant: l^-dP ||w^||_1, l = s/sqrt(dP), where for phase coordinates of
/// any means ||w^||_1 = |E a| (2 pi scale_q scale_k)^-dP (1 - rho^2)^(-dP/2): a shift turns w^ by a
/// unimodular factor. `scale_factor` multiplies l: 1 is right, 2 is what the printed proof uses.
/// Throws InputError where |rho| = 1, a scale is not positive or distance is 0.
Ball bias_bound_ball(const SplitGaussian& model, std::uint64_t distance, slong scale_factor,
                     slong bits);

}  // namespace tapalab
