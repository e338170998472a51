// The splits that the Hopper kernel is compiled for.
#pragma once

#include "gpu/attention/launch.cuh"

namespace tapalab::attention {

template <class Element, int HeadDim>
void launch_hopper(const Problem& problem, Reduction reduction, void* workspace,
                   cudaStream_t stream) {
  constexpr int kQuarter = HeadDim / 4;
  switch (problem.amplitude_dim) {
    case 0:
      return launch<Shape<Element, HeadDim, 0, Reduction::turns>>(problem, workspace, stream);
    case kQuarter:
      return launch<Shape<Element, HeadDim, kQuarter, Reduction::turns>>(problem, workspace,
                                                                         stream);
    case 3 * kQuarter:
      return launch<Shape<Element, HeadDim, 3 * kQuarter, Reduction::turns>>(problem, workspace,
                                                                             stream);
    default:
      if (reduction == Reduction::radians)
        return launch<Shape<Element, HeadDim, 2 * kQuarter, Reduction::radians>>(problem, workspace,
                                                                                 stream);
      return launch<Shape<Element, HeadDim, 2 * kQuarter, Reduction::turns>>(problem, workspace,
                                                                             stream);
  }
}

}  // namespace tapalab::attention
