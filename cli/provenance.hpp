// Where a result came from; outside the promise of equal bits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/command.hpp"

namespace tapalab::cli {

/// "tapalab 0.1.0 (345628f0c1d2, GNU 12.2.0, Release)"
std::string version_line();

/// program, version, commit, arguments, compiler, build type, CUDA, MPI, processor, threads, date
/// (UTC). `threads` is the number that was used.
nlohmann::ordered_json provenance(const Arguments& arguments, unsigned threads);

/// `asked`, or the number of hardware threads where it is 0.
unsigned used_threads(unsigned asked);

}  // namespace tapalab::cli
