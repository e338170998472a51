// What a model's config.json says of its rotary embedding, with the frequencies that follow.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/io/model_config.hpp"

namespace tapalab {

struct RopeReport {
  ModelRope model;
  std::uint64_t sequence_length = 0;  ///< the frequencies are those of this length
  RopeFrequencies frequencies;
  Wide softmax_scale_factor{1};
};

struct ConfigReport {
  std::string path;
  std::vector<RopeReport> layers;  ///< one where all layers are alike
};

/// Reads a configuration; `sequence_length` unset: the trained context, else 1. Throws InputError
/// for every fault of the file.
ConfigReport inspect_config(const std::string& path, std::optional<std::uint64_t> sequence_length);

/// {"file", "format": "config", "rope": R} with R = {"type", "base", "head_dim", "rotary_dim",
/// "sequence_length", "inverse_frequencies" (radians per token), "wavelengths" (tokens, null where
/// not rotated), "scaling" ("kept"|"blended"|"divided"|"unrotated" for each pair),
/// "attention_factor", "softmax_scale_factor", "warnings"}, or an object of such R by layer type.
nlohmann::ordered_json to_json(const ConfigReport& report);

/// "kept", "blended", "divided" or "unrotated".
const char* to_string(PairScaling scaling);

}  // namespace tapalab
