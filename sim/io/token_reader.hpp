// Queries and keys of one attention head from a file of activations.
#pragma once

#include <cstdint>
#include <string>

#include "sim/density.hpp"

namespace tapalab {

/// Reads the queries and keys of query head `head`, without the first `skip` tokens.
///
/// `file` is a .safetensors file and the tensors are names in it; where `file` is empty,
/// `query_tensor` and `key_tensor` are paths of .npy files. Layouts: [head, token, dim], or
/// [token, dim] for a single head. Types: bf16, f16, f32, f64, little endian (.npy has no bf16).
/// Queries may have more heads than keys (grouped-query attention): with q_heads a multiple of
/// k_heads, query head h uses key head h * k_heads / q_heads, as model implementations repeat
/// their keys. Tokens and dim must be equal, dim at most 65536.
///
/// Only the parts in use are read. Throws InputError for every fault of the files, for a head that
/// does not exist, for no tokens left after `skip`, and for a NaN or infinity anywhere in the head
/// (skipped tokens included), naming the tensor and the index.
TokenTable read_tokens(const std::string& file, const std::string& query_tensor,
                       const std::string& key_tensor, std::uint32_t head, std::uint64_t skip);

}  // namespace tapalab
