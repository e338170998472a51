#include <cuda_runtime.h>

#include "gpu/attention/launch.cuh"

namespace tapalab::attention {
namespace {

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// Through the runtime, so that nothing links against the driver library.
EncodeTiled encoder() {
  static const EncodeTiled function = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                             cudaEnableDefault, &result),
            "cuTensorMapEncodeTiled");
    if (result != cudaDriverEntryPointSuccess)
      throw UnavailableError("attention: the driver lacks cuTensorMapEncodeTiled");
    return reinterpret_cast<EncodeTiled>(found);
  }();
  return function;
}

}  // namespace

CUtensorMap tensor_map(const void* data, Precision precision, int head_dim, std::int64_t rows,
                       int heads, int batch, const Strides& strides, int box_rows) {
  const auto bytes = [&](std::int64_t stride, int extent) {
    // The stride of an axis of one is never walked, but must be valid.
    return static_cast<cuuint64_t>(extent == 1 ? head_dim : stride) * 2;
  };
  const cuuint64_t extent[4] = {static_cast<cuuint64_t>(head_dim), static_cast<cuuint64_t>(rows),
                                static_cast<cuuint64_t>(heads), static_cast<cuuint64_t>(batch)};
  const cuuint64_t stride[3] = {bytes(strides.row, rows == 1 ? 1 : 2), bytes(strides.head, heads),
                                bytes(strides.batch, batch)};
  const cuuint32_t box[4] = {kPanelElements, static_cast<cuuint32_t>(box_rows), 1, 1};
  const cuuint32_t step[4] = {1, 1, 1, 1};
  CUtensorMap map;
  const CUresult status =
      encoder()(&map,
                precision == Precision::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                             : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                4, const_cast<void*>(data), extent, stride, box, step,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw UnavailableError("attention: the driver refused a tensor map (code " +
                           std::to_string(static_cast<int>(status)) + ")");
  return map;
}

}  // namespace tapalab::attention
