// Fits as JSON: `tapalab/fit/1` (docs/schema/fit.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analysis/fit.hpp"

namespace tapalab {

/// One fit: every exponent with its interval, the kind of its error and its level; what is not
/// derived is null.
nlohmann::ordered_json fit_json(const FitResult& fit);

/// The whole document; `provenance` is placed as given.
nlohmann::ordered_json fits_json(const std::vector<FitResult>& fits,
                                 const nlohmann::ordered_json& provenance);

}  // namespace tapalab
