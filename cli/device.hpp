// The CUDA device, where this build and this machine have one.
#pragma once

#include <memory>
#include <string>

#include "sim/backend.hpp"

namespace tapalab::cli {

/// The backend of gpu/cuda_backend.hpp, for the option `asked`. Throws UnavailableError, with what
/// is missing, where the program was built without CUDA or no device can run it.
std::shared_ptr<const Backend> cuda_device(const std::string& asked = "--engine gpu");

}  // namespace tapalab::cli
