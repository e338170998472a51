// One coordinate of query and key, its key integrated in closed form given the query.
#pragma once

#include <string>

#include "analysis/conditional/proposal.hpp"
#include "analysis/estimator.hpp"
#include "analysis/experiment.hpp"
#include "sim/marginal_law.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// q has density f((q - mean_q)/scale_q)/scale_q, and k given q is mean_k + slope (q - mean_q) +
/// spread Y with a symmetric Y of characteristic function F. So
///   E[e^(i t q k) | q] = F(t spread q) e^(i t q (mean_k + slope (q - mean_q))).
struct ConditionalPair {
  MarginalLaw<double> query, key;
  double mean_q, scale_q, mean_k, slope, spread;

  double log_density(double q) const;
  /// ln |F(w)|, -infinity where it is 0 (or, for bump and student-t, below 1e-308), and its sign.
  double log_factor(double w, int& sign) const;
  /// ln of the size of F near w: of |F|, or of its swing where F changes sign.
  double log_size(double w) const;
  /// E[k | q]
  double key_mean(double q) const { return mean_k + slope * (q - mean_q); }
  /// E[q k]
  double product_mean() const { return mean_q * mean_k + slope * scale_q * scale_q; }
};

/// A split score a cos(2 pi s phi) under independent pairs of coordinates: a has `amplitude_dim`
/// pairs of the law `amplitude`, phi `phase_dim` of the law `phase`.
struct SplitProblem {
  ConditionalPair amplitude, phase;
  std::uint32_t amplitude_dim, phase_dim;
  double amplitude_weight;  ///< of each product, 1/sqrt(dA)
  PhaseScore score;

  /// t of phi = sum of t q k at a distance, in radians: 2 pi s/sqrt(dP). Throws InputError where t
  /// times what q and k are like is above 1e140.
  double frequency(std::uint64_t distance) const;
};

/// Why the engine conditional does not apply to the task; empty where it does.
std::string conditional_refusal(const CurveTask& task);

/// Throws InputError where conditional_refusal has a reason.
SplitProblem split_problem(const CurveTask& task);

/// What q is drawn from at frequency t.
Proposal make_proposal(const ConditionalPair& pair, Estimator estimator, double t);

}  // namespace tapalab
