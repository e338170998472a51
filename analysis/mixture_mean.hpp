// Mixtures whose means cancel exactly, such as two clusters of opposite sign.
#pragma once

#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace tapalab {

/// The mean is exactly 0 at every distance: among the components of each phase law (of all, for
/// rotary scores) the weighted E q_i k_i sum to 0, in exact arithmetic of the decimals. False where
/// that cannot be told so: tapa-general, and components with a covariance.
bool mixture_mean_vanishes(const MixtureDensity& density, const Encoding& encoding);

}  // namespace tapalab
