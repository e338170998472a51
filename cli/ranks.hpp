// Ranks that an MPI launcher started.
#pragma once

#include <memory>

#include "sim/ranks.hpp"

namespace tapalab::cli {

/// This process's place among those that mpirun or another MPI launcher started, from the
/// environment, without starting MPI: rank 0 of 1 where none did. `local_rank` counts those of this
/// machine; where the launcher does not say, it is the rank.
struct LaunchedAs {
  int rank = 0;
  int size = 1;
  int local_rank = 0;
};
LaunchedAs launched_as();

/// The ranks of this program: MPI's where a launcher started it (once a process; MPI ends with the
/// object), else SoloRanks. Throws UnavailableError where a launcher started several processes of a
/// program built without MPI, each of which would do all of the work.
std::unique_ptr<Ranks> join_ranks();

}  // namespace tapalab::cli
