#include "cli/device.hpp"

#include "sim/errors.hpp"
#ifdef TAPALAB_HAVE_CUDA
#include "gpu/cuda_backend.hpp"
#endif

namespace tapalab::cli {

std::shared_ptr<const Backend> cuda_device() {
#ifdef TAPALAB_HAVE_CUDA
  std::shared_ptr<const Backend> device = make_cuda_backend();
  const std::string reason = device->unavailable_reason();
  if (reason.empty()) return device;
  throw UnavailableError("--engine gpu: " + reason + "; --engine mc gives the same samples");
#else
  throw UnavailableError(
      "--engine gpu: this program was built without CUDA (nvcc was not found or "
      "-DTAPALAB_CUDA=off); --engine mc gives the same samples");
#endif
}

}  // namespace tapalab::cli
