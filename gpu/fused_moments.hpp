// What the host part of the CUDA backend asks of the fused kernels. Light: no multiprecision, no
// CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/draw_tables.hpp"
#include "sim/fused_plan.hpp"
#include "sim/leaf_sums.hpp"
#include "sim/score_tables.hpp"

namespace tapalab::gpu {

/// How normals are made. `fast` ones are those of the host to within the errors of
/// docs/results/gpu-moments.md, `exact` ones have its bits and take twice the time.
enum class Normals { fast, exact };

/// Any score under any density: what the kernels of gpu/drawn_kernel.cuh read.
struct DrawnPlan {
  ScoreTables tables;
  DrawTables draw;
  std::vector<std::uint64_t> distances;
};

struct FusedRequest {
  FusedPlan plan;
  std::vector<Centres> centres;    ///< of each distance
  std::vector<bool> draws_single;  ///< of each distance: normals in float, else in double
  Normals normals = Normals::fast;
  std::shared_ptr<const DrawnPlan> drawn{};  ///< where set, `plan` does not matter
};

/// One node of the dyadic sum: its place, and the moments at each distance.
using TakeNode =
    std::function<void(unsigned level, std::uint64_t index, std::vector<ScoreMoments> moments)>;

/// Draws and sums on device 0 of the calling thread's choice.
class FusedMoments {
 public:
  /// Throws UnavailableError where the device has too little memory or CUDA fails.
  explicit FusedMoments(FusedRequest request);
  ~FusedMoments();
  FusedMoments(const FusedMoments&) = delete;
  FusedMoments& operator=(const FusedMoments&) = delete;

  /// Samples begin .. end-1, begin a multiple of the leaf size 1024: nodes that cover their leaves,
  /// in ascending order. Bits depend on the samples alone. `between` is called now and then; an
  /// exception from it, or from `take`, ends the run.
  void add(std::uint64_t begin, std::uint64_t end, const TakeNode& take,
           const std::function<void()>& between) const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace tapalab::gpu
