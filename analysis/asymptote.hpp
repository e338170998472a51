// What is derived about the decay of the envelope |Phi_1| of a phase score: its logarithm and local
// exponent at every finite distance where a closed form exists, and the limit of that exponent.
// Derivations: docs/theory/fits.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analysis/quantity.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace tapalab {

/// A double with a bound of its rounding error (a running estimate, not certified).
struct Rounded {
  double value = 0;
  double error = 0;
};

/// power: the local exponent tends to `exponent`; faster_than_power: it tends to -infinity;
/// not_predicted: nothing is derived for this case, `reason` says why.
enum class AsymptoteKind { power, faster_than_power, not_predicted };

struct Asymptote {
  AsymptoteKind kind = AsymptoteKind::not_predicted;
  /// d ln|Phi_1| / d ln s and d ln|Phi_1| / d ln distance in the limit; exact but for the rounding
  /// of alpha times an integer or half-integer. Set for `power` alone.
  std::optional<double> exponent_in_scale;
  std::optional<double> exponent_in_distance;
  std::string reason;  ///< one sentence: why this limit, or why none
};

/// No limit is derived, for `reason`.
Asymptote not_predicted(std::string reason);

/// The decay of one phase score under one density.
struct DecayLaw {
  /// t = t_per_scale * s. For split and linear-phase TAPA 2 pi/sqrt(dP); in general
  /// 2 pi |N|_F/sqrt(rank N), which is the same for N = I/sqrt(dP).
  double t_per_scale = 0;
  /// d ln s / d ln distance: alpha for the power law, 1 for the linear one.
  double scale_exponent = 1;
  /// s(distance), relative error below 1e-14 (times ln distance for the power law).
  std::function<double(std::uint64_t distance)> scale;
  /// ln|Phi_1| at s, up to a constant; an error of infinity where nothing is known at that s, empty
  /// where nothing is derived at any.
  std::function<Rounded(double s)> log_envelope;
  /// d ln|Phi_1| / d ln s at s; as above.
  std::function<Rounded(double s)> exponent_in_scale;
  /// What the errors of both are: rounding of a closed form, or estimates of quadrature.
  ErrorKind predicted_kind = ErrorKind::rounding;
  Asymptote asymptote;
};

/// Throws InputError for encodings whose mean does not decay with the distance (rope, nope), and
/// where the encoding does not fit the head dimension or the density.
DecayLaw decay_law(const Encoding& encoding, const Density& density, std::uint32_t head_dim);

}  // namespace tapalab
