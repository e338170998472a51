// One target under clang's libFuzzer; TAPALAB_FUZZ_TARGET names it.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto& target : tapalab::fuzz::targets()) {
    if (target.name != TAPALAB_FUZZ_TARGET) continue;
    try {
      target.run(data, size);
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "%s\n", fault.what());
      std::abort();
    }
    return 0;
  }
  std::abort();
}
