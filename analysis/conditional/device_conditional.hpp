// Conditional means on a device.
#pragma once

#include <string>

#include "analysis/experiment.hpp"

namespace tapalab {

/// conditional_curve's means under Gaussians, sampled on task.device with the estimators
/// zero_variance and importance (a Gaussian of a tenth more variance). Throws as device_curve.
DistanceCurve device_conditional_curve(const CurveTask& task);
/// Why that does not apply; empty where it does.
std::string device_conditional_refusal(const CurveTask& task);

}  // namespace tapalab
