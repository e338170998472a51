// The attention heads that a file of activations holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/claim.hpp"
#include "sim/density.hpp"

namespace tapalab {

struct ActivationHead {
  std::string query_tensor, key_tensor;
  std::uint32_t head = 0;
  std::string name() const { return query_tensor + ", head " + std::to_string(head); }
};

/// Every head of every pair of tensors NAME.q, NAME.k of shape [heads, tokens, dim], ordered by
/// tensor. Throws InputError where there is none.
std::vector<ActivationHead> activation_heads(const std::string& path);
/// The one that is examined where one must do: head 0 of the last tensor.
ActivationHead examined_head(const std::vector<ActivationHead>& heads);

TokenTable read_head(const std::string& path, const ActivationHead& head);
/// `tokens` tokens from `first` on.
TokenTable token_range(const TokenTable& table, std::size_t first, std::size_t tokens);

/// False where the context names no file, or none that exists: such evidence is then left out.
bool has_activations(const ClaimContext& context);

/// All pairs of the table's tokens as a density.
Density table_density(std::string name, TokenTable table);

}  // namespace tapalab
