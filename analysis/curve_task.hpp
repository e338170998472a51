// The task of one curve from the texts that the command line takes.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/experiment.hpp"

namespace tapalab {

/// What is not named has CurveTask's defaults. Throws InputError.
CurveTask curve_task(const std::string& encoding, const std::string& density,
                     std::uint32_t head_dim, const std::string& distances,
                     Engine engine = Engine::automatic);

}  // namespace tapalab
