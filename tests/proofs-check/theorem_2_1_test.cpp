#include "proofs-check/theorem_2_1.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "proofs-check/rope_extremes.hpp"
#include "proofs-check/rope_independence.hpp"
#include "proofs-check/rope_reach.hpp"
#include "proofs-check/rope_sums.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

double middle(const Ball& ball) { return static_cast<double>(ball.midpoint_wide()); }

std::uint64_t rank(const char* base, std::uint64_t terms) {
  return independent_rank(parse_radical_base(base), terms);
}

}  // namespace

TEST_CASE("the rank of the frequencies of known bases") {
  CHECK(rank("500000", 64) == 64);
  CHECK(rank("10000", 64) == 16);
  CHECK(rank("1000000", 64) == 32);
  CHECK(rank("100000000", 64) == 8);
  CHECK(rank("10000000", 64) == 64);
  CHECK(rank("200000000", 64) == 64);
  CHECK(rank("10000", 3) == 3);
  CHECK(rank("8", 3) == 1);        // 8^(1/3) = 2
  CHECK(rank("2.25", 2) == 1);     // 2.25^(1/2) = 3/2
  CHECK(rank("2^(1/2)", 1) == 2);  // a radical itself
  CHECK(rank("4^(1/2)", 1) == 1);  // a rational in disguise
  CHECK(rank("10000*8^(128/126)", 64) == 336);
}

TEST_CASE("the rank is the degree of an irreducible factor") {
  for (const char* base : {"2", "12", "16", "64", "729", "10000", "1000000"})
    for (const std::uint64_t terms : {1, 2, 3, 4, 6, 8, 12})
      CHECK(rank(base, terms) == degree_by_factoring(base, "1", terms));
  CHECK(degree_by_factoring("9", "4", 4) == rank("2.25", 4));
}

TEST_CASE("bases that are no positive numbers, and 1, are refused") {
  for (const char* text : {"", "0", "1", "-2", "1e4", "2^3", "2^(1/0)", "2**3", "4*0.25",
                           "99999999999999999999", "1.2.3", "2^(1/2"})
    CHECK_THROWS_AS(parse_radical_base(text), InputError);
}

TEST_CASE("dependent frequencies repeat at the ratio found") {
  const FrequencyRatio ratio = frequency_ratio(parse_radical_base("10000"), 64);
  CHECK(ratio.fast == 10);
  CHECK(ratio.slow == 1);
  const FrequencyRatio rational = frequency_ratio(parse_radical_base("2.25"), 2);
  CHECK(rational.fast == 3);
  CHECK(rational.slow == 2);
  CHECK_THROWS_AS(frequency_ratio(parse_radical_base("1000000000000000"), 1 << 10), InputError);
}

TEST_CASE("the least of a cosine sum is that of a fine grid, and is enclosed") {
  for (const double psi : {0.0, 0.13}) {
    const std::vector<std::uint64_t> c = {12, 5, 1};
    const LeastSum least = least_cosine_sum(c, Ball::exactly(psi, 96), 1e-8);
    double plain = 9;
    for (int i = 0; i < 400000; ++i) {
      double sum = 0;
      for (const std::uint64_t k : c)
        sum += std::cos(2 * std::numbers::pi * (static_cast<double>(k) * i / 4e5 - psi));
      plain = std::min(plain, sum);
    }
    CHECK(middle(least.value) == Approx(plain).margin(1e-7));
    const LeastSum grid = least_cosine_sum_on_grid(c, 1000, Ball::exactly(psi, 96));
    double on_grid = 9;
    for (int i = 0; i < 1000; ++i) {
      double sum = 0;
      for (const std::uint64_t k : c)
        sum += std::cos(2 * std::numbers::pi * (static_cast<double>(k) * i / 1e3 - psi));
      on_grid = std::min(on_grid, sum);
    }
    CHECK(middle(grid.value) == Approx(on_grid).margin(1e-10));
  }
}

TEST_CASE("a whole-turn base has the range of its period") {
  // b = 16, D = 4: f = 1, 1/4; in turns everything repeats after 4 distances
  const RopeSetting setting{"16", 4, AngleUnit::turns};
  const MeanRange range = rope_mean_range(setting, parse_radical_base("16"), Ball(0, 96), 1e-9);
  CHECK(middle(range.infimum) == Approx(0.0).margin(1e-9));  // (1 + cos(pi))/2 at distance 2
  CHECK(middle(range.supremum) == Approx(1.0));
}

TEST_CASE("reached phases are near their targets") {
  const slong bits = 600;
  std::vector<Ball> frequencies, targets;
  for (const slong prime : {2, 3, 5, 7, 11, 13, 17, 19}) {  // independent roots
    frequencies.push_back(sqrt(Ball(prime, bits)));
    targets.push_back(Ball(prime, bits) / 23);
  }
  const std::string t = reach_phases(frequencies, targets, 90);
  CHECK(t.size() > 20);
  CHECK(t.front() != '-');
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const Ball turns = Ball::decimal(t, bits) * frequencies[j] - targets[j];
    CHECK(middle(cos_turns(turns)) > 0.99);
  }
  CHECK_THROWS_AS(reach_phases(frequencies, {}, 90), InputError);
  CHECK_THROWS_AS(PhaseLattice({}, 90), InputError);
  // one lattice, other targets
  const PhaseLattice lattice(frequencies, 90);
  CHECK(lattice.reach(targets) == t);
  for (Ball& target : targets) target += Ball(1, bits) / 2;
  const std::string opposite = lattice.reach(targets);
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const Ball turns = Ball::decimal(opposite, bits) * frequencies[j] - targets[j];
    CHECK(middle(cos_turns(turns)) > 0.99);
  }
}

TEST_CASE("theorem-2.1: confirmed, with a witness") {
  ClaimContext context;
  context.effort = Effort::quick;
  const ClaimResult result = check_theorem_2_1(context);
  INFO(result.reason);
  CHECK(result.verdict == Verdict::confirmed);
  for (const Evidence& row : result.evidence) {
    INFO(row.engine << ": " << row.quantity << ": " << row.predicted << " / " << row.observed);
    CHECK(row.holds);
  }
  CHECK_FALSE(result.witness.empty());
}

TEST_CASE("theorem-2.1: a narrower O(1/D) changes the verdict", "[slow]") {
  ClaimContext context;
  context.effort = Effort::quick;
  Theorem21Options narrow;
  narrow.reach = "0.5";  // f_0 = 1 cannot turn: gamma = -1 is missed by 2 (1 + cos psi)/D
  CHECK(check_theorem_2_1(context, narrow).verdict == Verdict::inconclusive);
}
