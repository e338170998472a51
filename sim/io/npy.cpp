#include "sim/io/npy.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>

#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLongestNpyHeader = 1 << 16;

/// The header is a Python dictionary literal; only what numpy writes is accepted of it.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text, std::uint64_t offset)
      : path_(path), text_(text), offset_(offset) {}

  void parse(TensorInfo& tensor) {
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const auto at = position_;
      const std::string key = quoted();
      expect(':');
      bool& seen = key == "descr"           ? descr
                   : key == "fortran_order" ? order
                   : key == "shape"         ? shape
                                            : unknown(key, at);
      if (seen) fail(at, fmt::format("key {} stands twice", printable(key)));
      seen = true;
      if (key == "descr") {
        if (peek() == '[')
          fail(position_, "structured types are not read; '<f2', '<f4' and '<f8' are accepted");
        tensor.dtype = quoted();
      } else if (key == "fortran_order") {
        tensor.fortran_order = boolean();
      } else {
        tensor.shape = tuple();
      }
      if (!accept(',') && peek() != '}') fail(position_, "expected ',' or '}'");
    }
    if (peek() != '\0' || position_ < text_.size()) fail(position_, "unexpected text after '}'");
    if (!descr || !order || !shape)
      fail(0, "the keys 'descr', 'fortran_order' and 'shape' are required");
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw InputError(
        fmt::format("{}: .npy header at byte offset {}: {}", printable(path_), offset_ + at, what));
  }
  [[noreturn]] bool& unknown(const std::string& key, std::size_t at) const {
    fail(at, fmt::format("unknown key {}; 'descr', 'fortran_order' and 'shape' are accepted",
                         printable(key)));
  }
  char peek() {
    while (position_ < text_.size() && std::strchr(" \t\r\n", text_[position_]) != nullptr &&
           text_[position_] != '\0')
      ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || position_ >= text_.size()) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(position_, fmt::format("expected '{}'", c));
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(position_, "expected a string in quotes");
    const auto end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) fail(position_, "a string is not closed");
    std::string result(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return result;
  }
  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail(position_, "'fortran_order' must be True or False");
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      if (values.size() == 32) fail(position_, "more than 32 dimensions");
      peek();
      std::uint64_t value = 0;
      const char* begin = text_.data() + position_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc()) fail(position_, "a dimension must be an integer from 0 to 2^64-1");
      position_ += static_cast<std::size_t>(end - begin);
      accept('L');  // Python 2 wrote long integers so
      values.push_back(value);
      if (!accept(',') && peek() != ')') fail(position_, "expected ',' or ')'");
    }
    return values;
  }

  const std::string& path_;
  std::string_view text_;
  std::uint64_t offset_;
  std::size_t position_ = 0;
};

/// Bytes per element of a simple type such as '<f4' or '|V2'; U counts four-byte characters.
std::uint64_t item_size(const std::string& path, const std::string& descr) {
  std::uint64_t size = 0;
  const char* end = descr.data() + descr.size();
  const bool simple = descr.size() >= 3 && std::strchr("<>|=", descr[0]) != nullptr &&
                      std::isalpha(static_cast<unsigned char>(descr[1])) != 0;
  // A time type carries its unit in brackets after the size.
  const auto parsed =
      simple ? std::from_chars(descr.data() + 2, end, size) : std::from_chars_result{};
  if (!simple || parsed.ec != std::errc() || (parsed.ptr != end && *parsed.ptr != '[') ||
      size > (1U << 20))
    throw InputError(
        fmt::format("{}: 'descr' {} is no simple type; '<f2', '<f4' and '<f8' are accepted",
                    printable(path), printable(descr)));
  return descr[1] == 'U' ? 4 * size : size;
}

std::optional<FloatFormat> float_format(const std::string& descr) {
  if (descr == "<f2") return FloatFormat::f16;
  if (descr == "<f4") return FloatFormat::f32;
  if (descr == "<f8") return FloatFormat::f64;
  return std::nullopt;
}

}  // namespace

bool is_npy(BinaryFile& file) {
  if (file.size() < kMagic.size()) return false;
  const auto start = file.read(0, kMagic.size(), "the magic number");
  return std::memcmp(start.data(), kMagic.data(), kMagic.size()) == 0;
}

TensorInfo read_npy_header(BinaryFile& file) {
  const auto fail = [&](const std::string& what) {
    throw InputError(printable(file.path()) + ": " + what);
  };
  if (!is_npy(file)) fail("no .npy file: byte offset 0 must hold \"\\x93NUMPY\"");
  const auto version = file.read(kMagic.size(), 2, "the version");
  if (version[0] < 1 || version[0] > 3 || version[1] != 0)
    fail(fmt::format("version {}.{} at byte offset 6; 1.0, 2.0 and 3.0 are accepted", version[0],
                     version[1]));
  const unsigned length_bytes = version[0] == 1 ? 2 : 4;
  const std::uint64_t start = 8 + length_bytes;
  const auto length =
      little_endian(file.read(8, length_bytes, "the header length").data(), length_bytes);
  if (length > kLongestNpyHeader)
    fail(fmt::format("the header length at byte offset 8 is {}; at most {} is accepted", length,
                     kLongestNpyHeader));
  const auto bytes = file.read(start, length, "the header");

  TensorInfo tensor;
  tensor.name = file.path();
  HeaderParser(file.path(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, start)
      .parse(tensor);
  tensor.format = float_format(tensor.dtype);
  tensor.byte_offset = start + length;
  std::optional<std::uint64_t> size = item_size(file.path(), tensor.dtype);
  for (const auto extent : tensor.shape)
    if (size) size = checked_product(*size, extent);
  const auto held = file.size() - tensor.byte_offset;
  if (!size || *size != held)
    fail(fmt::format(
        "shape {} of {} needs {} bytes of data at byte offset {}, but the file holds {}",
        shape_text(tensor.shape), printable(tensor.dtype),
        size ? std::to_string(*size) : "more than 2^64-1", tensor.byte_offset, held));
  tensor.byte_count = *size;
  return tensor;
}

DecimalMatrix read_npy_matrix(const std::string& path, std::string_view name) {
  BinaryFile file(path);
  const TensorInfo tensor = read_npy_header(file);
  const auto rank = tensor.shape.size();
  if ((rank != 1 && rank != 2) || tensor.elements() == 0 || tensor.elements() > (1U << 24))
    throw InputError(
        fmt::format("{}: {} has shape {}; one or two dimensions and 1 to 2^24 numbers are accepted",
                    name, printable(path), shape_text(tensor.shape)));
  const auto values = read_row_major(file, tensor);
  DecimalMatrix matrix;
  matrix.rows = rank == 1 ? 1 : tensor.shape[0];
  matrix.cols = tensor.shape[rank - 1];
  matrix.entries.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw InputError(fmt::format("{}: {} holds {} at [{}, {}]; finite numbers are accepted", name,
                                   printable(path), values[i], i / matrix.cols, i % matrix.cols));
    matrix.entries.push_back(ExactDecimal::from_double(values[i], name));
  }
  return matrix;
}

}  // namespace tapalab
