// Which estimator a sampling engine uses for the mean.
#pragma once

#include <string>
#include <string_view>

namespace tapalab {

/// Scores of samples (engines mc and qmc):
///   plain          independent samples
///   antithetic     samples are pairs that differ in the sign of the part of k that q does not
///                  determine; each pair's average is one sample
///   qmc            points of scrambled Sobol sequences, in replicas (engine qmc)
/// Of the engine conditional, in which the phase part of k is integrated in closed form given q;
/// they differ in what q is drawn from:
///   conditional    its own law
///   zero_variance  the law times the size of the closed factor, which is the absolute integrand
///   importance     its own law, shrunk towards the critical point q = 0
/// And:
///   standard       nothing was asked for: plain with mc, and what `automatic` says with
///   conditional automatic      the best of the engine's own in a pilot run
enum class Estimator {
  standard,
  automatic,
  plain,
  antithetic,
  qmc,
  conditional,
  zero_variance,
  importance
};

/// `standard` is "auto": it has no name of its own.
std::string_view to_string(Estimator estimator);

/// auto, plain, antithetic, qmc, conditional, zero-variance or importance. Throws InputError,
/// naming `name`.
Estimator parse_estimator(std::string_view text, std::string_view name);

/// Used by the engine conditional alone.
inline bool is_conditional(Estimator estimator) {
  return estimator == Estimator::conditional || estimator == Estimator::zero_variance ||
         estimator == Estimator::importance;
}

/// Of scores that are drawn.
inline bool draws_scores(Estimator estimator) {
  return estimator == Estimator::plain || estimator == Estimator::antithetic ||
         estimator == Estimator::qmc;
}

struct EstimatorChoice {
  Estimator estimator = Estimator::standard;
  std::string reason;  ///< one sentence, for --explain
};

}  // namespace tapalab
