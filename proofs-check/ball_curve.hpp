// The engine `ball`: mean, envelope and variance as certified enclosures (Arb).
#pragma once

#include "analysis/experiment.hpp"

namespace tapalab {

/// Every phase score and the rotary ones of rotary_score_ball under joint Gaussians and mixtures;
/// split and linear TAPA, and rotary scores, under independent coordinates. The precision is
/// doubled until mean and variance meet 1e-12 (of the envelope, of the variance); what falls short
/// even then is target_not_met, its interval as sound as any. Errors are rigorous, of kind ball.
/// Throws InputError for other tasks.
DistanceCurve ball_curve(const CurveTask& task);

}  // namespace tapalab
