#include "cli/device.hpp"

#include "cli/ranks.hpp"
#include "sim/errors.hpp"
#ifdef TAPALAB_HAVE_CUDA
#include "gpu/cuda_backend.hpp"
#endif

namespace tapalab::cli {
namespace {

constexpr const char* kWithoutDevice =
    "without a device --engine mc draws the same samples and --backend cpu emulates kernels";

}  // namespace

std::shared_ptr<const Backend> cuda_device(const std::string& asked) {
#ifdef TAPALAB_HAVE_CUDA
  std::shared_ptr<const Backend> device =
      make_cuda_backend({static_cast<unsigned>(launched_as().local_rank), false});
  const std::string reason = device->unavailable_reason();
  if (reason.empty()) return device;
  throw UnavailableError(asked + ": " + reason + "; " + kWithoutDevice);
#else
  throw UnavailableError(asked +
                         ": this program was built without CUDA (nvcc was not found or "
                         "-DTAPALAB_CUDA=off); " +
                         kWithoutDevice);
#endif
}

}  // namespace tapalab::cli
