// One target under clang's libFuzzer; TAPALAB_FUZZ_TARGET names it.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "fuzz/targets.hpp"

namespace {

using namespace tapalab::fuzz;

void run(const std::uint8_t* data, std::size_t size) {
#ifdef TAPALAB_FUZZ_SIM_ONLY
  run_config(data, size);
#else
  for (const auto& target : targets()) {
    if (target.name == TAPALAB_FUZZ_TARGET) return target.run(data, size);
  }
  throw Fault("no such target");
#endif
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    run(data, size);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    std::abort();
  }
  return 0;
}
