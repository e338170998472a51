// What a .npy or .safetensors file holds.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tapalab {

/// Values of one tensor; the numbers are set for bf16, f16, f32 and f64 alone.
struct ValueReport {
  std::uint64_t finite = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  /// Over the finite values; unset where there is none.
  std::optional<double> min, max, mean;
};

struct TensorReport {
  std::string name;
  std::string dtype;  ///< as the file spells it
  std::vector<std::uint64_t> shape;
  bool fortran_order = false;
  std::uint64_t byte_offset = 0;  ///< in the file
  std::uint64_t byte_count = 0;
  std::optional<ValueReport> values;  ///< unset for types that are not read
};

struct FileReport {
  std::string path;
  std::string format;  ///< "npy" or "safetensors"
  std::uint64_t bytes = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the file's order
  std::vector<TensorReport> tensors;                          ///< in the order of their data
};

/// Reads the file once, in parts of at most 8 MiB. The kind is told by the first bytes, not by the
/// name. The mean is exact to about 1e-15 of the mean magnitude. Throws InputError for every fault
/// of the file.
FileReport inspect_file(const std::string& path);

/// {"file", "format", "bytes", "metadata": {..}, "tensors": [{"name", "dtype", "shape", "order":
/// "C"|"F", "byte_offset", "bytes", "values": {"finite", "nan", "infinite", "min", "max", "mean"} |
/// null}]}; undefined numbers are null.
nlohmann::json to_json(const FileReport& report);

}  // namespace tapalab
