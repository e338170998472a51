#include "gpu/attention/launch_hopper.cuh"

namespace tapalab::attention {
template void launch_hopper<__nv_bfloat16, 64>(const Problem&, Reduction, void*, cudaStream_t);
}
