// What a model's config.json says of its rotary embedding.
//
// Keys: `rope_parameters {...}` that holds everything (possibly one object per layer type), or
// `rope_scaling {rope_type or type, ...}` beside top-level `rope_theta` and
// `partial_rotary_factor`. head_dim defaults to hidden_size / num_attention_heads, rope_theta to
// 10000, original_max_position_embeddings (a top-level one goes before a nested one) to
// max_position_embeddings. A configuration is not trusted: whatever is not understood is refused or
// warned about.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/rope_scaling.hpp"

namespace tapalab {

struct ModelRope {
  std::string layer_type;  ///< empty where all layers are alike
  std::string type;        ///< rope_type as given, "default" where none is
  RopeParameters rope;
  std::uint32_t head_dim = 0;
  std::uint64_t original = 0;   ///< tokens of the trained context; 0: not given
  bool scales_softmax = false;  ///< the model's code multiplies its softmax scale (DeepSeek)
  bool interleaved = false;     ///< rope_interleave: pairs are adjacent coordinates
  std::vector<std::string> warnings;
};

struct ModelConfig {
  std::string path;
  std::vector<ModelRope> layers;  ///< at least one

  /// The layers of this type; "" where there is but one. Throws InputError, naming the types.
  const ModelRope& layer(std::string_view type) const;
};

/// Reads a file of at most 16 MiB. Throws InputError, naming the file and the key, for malformed
/// JSON, repeated keys, values of another kind or out of range, unknown rope types, and keys that
/// contradict each other.
ModelConfig read_model_config(const std::string& path);

/// The same from text; `path` is what messages call it.
ModelConfig parse_model_config(std::string_view text, const std::string& path);

}  // namespace tapalab
