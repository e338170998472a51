// Encodings and Gaussian densities as forms in balls, from their exact decimals: what the ball
// engine certifies. Nothing here is taken from the numbers that the other engines compute with.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/experiment.hpp"
#include "proofs-check/gaussian_transform_ball.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// x = mean + S y, y ~ N(0, I), with a probability.
struct WeightedFormsBall {
  Ball weight;
  GaussianFormsBall forms;
};

/// The joint Gaussian of the task's density, 2 head_dim coordinates, or every one of a mixture;
/// product densities by their means and scales, whose second moments decide rotary scores, and
/// radial ones by their mean and covariance. Throws InputError for other densities.
std::vector<WeightedFormsBall> gaussian_laws_ball(const CurveTask& task, slong bits);

/// Adds amplitude and phase (in turns per unit of s) of a phase encoding: eq. 9, 10, 12, 16.
void add_phase_score_ball(const CurveTask& task, GaussianFormsBall& forms, slong bits);

/// s(distance).
Ball phase_scale_ball(const CurveTask& task, std::uint64_t distance, slong bits);

/// Of a rotary encoding at one distance: the score as `amplitude` terms (eq. 2, 3), what is added
/// to every score, and the sizes that bound its mean at any distance.
struct RotaryScoreBall {
  struct Pair {
    std::uint32_t first, second;
    Ball weight;  ///< scale times the square of the attention factor times the decay
    Ball turns;   ///< angle at this distance
  };
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> plain;
  Ball scale;
  Ball offset;
};

/// Every rotary encoding. Throws InputError for phase encodings.
RotaryScoreBall rotary_score_ball(const Encoding& encoding, std::uint32_t head_dim,
                                  std::uint64_t distance, slong bits);

void add_rotary_score_ball(const RotaryScoreBall& score, std::uint32_t head_dim,
                           GaussianFormsBall& forms);

/// scale sum_d w_d sqrt(mu_d^2 + nu_d^2) + |plain part| + |offset|: see CurvePoint::envelope.
Ball rotary_envelope_ball(const RotaryScoreBall& score, std::uint32_t head_dim,
                          const std::vector<WeightedFormsBall>& laws, slong bits);

}  // namespace tapalab
