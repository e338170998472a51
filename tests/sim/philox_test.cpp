#include "sim/random/philox.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/random/bounded.hpp"
#include "sim/random/permutation.hpp"

using namespace tapalab;

TEST_CASE("Philox 4x32-10 gives the published known answers") {
  std::ifstream file(TAPALAB_TEST_DATA "/philox_kat.txt");
  REQUIRE(file);
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    PhiloxCounter counter;
    PhiloxKey key;
    words >> std::hex;
    for (auto& word : counter.word) words >> word;
    for (auto& word : key.word) words >> word;
    const PhiloxBlock block = philox(counter, key);
    for (const auto word : block.word) {
      std::uint32_t expected = 0;
      REQUIRE(words >> expected);
      CHECK(word == expected);
    }
    ++cases;
  }
  CHECK(cases == 3);
}

TEST_CASE("Streams keep sample, draw, stream and retry apart") {
  const PhiloxCounter counter =
      stream_counter(0x0123456789abcdefULL, 7, stream_tag(Stream::token_pair, 3));
  CHECK(counter.word[0] == 0x89abcdef);
  CHECK(counter.word[1] == 0x01234567);
  CHECK(counter.word[2] == 7);
  CHECK(counter.word[3] == 0x01020003);
  CHECK(stream_key(0x0123456789abcdefULL).word[1] == 0x01234567);
}

TEST_CASE("Bounded draws are uniform and stay below the bound") {
  const PhiloxKey key = stream_key(11);
  const std::uint64_t bound = 7;
  const std::uint64_t draws = 70'000;
  std::vector<std::uint64_t> counts(bound);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t value = bounded_uniform(bound, i, 0, Stream::token_pair, key);
    REQUIRE(value < bound);
    ++counts[value];
  }
  double chi_squared = 0;
  for (const auto count : counts) {
    const double excess = static_cast<double>(count) - 1e4;
    chi_squared += excess * excess / 1e4;
  }
  CHECK(chi_squared < 27.86);  // 6 degrees of freedom, probability 1e-4
}

TEST_CASE("Bounded draws refuse words where the bound leaves a remainder") {
  // The bound is two thirds of 2^64: of three words, two would give an even value and one an odd
  // value, unless one of them is refused.
  const std::uint64_t bound = 0xAAAAAAAAAAAAAAABULL;
  const PhiloxKey key = stream_key(5);
  const std::uint64_t draws = 90'000;
  std::uint64_t odd = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t value = bounded_uniform(bound, i, 0, Stream::token_pair, key);
    REQUIRE(value < bound);
    odd += value & 1;
  }
  CHECK(std::abs(static_cast<double>(odd) - 4.5e4) < 5 * 150);
}

TEST_CASE("A shuffled partner is a permutation that the seed decides") {
  const auto partner = shuffled_partner(1000, 1);
  auto sorted = partner;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < 1000; ++i) REQUIRE(sorted[i] == i);
  CHECK(partner == shuffled_partner(1000, 1));
  CHECK(partner != shuffled_partner(1000, 2));
  CHECK(shuffled_partner(0, 1).empty());
  CHECK(shuffled_partner(1, 1) == std::vector<std::uint32_t>{0});
}

TEST_CASE("All permutations of four tokens are equally likely") {
  std::vector<int> counts(256);
  const int draws = 48'000;
  for (int seed = 0; seed < draws; ++seed) {
    const auto p = shuffled_partner(4, static_cast<std::uint64_t>(seed));
    ++counts[p[0] + 4 * p[1] + 16 * p[2] + 64 * p[3]];
  }
  double chi_squared = 0;
  int reached = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    ++reached;
    chi_squared += (count - 2000.0) * (count - 2000.0) / 2000.0;
  }
  CHECK(reached == 24);
  CHECK(chi_squared < 57.1);  // 23 degrees of freedom, probability 1e-4
}
