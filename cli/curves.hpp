// What curve, bias and variance have in common.
#pragma once

#include <vector>

#include "analysis/distance_curve.hpp"
#include "analysis/experiment_spec.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/sampling.hpp"

namespace tapalab::cli {

enum class CurveQuantity { all, mean, variance };

/// The whole command: computes and writes. Returns the exit code.
int run_curves(const Arguments& arguments, CurveQuantity quantity, const std::string& description,
               const std::string& example);

/// Every curve of the tasks, with progress, its samples from the session; says which engine ran
/// where that was asked for. Curves have no points on ranks that only help (session.reports()).
std::vector<DistanceCurve> compute_curves(std::vector<CurveTask> tasks, SamplingSession& session,
                                          const OutputFlags& output);

/// Plot and result, to where `output` says.
void write_curves(const std::vector<DistanceCurve>& curves, const ExperimentSpec& spec,
                  const nlohmann::ordered_json& provenance, Format format, CurveQuantity quantity,
                  const OutputFlags& output);

/// 4 where a point did not meet its target, else 0.
int target_code(const std::vector<DistanceCurve>& curves);

}  // namespace tapalab::cli
