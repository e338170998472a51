// Reader of .safetensors files (format of the huggingface/safetensors repository).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/io/tensor.hpp"

namespace tapalab {

struct SafetensorsIndex {
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the file's order
  std::vector<TensorInfo> tensors;                            ///< in the order of their data

  /// nullptr for an unknown name.
  const TensorInfo* find(const std::string& name) const;
};

/// Reads and checks the header; no tensor data are read. Refused with InputError, which names the
/// byte offset or the tensor: a header that is longer than 16 MiB or than the file, JSON that is
/// malformed, nested deeper than the format or not of its form, names that stand twice, unknown
/// types, shapes whose size overflows or differs from data_offsets, and data that overlap, leave
/// gaps or do not end with the file.
SafetensorsIndex read_safetensors_index(BinaryFile& file);

}  // namespace tapalab
