#include "analysis/crosscheck/attention_files.hpp"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "analysis/crosscheck/rounding.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/binary_file.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kLargestTensor = std::uint64_t{1} << 27;
constexpr std::size_t kPart = 4096;  // tokens written at a time

const char* dtype_name(FloatFormat format) {
  switch (format) {
    case FloatFormat::bf16:
      return "BF16";
    case FloatFormat::f16:
      return "F16";
    case FloatFormat::f32:
      return "F32";
    case FloatFormat::f64:
      break;
  }
  return "F64";
}

// The bits of a value of fp16, x being one already.
std::uint64_t half_bits(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t sign = bits >> 63 << 15;
  const std::uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFu;
  if (magnitude < std::bit_cast<std::uint64_t>(0x1p-14)) {
    return sign | static_cast<std::uint64_t>(std::bit_cast<double>(magnitude) * 0x1p24);
  }
  return sign | (((magnitude >> 52) - 1023 + 15) << 10 | (magnitude >> 42 & 0x3FF));
}

std::uint64_t bits_in(FloatFormat format, double x) {
  switch (format) {
    case FloatFormat::bf16:
      return std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16;
    case FloatFormat::f16:
      return half_bits(x);
    case FloatFormat::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    case FloatFormat::f64:
      break;
  }
  return std::bit_cast<std::uint64_t>(x);
}

void append(std::string& bytes, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::string encode(FloatFormat format, const std::vector<double>& values) {
  std::string bytes;
  bytes.reserve(values.size() * byte_width(format));
  for (const double x : values) append(bytes, bits_in(format, x), byte_width(format));
  return bytes;
}

}  // namespace

std::vector<double> read_outputs(const std::string& file, const std::vector<std::uint64_t>& rows,
                                 std::uint64_t seq_len, std::uint32_t dim) {
  BinaryFile input(file);
  const SafetensorsIndex index = read_safetensors_index(input);
  const TensorInfo* tensor = index.find("out");
  if (tensor == nullptr) {
    throw InputError(fmt::format("--observed: {} has no tensor out; accepted: one of that name",
                                 printable(file)));
  }
  std::vector<std::uint64_t> shape = tensor->shape;
  if (shape.size() == 3 && shape.front() == 1) shape.erase(shape.begin());
  const bool whole = shape == std::vector<std::uint64_t>{seq_len, dim};
  if (!tensor->format || (!whole && shape != std::vector<std::uint64_t>{rows.size(), dim})) {
    throw InputError(fmt::format(
        "--observed: out is {} {}; accepted: bf16, f16, f32 or f64 of shape [{}, {}] or [{}, {}]",
        printable(tensor->dtype), shape_text(tensor->shape), seq_len, dim, rows.size(), dim));
  }
  std::vector<double> outputs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t row = whole ? rows[i] : i;
    const auto values = read_stored(input, *tensor, row * dim, dim);
    outputs.insert(outputs.end(), values.begin(), values.end());
  }
  return outputs;
}

void export_golden(const std::string& file, const TokenStream& tokens, FloatFormat io,
                   const AttentionCheck& check, const std::string& description) {
  const std::uint64_t count = tokens.tokens(), dim = tokens.dim();
  if (count > kLargestTensor / dim) {
    throw InputError(fmt::format(
        "--export: {} tokens of {} values are too many for one file; accepted: at most 2^27 values",
        count, dim));
  }
  nlohmann::ordered_json header{{"__metadata__", {{"tapalab", description}}}};
  std::uint64_t offset = 0;
  const auto describe = [&](const char* name, const char* dtype, std::vector<std::uint64_t> shape,
                            std::uint64_t bytes) {
    header[name] = {
        {"dtype", dtype}, {"shape", std::move(shape)}, {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  };
  for (const char* name : {"q", "k", "v"}) {
    describe(name, dtype_name(io), {count, dim}, count * dim * byte_width(io));
  }
  describe("rows", "I64", {check.rows.size()}, check.rows.size() * 8);
  describe("out", "F64", {check.rows.size(), dim}, check.rows.size() * dim * 8);
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string start;
  append(start, text.size(), 8);

  AtomicFile output(file, "--export");
  output.write(start);
  output.write(text);
  for (auto TokenBlock::*part : {&TokenBlock::q, &TokenBlock::k, &TokenBlock::v}) {
    for (std::uint64_t first = 0; first < count; first += kPart) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPart, count - first));
      output.write(encode(io, tokens.read(first, size).*part));
    }
  }
  std::string rows;
  for (const std::uint64_t row : check.rows) append(rows, row, 8);
  output.write(rows);
  output.write(encode(FloatFormat::f64, check.reference));
  output.commit();
}

}  // namespace tapalab
