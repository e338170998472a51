// From numbers to rows of evidence, and from rows of evidence to a verdict.
#pragma once

#include <string>

#include "analysis/distance_curve.hpp"
#include "proofs-check/ball.hpp"
#include "proofs-check/claim.hpp"

namespace tapalab {

/// `estimate` and half-width as a row's `observed` and `error` columns want them.
std::string error_text(const Quantity& quantity);
std::string error_text(const Ball& ball);
/// Few digits, for text: "7.5e-27".
std::string short_decimal(const Ball& ball, int digits = 3);

/// Certified: `observed` is less than (greater than) `bound`, whatever the balls contain.
Evidence ball_less(std::string quantity, const Ball& observed, const Ball& bound,
                   std::string bound_text);
Evidence ball_greater(std::string quantity, const Ball& observed, const Ball& bound,
                      std::string bound_text);

/// How one engine's interval compares with a certified enclosure.
Evidence agrees_with_ball(std::string engine, std::string quantity, const Quantity& observed,
                          const Ball& truth);
/// True where the interval [lower, upper] of `observed` meets the enclosure.
bool interval_meets(const Quantity& observed, const Ball& truth);

/// The verdict that the evidence carries: `verdict` with `rigor` where every row holds (and there
/// is one), else inconclusive with a reason that names the first row that fails.
void decide(ClaimResult& result, Verdict verdict, Rigor rigor);

/// A scalar witness field.
WitnessField scalar(std::string name, std::string value);

}  // namespace tapalab
