// Where a tensor lies in a file, and reading a part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/io/binary_file.hpp"
#include "sim/io/float_formats.hpp"

namespace tapalab {

/// A tensor as its file's header describes it, already checked against the size of the file:
/// `byte_offset + byte_count` lies within it and byte_count fits the shape.
struct TensorInfo {
  std::string name;
  std::string dtype;                  ///< as the file spells it: "BF16", "<f4"
  std::optional<FloatFormat> format;  ///< unset for types that are not read (integers, ...)
  std::vector<std::uint64_t> shape;
  bool fortran_order = false;  ///< first index fastest; else the last
  std::uint64_t byte_offset = 0;
  std::uint64_t byte_count = 0;

  std::uint64_t elements() const;
};

/// "[4, 2048, 64]".
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// first * second, or nothing where it passes 2^64 - 1.
std::optional<std::uint64_t> checked_product(std::uint64_t first, std::uint64_t second);

/// Elements first .. first + count - 1, counted in the order in which they are stored. Throws
/// InputError for types that are not read.
std::vector<double> read_stored(BinaryFile& file, const TensorInfo& tensor, std::uint64_t first,
                                std::uint64_t count);

/// The whole tensor with the last index fastest.
std::vector<double> read_row_major(BinaryFile& file, const TensorInfo& tensor);

}  // namespace tapalab
