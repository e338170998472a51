// Reader of NumPy's .npy files, versions 1 to 3 (numpy.lib.format).
#pragma once

#include <string>
#include <string_view>

#include "sim/io/tensor.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

/// Reads and checks the header: magic, version, a header of at most 64 KiB inside the file, the
/// three keys of the format once each, a shape whose size in bytes is what the rest of the file
/// holds, to the byte. The tensor's name is the path. '<f2', '<f4' and '<f8' get a `format`;
/// other simple types are described only. Throws InputError with the path and byte offset.
TensorInfo read_npy_header(BinaryFile& file);

/// True where the file starts with the magic of .npy.
bool is_npy(BinaryFile& file);

/// A matrix of at most 2^24 finite numbers, each the exact value of its float: two dimensions, or
/// one, read as a single row. `name` is what messages call it ("M"). Throws InputError.
DecimalMatrix read_npy_matrix(const std::string& path, std::string_view name);

}  // namespace tapalab
