// Queries, keys and values of one attention head, token by token, in the io type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/density.hpp"
#include "sim/io/float_formats.hpp"

namespace tapalab {

/// Row by row, dim values each.
struct TokenBlock {
  std::vector<double> q, k, v;
};

class TokenStream {
 public:
  virtual ~TokenStream() = default;
  virtual std::uint64_t tokens() const = 0;
  virtual std::uint32_t dim() const = 0;
  /// Tokens first .. first + count - 1, within the stream. first is a multiple of 32.
  virtual TokenBlock read(std::uint64_t first, std::size_t count) const = 0;
};

/// Token i has the query and key of draw i of the density for `seed`; values are independent
/// standard normals of seed + 2^63. Throws as PairDrawer does.
std::unique_ptr<TokenStream> density_tokens(const Density& density, const Encoding& encoding,
                                            std::uint32_t head_dim, std::uint64_t tokens,
                                            std::uint64_t seed, FloatFormat io);

/// Tensors q, k and v of a .safetensors file, [head, token, dim] or [token, dim]; keys and values
/// may have fewer heads than queries, as in read_tokens. Throws InputError as read_tokens does,
/// and where a value leaves the range of `io`.
std::unique_ptr<TokenStream> file_tokens(const std::string& file, FloatFormat io,
                                         std::uint32_t head = 0);
/// Heads of the tensor q: 1 where it has two dimensions, or is none that file_tokens reads.
std::uint64_t query_heads(const std::string& file);

}  // namespace tapalab
