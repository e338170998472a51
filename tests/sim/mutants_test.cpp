// Seeded faults are constants unless a build asks for them.
#include "sim/mutants.hpp"

#include "catch.hpp"

using namespace tapalab;

#ifndef TAPALAB_MUTANTS
static_assert(!mutant("any"));
static_assert(mutated("any", 1, 2) == 1);
#endif

TEST_CASE("No fault is switched on unless it is named") {
  CHECK_FALSE(mutant("a name that no formula has"));
  CHECK(mutated("a name that no formula has", 1, 2) == 1);
}
