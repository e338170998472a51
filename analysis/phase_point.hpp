// From Phi_1 and Phi_2 of a phase score to the quantities of a result: what the exact and the
// quadrature engine share.
#pragma once

#include "analysis/distance_curve.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// A real number and a bound (or estimate) of its error.
struct Estimate {
  Wide value{0};
  Wide error{0};
};

/// Of a score a cos(2 pi s phi) at one distance.
struct PhaseParts {
  WideComplex first;       ///< Phi_1(2 pi s)
  Wide first_error{0};     ///< of its modulus
  Wide first_bound{0};     ///< |Phi_1| is at most this, whatever the phase: E|a| or more
  bool underflow = false;  ///< |Phi_1| is below the range of Wide: `first` is a bound
  Estimate excess;         ///< Var - E[a^2]/2
  Estimate variance;
  Estimate second_moment;                         ///< E[a^2]
  ErrorKind first_kind = ErrorKind::rounding;     ///< of mean and envelope
  ErrorKind variance_kind = ErrorKind::rounding;  ///< of variance and excess
  bool has_variance = true;  ///< E a^2 is finite; else variance and excess stay unset
};

/// Mean, envelope, variance and excess with errors that no longer reach past what is always true
/// (|mean| <= envelope <= E|a|, 0 <= Var <= E a^2), and the status: converged where the mean's
/// error is at most 1e-12 of the envelope and the variance's at most 1e-12 of the variance, or
/// exactly 0.
CurvePoint phase_point(std::uint64_t distance, Engine engine, const PhaseParts& parts);

/// `estimate`, known to lie in [low, high], as a result prints it: 17 digits of it and of the ends
/// of its interval, which is part of the error.
Quantity bounded_quantity(const Estimate& estimate, const Wide& low, const Wide& high,
                          ErrorKind kind);

/// Whether the error is at most 1e-12 of `size`, what exact and quadrature results promise.
bool meets_promise(const Quantity& quantity, const Wide& size);

}  // namespace tapalab
