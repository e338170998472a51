#include "analysis/crosscheck/attention_files.hpp"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "analysis/crosscheck/rounding.hpp"
#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/binary_file.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kLargestTensor = std::uint64_t{1} << 27;
constexpr std::size_t kTokensAtOnce = 4096;  // tokens written at a time

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

namespace {

// The token of each row of `out`, where the file says it in a tensor of integers.
std::vector<std::uint64_t> read_rows(BinaryFile& input, const TensorInfo& tensor) {
  if (tensor.dtype != "I64" || tensor.shape.size() != 1) {
    throw InputError(fmt::format("--observed: rows is {} {}; accepted: I64 of one dimension",
                                 printable(tensor.dtype), shape_text(tensor.shape)));
  }
  const auto bytes = input.read(tensor.byte_offset, tensor.byte_count, "rows");
  std::vector<std::uint64_t> rows(static_cast<std::size_t>(tensor.elements()), 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    rows[i / 8] |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * (i % 8));
  }
  std::unordered_set<std::uint64_t> seen;
  for (const std::uint64_t row : rows) {
    if (row >> 63 != 0 || !seen.insert(row).second) {
      throw InputError(fmt::format("--observed: rows names token {}{}; accepted: each token once",
                                   static_cast<std::int64_t>(row), row >> 63 != 0 ? "" : " twice"));
    }
  }
  return rows;
}

// Where each of `wanted` stands in `held`.
std::vector<std::uint64_t> places_of(const std::vector<std::uint64_t>& wanted,
                                     const std::vector<std::uint64_t>& held) {
  std::unordered_map<std::uint64_t, std::uint64_t> place;
  for (std::size_t i = 0; i < held.size(); ++i) place.emplace(held[i], i);
  std::vector<std::uint64_t> places;
  for (const std::uint64_t row : wanted) {
    const auto found = place.find(row);
    if (found == place.end()) {
      throw InputError(fmt::format(
          "--observed: its tensor rows does not hold token {}; accepted: --rows as the file was "
          "made with, or none",
          row));
    }
    places.push_back(found->second);
  }
  return places;
}

}  // namespace

std::vector<std::uint64_t> observed_rows(const std::string& file) {
  BinaryFile input(file);
  const SafetensorsIndex index = read_safetensors_index(input);
  const TensorInfo* tensor = index.find("rows");
  return tensor == nullptr ? std::vector<std::uint64_t>{} : read_rows(input, *tensor);
}

std::vector<double> read_outputs(const std::string& file, const std::vector<std::uint64_t>& rows,
                                 std::uint64_t seq_len, std::uint32_t dim, std::uint32_t head) {
  BinaryFile input(file);
  const SafetensorsIndex index = read_safetensors_index(input);
  const TensorInfo* tensor = index.find("out");
  if (tensor == nullptr) {
    throw InputError(fmt::format("--observed: {} has no tensor out; accepted: one of that name",
                                 printable(file)));
  }
  std::uint64_t count = seq_len;
  std::vector<std::uint64_t> places = rows;
  if (const TensorInfo* held = index.find("rows")) {
    const std::vector<std::uint64_t> tokens = read_rows(input, *held);
    count = tokens.size();
    places = places_of(rows, tokens);
  }
  std::vector<std::uint64_t> shape = tensor->shape;
  std::uint64_t first = 0;  // of the head
  if (shape.size() == 3 && (shape.front() == 1 || head < shape.front())) {
    if (shape.front() > 1) first = std::uint64_t{head} * count * dim;
    shape.erase(shape.begin());
  }
  if (!tensor->format || shape != std::vector<std::uint64_t>{count, dim}) {
    throw InputError(fmt::format(
        "--observed: out is {} {}; accepted: bf16, f16, f32 or f64 of shape [{}, {}], or of "
        "several heads{}",
        printable(tensor->dtype), shape_text(tensor->shape), count, dim,
        index.find("rows") ? ", one for each of rows"
                           : ", or fewer beside a tensor rows that says which tokens they are"));
  }
  std::vector<double> outputs;
  for (const std::uint64_t place : places) {
    const auto values = read_stored(input, *tensor, first + place * dim, dim);
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
    for (std::uint64_t first = 0; first < count; first += kTokensAtOnce) {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(kTokensAtOnce, count - first));
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
