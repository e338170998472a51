// The law of a distractor's score given the query, and what follows from it.
#pragma once

#include <cstdint>

#include "analysis/phase_scale.hpp"

namespace tapalab {

/// Given q, a phase score is a cos(2 pi s phi) with (a, phi) jointly Gaussian.
struct GivenQueryPhase {
  double amplitude_mean = 0, amplitude_sd = 0;
  double phi_mean = 0, phi_sd = 0;  ///< turns per unit of s
  double correlation = 0;
};

/// Phases as wide as this, in radians, are uniform modulo a turn to 3e-18.
inline constexpr double kUniformPhase = 9;

/// P(a cos(2 pi s phi) > x): the trapezoidal rule over the phase's normal, or over a uniform angle
/// from kUniformPhase on. Error below 1e-12 where |x| > amplitude_sd/4; nearer to 0 the integrand
/// has a step, and the error is up to 1e-2.
double probability_above(const GivenQueryPhase& law, double x, double s);

struct LogProbability {
  double value = 0;
  double error = 0;  ///< estimate of the quadrature's
};

/// log of the product over the distances 1 .. length of P(score <= x). Sums over distances are
/// integrals from 64 on (midpoint rule read backwards: the difference is below 1/(24 64^2) of a
/// logarithm), since P is smooth in the logarithm of the distance.
LogProbability log_all_below(const GivenQueryPhase& law, const PhaseScaleDouble& scale, double x,
                             std::uint64_t length);

/// log P(N(0, 1) <= y).
double log_normal_below(double y);

}  // namespace tapalab
