#include "sim/io/token_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/errors.hpp"
#include "sim/io/npy.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kLargestDim = 65536;

/// One tensor seen as heads x tokens x dim.
struct HeadLayout {
  std::uint64_t heads, tokens, dim;
};

std::string label(const BinaryFile& file, const TensorInfo& tensor) {
  if (tensor.name == file.path()) return printable(file.path());
  return fmt::format("{}: tensor {}", printable(file.path()), printable(tensor.name));
}

HeadLayout head_layout(const BinaryFile& file, const TensorInfo& tensor) {
  const auto& shape = tensor.shape;
  if (shape.size() != 2 && shape.size() != 3)
    throw InputError(
        fmt::format("{} has shape {}; [head, token, dim] and [token, dim] are accepted",
                    label(file, tensor), shape_text(shape)));
  if (!tensor.format) {
    const bool raw = tensor.dtype == "|V2" || tensor.dtype == "<V2";
    throw InputError(fmt::format(
        "{} has dtype {}; {}", label(file, tensor), printable(tensor.dtype),
        raw ? "two raw bytes may be bf16 or anything else: save float32, or bf16 as .safetensors"
            : "bf16 (.safetensors), f16, f32 and f64, little endian, are accepted"));
  }
  const HeadLayout layout{shape.size() == 3 ? shape[0] : 1, shape[shape.size() - 2], shape.back()};
  if (layout.heads == 0 || layout.tokens == 0 || layout.dim == 0 || layout.dim > kLargestDim)
    throw InputError(
        fmt::format("{} has shape {}; at least one head, one token and 1 to {} dimensions "
                    "are accepted",
                    label(file, tensor), shape_text(shape), kLargestDim));
  return layout;
}

/// The values of one head from token `skip` on, token by token; all of the head is checked.
std::vector<double> read_head(BinaryFile& file, const TensorInfo& tensor, const HeadLayout& layout,
                              std::uint64_t head, std::uint64_t skip) {
  const std::uint64_t size = layout.tokens * layout.dim;
  std::vector<double> values;
  if (tensor.fortran_order) {
    const auto all = read_row_major(file, tensor);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(head * size);
    values.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
  } else {
    values = read_stored(file, tensor, head * size, size);
  }
  for (std::uint64_t i = 0; i < size; ++i) {
    if (std::isfinite(values[i])) continue;
    const auto token = i / layout.dim, dim = i % layout.dim;
    throw InputError(fmt::format(
        "{} holds {} at {}; finite numbers are accepted", label(file, tensor), values[i],
        tensor.shape.size() == 3 ? shape_text({head, token, dim}) : shape_text({token, dim})));
  }
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(skip * layout.dim));
  return values;
}

TokenTable read_table(BinaryFile& query_file, const TensorInfo& query, BinaryFile& key_file,
                      const TensorInfo& key, std::uint32_t head, std::uint64_t skip) {
  const HeadLayout q = head_layout(query_file, query);
  const HeadLayout k = head_layout(key_file, key);
  if (q.tokens != k.tokens || q.dim != k.dim || q.heads % k.heads != 0)
    throw InputError(fmt::format(
        "{} has shape {} and {} has shape {}; equal tokens and dim, and query heads that are a "
        "multiple of the key heads, are accepted",
        label(query_file, query), shape_text(query.shape), label(key_file, key),
        shape_text(key.shape)));
  if (head >= q.heads)
    throw InputError(fmt::format("head={}: {} has {} head{}; 0 to {} are accepted", head,
                                 label(query_file, query), q.heads, q.heads == 1 ? "" : "s",
                                 q.heads - 1));
  if (skip >= q.tokens)
    throw InputError(fmt::format("skip={}: {} has {} tokens; 0 to {} are accepted", skip,
                                 label(query_file, query), q.tokens, q.tokens - 1));
  TokenTable table;
  table.tokens = q.tokens - skip;
  table.head_dim = static_cast<std::uint32_t>(q.dim);
  table.queries = read_head(query_file, query, q, head, skip);
  table.keys = read_head(key_file, key, k, head / (q.heads / k.heads), skip);
  return table;
}

const TensorInfo& named(const BinaryFile& file, const SafetensorsIndex& index,
                        const std::string& name) {
  if (const auto* tensor = index.find(name)) return *tensor;
  std::string names;
  constexpr std::size_t kListed = 12;
  for (std::size_t i = 0; i < index.tensors.size() && i < kListed; ++i)
    names += (i == 0 ? "" : ", ") + printable(index.tensors[i].name);
  if (index.tensors.size() > kListed)
    names += fmt::format(" and {} more", index.tensors.size() - kListed);
  throw InputError(fmt::format("{}: no tensor {}; it holds {}", printable(file.path()),
                               printable(name), names.empty() ? "none" : names));
}

}  // namespace

TokenTable read_tokens(const std::string& file, const std::string& query_tensor,
                       const std::string& key_tensor, std::uint32_t head, std::uint64_t skip) {
  if (file.empty()) {
    BinaryFile query_file(query_tensor), key_file(key_tensor);
    const auto query = read_npy_header(query_file);
    const auto key = read_npy_header(key_file);
    return read_table(query_file, query, key_file, key, head, skip);
  }
  BinaryFile tensors(file);
  if (is_npy(tensors))
    throw InputError(
        fmt::format("{}: is a .npy file; file= takes a .safetensors file, q= and k= take .npy "
                    "files without file=",
                    printable(file)));
  const auto index = read_safetensors_index(tensors);
  return read_table(tensors, named(tensors, index, query_tensor), tensors,
                    named(tensors, index, key_tensor), head, skip);
}

}  // namespace tapalab
