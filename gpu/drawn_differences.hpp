// Differences of a sample's scores at two distances, one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/fused_moments.hpp"

namespace tapalab::gpu {

class DrawnDifferences {
 public:
  /// Throws UnavailableError where the device has too little memory or CUDA fails.
  explicit DrawnDifferences(const DrawnPlan& plan);
  ~DrawnDifferences();
  DrawnDifferences(const DrawnDifferences&) = delete;
  DrawnDifferences& operator=(const DrawnDifferences&) = delete;

  /// differences[i]: the score of sample first + i at distance near[i] less that at far[i], both
  /// places in the plan's tables, with the bits of the host.
  void fill(std::uint64_t first, const std::vector<std::uint32_t>& near,
            const std::vector<std::uint32_t>& far, double* differences) const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tapalab::gpu
