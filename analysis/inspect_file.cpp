#include "analysis/inspect_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/io/npy.hpp"
#include "sim/io/safetensors.hpp"

namespace tapalab {
namespace {

ValueReport report_values(BinaryFile& file, const TensorInfo& tensor) {
  constexpr std::uint64_t kTogether = 1U << 20;
  ValueReport report;
  long double sum = 0;  // its range holds any sum of doubles, its 64 digits keep the mean
  for (std::uint64_t first = 0; first < tensor.elements(); first += kTogether) {
    const auto count = std::min(kTogether, tensor.elements() - first);
    for (const double value : read_stored(file, tensor, first, count)) {
      if (std::isnan(value)) {
        ++report.nan;
      } else if (std::isinf(value)) {
        ++report.infinite;
      } else {
        ++report.finite;
        report.min = std::min(report.min.value_or(value), value);
        report.max = std::max(report.max.value_or(value), value);
        sum += value;
      }
    }
  }
  if (report.finite > 0)
    report.mean = static_cast<double>(sum / static_cast<long double>(report.finite));
  return report;
}

TensorReport report_tensor(BinaryFile& file, const TensorInfo& tensor) {
  TensorReport report;
  report.name = tensor.name;
  report.dtype = tensor.dtype;
  report.shape = tensor.shape;
  report.fortran_order = tensor.fortran_order;
  report.byte_offset = tensor.byte_offset;
  report.byte_count = tensor.byte_count;
  if (tensor.format) report.values = report_values(file, tensor);
  return report;
}

nlohmann::json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

FileReport inspect_file(const std::string& path) {
  BinaryFile file(path);
  FileReport report;
  report.path = path;
  report.bytes = file.size();
  if (is_npy(file) || path.ends_with(".npy")) {
    report.format = "npy";
    report.tensors.push_back(report_tensor(file, read_npy_header(file)));
    return report;
  }
  report.format = "safetensors";
  const auto index = read_safetensors_index(file);
  report.metadata = index.metadata;
  for (const auto& tensor : index.tensors) report.tensors.push_back(report_tensor(file, tensor));
  return report;
}

nlohmann::json to_json(const FileReport& report) {
  nlohmann::json json{{"file", report.path},
                      {"format", report.format},
                      {"bytes", report.bytes},
                      {"metadata", nlohmann::json::object()},
                      {"tensors", nlohmann::json::array()}};
  for (const auto& [key, value] : report.metadata) json["metadata"][key] = value;
  for (const auto& tensor : report.tensors) {
    nlohmann::json values;
    if (tensor.values)
      values = {{"finite", tensor.values->finite},
                {"nan", tensor.values->nan},
                {"infinite", tensor.values->infinite},
                {"min", number_or_null(tensor.values->min)},
                {"max", number_or_null(tensor.values->max)},
                {"mean", number_or_null(tensor.values->mean)}};
    json["tensors"].push_back({{"name", tensor.name},
                               {"dtype", tensor.dtype},
                               {"shape", tensor.shape},
                               {"order", tensor.fortran_order ? "F" : "C"},
                               {"byte_offset", tensor.byte_offset},
                               {"bytes", tensor.byte_count},
                               {"values", values}});
  }
  return json;
}

}  // namespace tapalab
