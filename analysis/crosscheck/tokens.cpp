#include "analysis/crosscheck/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/rounding.hpp"
#include "analysis/crosscheck/samples.hpp"
#include "sim/errors.hpp"
#include "sim/io/binary_file.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/io/token_reader.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kValueSeed = std::uint64_t{1} << 63;

class DensityTokens : public TokenStream {
 public:
  DensityTokens(const Density& density, const Encoding& encoding, std::uint32_t head_dim,
                std::uint64_t tokens, std::uint64_t seed, FloatFormat io)
      : tokens_(tokens),
        dim_(head_dim),
        pairs_(density, encoding, head_dim, seed, io),
        values_(parse_density("gaussian:rho=0"), encoding, head_dim, seed ^ kValueSeed, io) {}
  std::uint64_t tokens() const override { return tokens_; }
  std::uint32_t dim() const override { return dim_; }

  TokenBlock read(std::uint64_t first, std::size_t count) const override {
    PairSamples pairs = pairs_.draw(first, count);
    TokenBlock block{std::move(pairs.q), std::move(pairs.k), {}};
    // A draw of values serves two tokens: its query part the even one, its key part the odd one.
    const PairSamples draws = values_.draw(first / 2, (count + 1) / 2);
    block.v.resize(count * dim_);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& part = i % 2 == 0 ? draws.q : draws.k;
      const auto begin = part.begin() + static_cast<std::ptrdiff_t>(i / 2 * dim_);
      std::copy(begin, begin + static_cast<std::ptrdiff_t>(dim_),
                block.v.begin() + static_cast<std::ptrdiff_t>(i * dim_));
    }
    return block;
  }

 private:
  std::uint64_t tokens_;
  std::uint32_t dim_;
  PairDrawer pairs_, values_;
};

class FileTokens : public TokenStream {
 public:
  FileTokens(const std::string& file, FloatFormat io, std::uint32_t head) {
    const TokenTable pairs = read_tokens(file, "q", "k", head, 0);
    const TokenTable values = read_tokens(file, "q", "v", head, 0);
    dim_ = pairs.head_dim;
    all_ = {rounded(pairs.queries, io, "q"), rounded(pairs.keys, io, "k"),
            rounded(values.keys, io, "v")};
  }
  std::uint64_t tokens() const override { return all_.q.size() / dim_; }
  std::uint32_t dim() const override { return dim_; }

  TokenBlock read(std::uint64_t first, std::size_t count) const override {
    const auto part = [&](const std::vector<double>& values) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first * dim_);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count * dim_));
    };
    return {part(all_.q), part(all_.k), part(all_.v)};
  }

 private:
  static std::vector<double> rounded(std::vector<double> values, FloatFormat io, const char* name) {
    for (double& x : values) {
      const double given = std::exchange(x, round_to(io, x));
      if (std::isfinite(x)) continue;
      throw InputError(
          fmt::format("--inputs: {} holds {}, out of the range of {}; accepted: a wider --io", name,
                      given, precision_name(io)));
    }
    return values;
  }

  std::uint32_t dim_ = 0;
  TokenBlock all_;
};

}  // namespace

std::unique_ptr<TokenStream> density_tokens(const Density& density, const Encoding& encoding,
                                            std::uint32_t head_dim, std::uint64_t tokens,
                                            std::uint64_t seed, FloatFormat io) {
  return std::make_unique<DensityTokens>(density, encoding, head_dim, tokens, seed, io);
}

std::unique_ptr<TokenStream> file_tokens(const std::string& file, FloatFormat io,
                                         std::uint32_t head) {
  return std::make_unique<FileTokens>(file, io, head);
}

std::uint64_t query_heads(const std::string& file) {
  BinaryFile input(file);
  const SafetensorsIndex index = read_safetensors_index(input);
  const TensorInfo* tensor = index.find("q");
  return tensor == nullptr || tensor->shape.size() != 3 ? 1 : tensor->shape.front();
}

}  // namespace tapalab
