// Any bytes as a .npy file: read, or refused with InputError in one line.
#include "memory_file.hpp"
#include "sim/errors.hpp"
#include "sim/io/npy.hpp"
#include "sim/io/token_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tapalab;
  const fuzz::MemoryFile file(data, size);
  const InputError* refusal = nullptr;
  fuzz::may_refuse([&] { read_npy_matrix(file.path(), "M"); }, refusal);
  fuzz::may_refuse([&] { read_tokens("", file.path(), file.path(), 0, 0); }, refusal);
  fuzz::may_refuse([&] { read_tokens("", file.path(), file.path(), 1, 1); }, refusal);
  return 0;
}
