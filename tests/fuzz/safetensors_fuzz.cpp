// Any bytes as a .safetensors file: read, or refused with InputError in one line.
#include "memory_file.hpp"
#include "sim/errors.hpp"
#include "sim/io/safetensors.hpp"
#include "sim/io/token_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tapalab;
  const fuzz::MemoryFile file(data, size);
  const InputError* refusal = nullptr;
  fuzz::may_refuse([&] { read_tokens(file.path(), "q", "k", 0, 0); }, refusal);
  fuzz::may_refuse(
      [&] {
        BinaryFile input(file.path());
        for (const auto& tensor : read_safetensors_index(input).tensors)
          fuzz::may_refuse([&] { read_row_major(input, tensor); }, refusal);
      },
      refusal);
  return 0;
}
