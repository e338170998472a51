// Seeded faults, to measure whether `verify` would notice them. A build with -DTAPALAB_MUTANTS=ON
// computes with the one wrong formula that the environment variable TAPALAB_MUTANT names;
// in every other build `mutant` is the constant false and costs nothing. Which faults are noticed:
// docs/results/mutation.md.
#pragma once

#ifdef TAPALAB_MUTANTS
#include <cstdlib>
#include <cstring>
#endif

namespace tapalab {

#ifdef TAPALAB_MUTANTS
inline bool mutant(const char* name) {
  static const char* const chosen = std::getenv("TAPALAB_MUTANT");
  return chosen != nullptr && std::strcmp(chosen, name) == 0;
}
#else
constexpr bool mutant(const char*) { return false; }
#endif

/// `wrong` where that mutant is switched on, else `right`.
template <class T>
constexpr T mutated(const char* name, T right, T wrong) {
  return mutant(name) ? wrong : right;
}

}  // namespace tapalab
