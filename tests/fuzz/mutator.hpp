// Inputs near to valid ones: the same for the same seed, on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapalab::fuzz {

/// Changes seeds by one to four edits each: bits flipped, bytes set, runs removed, doubled or
/// moved, the tail cut, a word of the readers' grammars put in, or the tail of another seed put on.
class Mutator {
 public:
  /// At least one seed.
  Mutator(std::vector<std::string> seeds, std::uint64_t seed);
  std::string next();

 private:
  std::uint64_t draw();
  std::size_t below(std::size_t bound);  ///< 0 where bound is 0
  void edit(std::string& text);

  std::vector<std::string> seeds_;
  std::uint64_t state_;
};

}  // namespace tapalab::fuzz
