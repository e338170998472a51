// Which estimator a sampling engine uses for the mean.
#pragma once

#include <string>
#include <string_view>

namespace tapalab {

/// plain: scores of samples (engine mc). The others are those of the engine conditional, in which
/// the phase part of k is integrated in closed form given q; they differ in what q is drawn from:
///   conditional    its own law
///   zero_variance  the law times the size of the closed factor, which is the absolute integrand
///   importance     its own law, shrunk towards the critical point q = 0
enum class Estimator { automatic, plain, conditional, zero_variance, importance };

std::string_view to_string(Estimator estimator);

/// auto, plain, conditional, zero-variance or importance. Throws InputError, naming `name`.
Estimator parse_estimator(std::string_view text, std::string_view name);

/// Used by the engine conditional alone.
inline bool is_conditional(Estimator estimator) {
  return estimator != Estimator::automatic && estimator != Estimator::plain;
}

struct EstimatorChoice {
  Estimator estimator = Estimator::automatic;
  std::string reason;  ///< one sentence, for --explain
};

}  // namespace tapalab
