// What curve, bias and variance have in common.
#pragma once

#include <vector>

#include "analysis/distance_curve.hpp"
#include "analysis/experiment_spec.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"

namespace tapalab::cli {

enum class CurveQuantity { all, mean, variance };

/// The whole command: computes and writes. Returns the exit code.
int run_curves(const Arguments& arguments, CurveQuantity quantity, const std::string& description,
               const std::string& example);

/// Every curve of the experiment, with progress; says which engine ran where that was asked for.
std::vector<DistanceCurve> compute_curves(const ExperimentSpec& spec, unsigned threads,
                                          const OutputFlags& output);

/// 4 where a point did not meet its target, else 0.
int target_code(const std::vector<DistanceCurve>& curves);

}  // namespace tapalab::cli
