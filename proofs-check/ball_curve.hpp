// The engine `ball`: mean, envelope and variance as certified enclosures (Arb).
#pragma once

#include <optional>

#include "analysis/experiment.hpp"
#include "proofs-check/ball.hpp"

namespace tapalab {

/// Every phase score and every rotary one under joint Gaussians, mixtures, student-t-joint and
/// quartic, and over the pairs of a file's tokens, with or without a bandwidth; split and linear
/// TAPA, and rotary scores, under independent coordinates. The precision is
/// doubled until mean and variance meet 1e-12 (of the envelope, of the variance); what falls short
/// even then is target_not_met, its interval as sound as any. Errors are rigorous, of kind ball.
/// Throws InputError for other tasks.
DistanceCurve ball_curve(const CurveTask& task);

/// The same quantities at one distance and one precision, as balls; not finite where that precision
/// is far too little.
struct PointBalls {
  Ball mean, envelope, variance;
  std::optional<Ball> excess;  ///< Var - E a^2/2; phase scores alone
  bool has_variance = true;    ///< false: infinite, and `variance` and `excess` say nothing

  bool is_finite() const {
    const bool spread = !has_variance || (variance.is_finite() && (!excess || excess->is_finite()));
    return mean.is_finite() && envelope.is_finite() && spread;
  }
};
PointBalls point_balls(const CurveTask& task, std::uint64_t distance, slong bits);

}  // namespace tapalab
