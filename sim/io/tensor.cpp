#include "sim/io/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

std::uint64_t TensorInfo::elements() const {
  std::uint64_t product = 1;
  for (const auto extent : shape) product *= extent;
  return product;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::optional<std::uint64_t> checked_product(std::uint64_t first, std::uint64_t second) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(first, second, &product)) return std::nullopt;
  return product;
}

std::vector<double> read_stored(BinaryFile& file, const TensorInfo& tensor, std::uint64_t first,
                                std::uint64_t count) {
  if (!tensor.format)
    throw InputError(fmt::format(
        "{}: tensor {} has dtype {}; bf16, f16, f32 and f64 (little endian) are accepted",
        printable(file.path()), printable(tensor.name), printable(tensor.dtype)));
  const std::uint64_t width = byte_width(*tensor.format);
  const auto bytes = file.read(tensor.byte_offset + first * width, count * width, "tensor data");
  return decode_floats(*tensor.format, bytes.data(), count);
}

std::vector<double> read_row_major(BinaryFile& file, const TensorInfo& tensor) {
  std::vector<double> stored = read_stored(file, tensor, 0, tensor.elements());
  if (!tensor.fortran_order || tensor.shape.size() < 2) return stored;
  std::vector<double> values(stored.size());
  std::vector<std::uint64_t> index(tensor.shape.size(), 0);
  for (const double value : stored) {
    std::uint64_t position = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      position = position * tensor.shape[axis] + index[axis];
    values[position] = value;
    for (std::size_t axis = 0; axis < index.size() && ++index[axis] == tensor.shape[axis]; ++axis)
      index[axis] = 0;
  }
  return values;
}

}  // namespace tapalab
