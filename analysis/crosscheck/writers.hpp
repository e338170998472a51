// Cross-checks of scores as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/crosscheck/scores.hpp"

namespace tapalab {

/// For each check what was emulated, whether every error stayed within its bound, the horizon, and
/// one row for each distance and offset.
std::string crosscheck_table(const std::vector<ScoreCheck>& checks);

/// One row for each check, distance and offset.
std::string crosscheck_csv(const std::vector<ScoreCheck>& checks);

/// The parts of `tapalab/crosscheck/1`. Numbers that are not finite, and errors of no finite score,
/// are null.
nlohmann::ordered_json crosscheck_json(const ScoreCheck& check);
nlohmann::ordered_json precisions_json(FloatFormat dtype, const Precisions& precisions);
nlohmann::ordered_json summary_json(const ErrorSummary& summary);
nlohmann::ordered_json budget_json(const Budget& budget);

/// "safe up to 12 (13 is not)".
std::string horizon_text(const Horizon& horizon);

}  // namespace tapalab
