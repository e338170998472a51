// Results as JSON: `tapalab/curve/1` (docs/schema/curve.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "analysis/distance_curve.hpp"

namespace tapalab {

/// name, spec as given, and every parameter as exact decimal text, matrices row by row. What this
/// writes, analysis/experiment_file.hpp reads.
nlohmann::ordered_json encoding_json(const Encoding& encoding);
nlohmann::ordered_json density_json(const Density& density);

/// sign (null where unresolved), decimal (17 digits, authoritative), log10_abs, value (nearest
/// double; null beyond its range) and error; null where unset. The ends of the interval are
/// rounded outwards. Undefined numbers are null.
nlohmann::ordered_json quantity_json(const std::optional<Quantity>& quantity);

/// Holds no thread count, time or path of its own: the same experiment gives the same bytes.
nlohmann::ordered_json curve_json(const DistanceCurve& curve);

/// The whole document; `provenance` and `experiment` are placed as given.
nlohmann::ordered_json curves_json(const std::vector<DistanceCurve>& curves,
                                   const nlohmann::ordered_json& experiment,
                                   const nlohmann::ordered_json& provenance);

/// Serialised with two spaces of indent and a newline at the end; arrays of plain values stand on
/// one line.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace tapalab
