#include "fuzz/mutator.hpp"

#include <iterator>
#include <utility>

namespace tapalab::fuzz {
namespace {

constexpr std::size_t kLongest = 1 << 16;

// Words at which readers decide.
const char* const kWords[] = {"\"",
                              "[",
                              "]",
                              "{",
                              "}",
                              ":",
                              "=",
                              ",",
                              ";",
                              "\n",
                              "\r\n",
                              "\t",
                              "\\",
                              "\\u0000",
                              "\\ud800",
                              "#",
                              "'''",
                              "\"\"\"",
                              "0",
                              "-1",
                              "-0",
                              "1e999",
                              "1e-999",
                              "nan",
                              "inf",
                              "2^63-1",
                              "2^64",
                              "9223372036854775808",
                              "0.1",
                              "1_0",
                              "0x7f",
                              "null",
                              "true",
                              "a.rho",
                              "p.mean_q",
                              "[[",
                              "]]",
                              "..",
                              "\x1b[2J",
                              "\xC2\x9B",
                              "\xE2\x80\xAE",
                              "\xFF",
                              "\xF0\x9F\x98\x80",
                              "lin:0:1:2",
                              "log:1:9:3",
                              "F32",
                              "BF16",
                              "data_offsets",
                              "shape",
                              "fortran_order",
                              "(1,)",
                              "'<f8'",
                              "1979-05-27"};

}  // namespace

Mutator::Mutator(std::vector<std::string> seeds, std::uint64_t seed)
    : seeds_(std::move(seeds)), state_(seed) {}

// SplitMix64.
std::uint64_t Mutator::draw() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::size_t Mutator::below(std::size_t bound) {
  return bound == 0 ? 0 : static_cast<std::size_t>(draw() % bound);
}

void Mutator::edit(std::string& text) {
  const std::size_t at = below(text.size());
  const std::size_t run = 1 + below(8);
  switch (below(9)) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      return;
    case 1:
      if (!text.empty()) text[at] = static_cast<char>(draw() & 0xFF);
      return;
    case 2:
      if (!text.empty()) text.erase(at, run);
      return;
    case 3:
      text.insert(at, text.substr(at, run));
      return;
    case 4: {
      const std::string moved = text.substr(at, run);
      if (!text.empty()) text.erase(at, run);
      text.insert(below(text.size()), moved);
      return;
    }
    case 5:
      text.resize(at);
      return;
    case 6: {
      const std::string& other = seeds_[below(seeds_.size())];
      text = text.substr(0, at) + other.substr(below(other.size()));
      return;
    }
    default:
      text.insert(at, kWords[below(std::size(kWords))]);
  }
}

std::string Mutator::next() {
  std::string text = seeds_[below(seeds_.size())];
  for (std::size_t left = 1 + below(4); left > 0; --left) edit(text);
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

}  // namespace tapalab::fuzz
