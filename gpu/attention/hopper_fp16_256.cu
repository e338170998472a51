#include "gpu/attention/launch_hopper.cuh"

namespace tapalab::attention {
template void launch_hopper<__half, 256>(const Problem&, Reduction, void*, cudaStream_t);
}
