#include "proofs-check/activation_heads.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "sim/errors.hpp"
#include "sim/io/binary_file.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/io/token_reader.hpp"

namespace tapalab {

std::vector<ActivationHead> activation_heads(const std::string& path) {
  BinaryFile file(path);
  const SafetensorsIndex index = read_safetensors_index(file);
  std::vector<ActivationHead> heads;
  for (const TensorInfo& tensor : index.tensors) {
    const std::string& q = tensor.name;
    if (q.size() < 3 || q.substr(q.size() - 2) != ".q" || tensor.shape.size() != 3) continue;
    const std::string k = q.substr(0, q.size() - 1) + "k";
    if (index.find(k) == nullptr) continue;
    for (std::uint32_t head = 0; head < tensor.shape[0]; ++head) heads.push_back({q, k, head});
  }
  if (heads.empty())
    throw InputError(path +
                     ": no tensors NAME.q and NAME.k of shape [heads, tokens, dim], which is what "
                     "checks on activations read");
  std::stable_sort(heads.begin(), heads.end(),
                   [](const ActivationHead& a, const ActivationHead& b) {
                     return a.query_tensor < b.query_tensor;
                   });
  return heads;
}

ActivationHead examined_head(const std::vector<ActivationHead>& heads) {
  return *std::find_if(heads.begin(), heads.end(), [&](const ActivationHead& head) {
    return head.query_tensor == heads.back().query_tensor;
  });
}

TokenTable read_head(const std::string& path, const ActivationHead& head) {
  return read_tokens(path, head.query_tensor, head.key_tensor, head.head, 0);
}

TokenTable token_range(const TokenTable& table, std::size_t first, std::size_t tokens) {
  const auto part = [&](const std::vector<double>& values) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first * table.head_dim);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(tokens * table.head_dim));
  };
  return {tokens, table.head_dim, part(table.queries), part(table.keys)};
}

bool has_activations(const ClaimContext& context) {
  std::error_code ignored;
  return !context.activations.empty() && std::filesystem::exists(context.activations, ignored);
}

Density table_density(std::string name, TokenTable table) {
  EmpiricalDensity law;
  law.table = std::make_shared<const TokenTable>(std::move(table));
  return {std::move(name), law};
}

}  // namespace tapalab
