// An array in device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/cuda_error.hpp"

namespace tapalab::gpu {

template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    // One element at least, so that `data` is a valid pointer for empty arrays too.
    check(cudaMalloc(&data_, (size == 0 ? 1 : size) * sizeof(T)), "allocating device memory");
  }
  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    upload(values.data(), values.size());
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void upload(const T* values, std::size_t count) {
    check(cudaMemcpy(data_, values, count * sizeof(T), cudaMemcpyHostToDevice),
          "copying to the device");
  }
  void download(T* values, std::size_t count) const {
    check(cudaMemcpy(values, data_, count * sizeof(T), cudaMemcpyDeviceToHost),
          "copying from the device");
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

}  // namespace tapalab::gpu
