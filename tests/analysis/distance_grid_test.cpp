#include "analysis/distance_grid.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

using Distances = std::vector<std::uint64_t>;

constexpr std::uint64_t kLargest = (1ULL << 63) - 1;

Distances distances(const std::string& spec) { return parse_distances(spec).distances; }

}  // namespace

TEST_CASE("a list keeps its order and its repetitions") {
  CHECK(distances("1,10,1000") == Distances{1, 10, 1000});
  CHECK(distances("7,0,7") == Distances{7, 0, 7});
  CHECK(distances("9223372036854775807") == Distances{kLargest});
  CHECK(parse_distances("1,10").spec == "1,10");
}

TEST_CASE("powers and whole decimals are integers") {
  CHECK(distances("2^40,2^62,10^18,1^999,0^3") ==
        Distances{1ULL << 40, 1ULL << 62, 1000000000000000000ULL, 1, 0});
  CHECK(distances("1e6,1.5e3,12.0,0,0e5,9.223372036854775807e18") ==
        Distances{1000000, 1500, 12, 0, 0, kLargest});
}

TEST_CASE("a logarithmic grid doubles exactly and drops duplicates") {
  Distances powers;
  for (int i = 0; i <= 20; ++i) powers.push_back(1ULL << i);
  CHECK(distances("log:1:2^20:21") == powers);
  CHECK(distances("log:1:1e18:19").back() == 1000000000000000000ULL);
  CHECK(distances("log:1:1e18:19")[17] == 100000000000000000ULL);
  // 10^(i/9) rounded
  CHECK(distances("log:1:10:10") == Distances{1, 2, 3, 4, 5, 6, 8, 10});
  const Distances wide = distances("log:1:9223372036854775807:64");
  CHECK(wide.front() == 1);
  CHECK(wide.back() == kLargest);
  CHECK(std::is_sorted(wide.begin(), wide.end()));
  CHECK(std::set<std::uint64_t>(wide.begin(), wide.end()).size() == wide.size());
  CHECK(distances("log:5:5:7") == Distances{5});
  CHECK(distances("log:5:9:1") == Distances{5});
}

TEST_CASE("a long logarithmic grid of small integers holds each once") {
  const Distances grid = distances("log:1:1000:1000000");
  REQUIRE(grid.size() == 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) CHECK(grid[i] == i + 1);
}

TEST_CASE("a linear grid is exact to 2^63 - 1, halves rounded up") {
  Distances hundred;
  for (std::uint64_t i = 0; i <= 100; ++i) hundred.push_back(i);
  CHECK(distances("lin:0:100:101") == hundred);
  CHECK(distances("lin:0:5:3") == Distances{0, 3, 5});
  CHECK(distances("lin:0:9223372036854775807:2") == Distances{0, kLargest});
  CHECK(distances("lin:1:9223372036854775807:3") == Distances{1, 1ULL << 62, kLargest});
  CHECK(distances("lin:3:4:9") == Distances{3, 4});
  CHECK(distances("lin:4:8:1") == Distances{4});
}

TEST_CASE("forms mix in one list") {
  CHECK(distances("0,log:1:4:3,lin:10:12:3,0") == Distances{0, 1, 2, 4, 10, 11, 12, 0});
}

TEST_CASE("anything else is refused in one line that names --distances") {
  const std::string bad[] = {"",
                             ",",
                             "1,",
                             ",1",
                             "1,,2",
                             "-1",
                             "-0",
                             "1.5",
                             "1e-1",
                             "9223372036854775808",
                             "1e19",
                             "2^63",
                             "2^64",
                             "10^19",
                             "2^",
                             "^2",
                             "2^-1",
                             "2^1.5",
                             "2^2^2",
                             "2^1000",
                             "1e999999",
                             "nan",
                             "inf",
                             "0x10",
                             "+-1",
                             " 1",
                             "1 ",
                             "1;2",
                             "log:",
                             "log:1",
                             "log:1:2",
                             "log:0:10:5",
                             "log:10:1:5",
                             "log:1:10:0",
                             "log:1:10:-3",
                             "log:1:10:1.5",
                             "log:1:10:5:6",
                             "log:1:10:",
                             "log::10:5",
                             "log:1:10:1000001",
                             "lin:5:1:3",
                             "lin:1:2:0",
                             "lin:1:2",
                             "LOG:1:2:3",
                             "geo:1:2:3",
                             "x",
                             std::string("1\0", 2),
                             "\xFF",
                             std::string(5000, '1'),
                             "99999999999999999999^0",
                             "lin:1:1e6:1e6,1"};
  for (const std::string& spec : bad) {
    INFO("spec: " << spec.substr(0, 40));
    try {
      distances(spec);
      FAIL_CHECK("accepted");
    } catch (const InputError& error) {
      const std::string message = error.what();
      CHECK(message.rfind("--distances: ", 0) == 0);
      CHECK(message.find("accepted: integers from 0") != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
      CHECK(message.size() < 600);
    }
  }
}

TEST_CASE("nothing but InputError escapes from random grids") {
  std::mt19937_64 random(17);
  const std::vector<std::string> parts{"1",
                                       "0",
                                       "2^40",
                                       "log:",
                                       "lin:",
                                       ":",
                                       ",",
                                       "1e6",
                                       "^",
                                       "-",
                                       ".",
                                       "e",
                                       "9223372036854775807",
                                       "10",
                                       "1e999999",
                                       "\xFF",
                                       " ",
                                       std::string(1, '\0'),
                                       "7"};
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string spec;
    if (random() % 3 == 0) spec = random() % 2 == 0 ? "log:1:" : "lin:0:";
    for (std::uint64_t n = random() % 6; n > 0; --n) spec += parts[random() % parts.size()];
    try {
      const Distances grid = distances(spec);
      CHECK(!grid.empty());
      CHECK(*std::max_element(grid.begin(), grid.end()) <= kLargest);
      ++accepted;
    } catch (const InputError&) {
    }
  }
  CHECK(accepted > 100);
}
