#include "sim/dyadic_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace tapalab;

namespace {

// Writes down how it was merged: "((01)(23))".
struct Trace {
  std::string text;
  void merge(const Trace& other) {
    if (other.text.empty()) return;
    text = text.empty() ? other.text : "(" + text + other.text + ")";
  }
};

Trace leaf(std::uint64_t index) { return {std::string(1, static_cast<char>('a' + index))}; }

std::string total_of(const std::vector<std::uint64_t>& order) {
  DyadicSum<Trace> sum;
  for (const auto index : order) sum.insert(0, index, leaf(index));
  return sum.total().text;
}

}  // namespace

TEST_CASE("Siblings merge left with right, and the cover merges from the right") {
  CHECK(total_of({0, 1, 2, 3}) == "((ab)(cd))");
  CHECK(total_of({0, 1, 2, 3, 4, 5, 6}) == "(((ab)(cd))((ef)g))");
  CHECK(total_of({0, 1, 2, 3, 4}) == "(((ab)(cd))e)");
  CHECK(total_of({1, 2, 3, 4}) == "(b((cd)e))");
  CHECK(DyadicSum<Trace>().total().text.empty());
}

TEST_CASE("The order of arrival does not matter") {
  std::vector<std::uint64_t> order(23);
  std::iota(order.begin(), order.end(), 0);
  const std::string expected = total_of(order);
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    REQUIRE(total_of(order) == expected);
  }
}

TEST_CASE("Any split into ranges gives the state of the whole") {
  DyadicSum<Trace> whole;
  for (std::uint64_t i = 0; i < 26; ++i) whole.insert(0, i, leaf(i));
  for (std::uint64_t first = 0; first < 26; ++first) {
    for (std::uint64_t second = first; second < 26; ++second) {
      DyadicSum<Trace> parts[3];
      for (std::uint64_t i = 0; i < 26; ++i) {
        parts[i < first ? 0 : i < second ? 1 : 2].insert(0, i, leaf(i));
      }
      DyadicSum<Trace> merged = parts[1];
      merged.insert(parts[2]);
      merged.insert(parts[0]);
      REQUIRE(merged.total().text == whole.total().text);
      REQUIRE(merged.nodes().size() == whole.nodes().size());
    }
  }
}

TEST_CASE("A leaf cannot be counted twice") {
  DyadicSum<Trace> sum;
  for (std::uint64_t i = 0; i < 4; ++i) sum.insert(0, i, leaf(i));
  CHECK_THROWS_AS(sum.insert(0, 2, leaf(2)), std::invalid_argument);
  CHECK_THROWS_AS(sum.insert(1, 0, leaf(0)), std::invalid_argument);
  CHECK_THROWS_AS(sum.insert(3, 0, leaf(0)), std::invalid_argument);
  CHECK_NOTHROW(sum.insert(1, 2, leaf(4)));
  CHECK_THROWS_AS(sum.insert(0, 5, leaf(5)), std::invalid_argument);
  CHECK(sum.total().text == "(((ab)(cd))e)");
}

TEST_CASE("The state of a range stays logarithmic") {
  struct Count {
    std::uint64_t leaves = 0;
    void merge(const Count& other) { leaves += other.leaves; }
  };
  DyadicSum<Count> sum;
  std::size_t most = 0;
  for (std::uint64_t i = 1'000'003; i < 1'100'000; ++i) {
    sum.insert(0, i, {1});
    if (i % 997 == 0) most = std::max(most, sum.nodes().size());
  }
  CHECK(sum.total().leaves == 99'997);
  CHECK(most <= 2 * 17 + 2);
}
