// Radial densities: phase scores by quadrature over the scale, rotary scores by closed forms.
#pragma once

#include <string>

#include "analysis/experiment.hpp"

namespace tapalab {

/// tapa in all its forms and rotary scores under student-t-joint and quartic; the points carry
/// task.engine. Where nu <= 4 amplitudes have no variance: variance and variance_excess are unset,
/// and `unavailable` says why. Throws InputError for another density.
DistanceCurve radial_curve(const CurveTask& task);

/// Why scores have no variance; empty where they have one.
std::string without_variance(const RadialDensity& density);

}  // namespace tapalab
