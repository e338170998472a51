#include <algorithm>

#include "gpu/cuda_error.hpp"
#include "gpu/device_tables.hpp"
#include "gpu/drawn_differences.hpp"
#include "gpu/drawn_kernel.cuh"
#include "gpu/kernel_choice.cuh"

namespace tapalab::gpu {
namespace {

template <class Samples>
KernelChoice choice_of(bool rotary) {
  if (!rotary) {
    return {phase_moments<DrawnPhase<Samples>, 4>, feature_bytes<DrawnPhase<Samples>>(),
            Samples::kScratch};
  }
  return {rotary_moments<DrawnRotary<Samples>>, kRotaryDistances * kScoreRow * sizeof(double),
          Samples::kScratch};
}

// Scores of a sample at two distances.
__device__ double score_difference(const PhaseView& tables, const auto& pair, std::uint32_t near,
                                   std::uint32_t far) {
  const PairFeatures features = pair_features(tables, pair.q, pair.k);
  return score<DoublePrecision>(features.amplitude, features.phi, tables.scales[near]) -
         score<DoublePrecision>(features.amplitude, features.phi, tables.scales[far]);
}
__device__ double score_difference(const RotaryView& tables, const auto& pair, std::uint32_t near,
                                   std::uint32_t far) {
  const SinCos<double>* near_angles = tables.angles + std::size_t{near} * tables.pair_count;
  const SinCos<double>* far_angles = tables.angles + std::size_t{far} * tables.pair_count;
  double at_near = rotary_plain(tables, pair.q, pair.k), at_far = at_near;
  for (std::size_t d = 0; d < tables.pair_count; ++d) {
    const RotaryProducts products = rotary_pair(tables, d, pair.q, pair.k);
    at_near = add_rotary<DoublePrecision>(at_near, products.A, products.B, near_angles[d]);
    at_far = add_rotary<DoublePrecision>(at_far, products.A, products.B, far_angles[d]);
  }
  return at_near - at_far;
}

struct DifferenceArguments {
  DrawView draw;
  double* scratch;
  std::uint64_t first;
  std::size_t count;
  const std::uint32_t *near, *far;
  double* differences;
};

template <class Samples, class View>
__global__ void __launch_bounds__(kDrawThreads, 2)
    differences_kernel(const __grid_constant__ DifferenceArguments arguments,
                       const __grid_constant__ View tables) {
  double* scratch = nullptr;
  if constexpr (Samples::kScratch) {
    scratch = arguments.scratch +
              std::size_t{blockIdx.x} * 2 * arguments.draw.head_dim * kDrawThreads + threadIdx.x;
  }
  const std::size_t stride = std::size_t{gridDim.x} * kDrawThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kDrawThreads + threadIdx.x; i < arguments.count;
       i += stride) {
    const auto pair = Samples::open(arguments.draw, scratch, {arguments.first + i, 0, false});
    arguments.differences[i] = score_difference(tables, pair, arguments.near[i], arguments.far[i]);
  }
}

constexpr unsigned kMostDifferenceBlocks = 264;

}  // namespace

bool uses_each_once(const DrawnPlan& plan) {
  const auto* phase = std::get_if<PhaseTables>(&plan.tables);
  return phase == nullptr ||
         2 * (phase->amplitude.size() + phase->phase.size()) + phase->phase_linear.size() <=
             std::size_t{2} * plan.draw.head_dim;
}

KernelChoice drawn_kernel(const DrawnPlan& plan) {
  const bool rotary = std::holds_alternative<RotaryTables>(plan.tables);
  if (plan.draw.kind == DrawKind::tokens && !plan.draw.has_root()) {
    return choice_of<TokenSamples>(rotary);
  }
  if (plan.draw.kind == DrawKind::product && uses_each_once(plan)) {
    return choice_of<ProductSamples>(rotary);
  }
  return choice_of<FilledSamples>(rotary);
}

struct DrawnDifferences::Work {
  explicit Work(const DrawnPlan& plan) : draw(plan.draw), scratch(scratch_size(plan)) {
    if (const auto* of_phase = std::get_if<PhaseTables>(&plan.tables)) {
      phase = std::make_unique<DevicePhaseTables>(*of_phase);
    } else {
      rotary = std::make_unique<DeviceRotaryTables>(std::get<RotaryTables>(plan.tables));
    }
  }

  static std::size_t scratch_size(const DrawnPlan& plan) {
    return std::size_t{kMostDifferenceBlocks} * kDrawThreads * 2 * plan.draw.head_dim;
  }

  DeviceDrawTables draw;
  DeviceBuffer<double> scratch;
  std::unique_ptr<DevicePhaseTables> phase;
  std::unique_ptr<DeviceRotaryTables> rotary;
};

DrawnDifferences::DrawnDifferences(const DrawnPlan& plan) : work_(std::make_unique<Work>(plan)) {}
DrawnDifferences::~DrawnDifferences() = default;

void DrawnDifferences::fill(std::uint64_t first, const std::vector<std::uint32_t>& near,
                            const std::vector<std::uint32_t>& far, double* differences) const {
  const std::size_t count = near.size();
  if (count == 0) return;
  const DeviceBuffer<std::uint32_t> near_places(near), far_places(far);
  const DeviceBuffer<double> result(count);
  const DifferenceArguments arguments{
      work_->draw.view,   work_->scratch.data(), first,        count,
      near_places.data(), far_places.data(),     result.data()};
  const auto blocks = static_cast<unsigned>(
      std::min<std::size_t>((count + kDrawThreads - 1) / kDrawThreads, kMostDifferenceBlocks));
  if (work_->phase) {
    differences_kernel<FilledSamples><<<blocks, kDrawThreads>>>(arguments, work_->phase->view);
  } else {
    differences_kernel<FilledSamples><<<blocks, kDrawThreads>>>(arguments, work_->rotary->view);
  }
  check(cudaGetLastError(), "launching the kernel of score differences");
  result.download(differences, count);
}

}  // namespace tapalab::gpu
