// What is fuzzed: every reader of text or bytes that a user hands over. Any input is read, or
// refused with InputError in one line; everything else is a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tapalab::fuzz {

/// A promise that an input broke.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Target {
  std::string name;  ///< also the folder of its seeds in tests/fuzz/corpus
  /// Throws Fault, or whatever else escapes a reader.
  void (*run)(const std::uint8_t* data, std::size_t size);
};

/// The target of config: the readers of sim alone.
void run_config(const std::uint8_t* data, std::size_t size);

/// npy, safetensors, config (a model's config.json), experiment (TOML and JSON), spec (texts of the
/// command line).
const std::vector<Target>& targets();

}  // namespace tapalab::fuzz
