#include "proofs-check/rope_region.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "proofs-check/rope_violation.hpp"
#include "proofs-check/theorem_2_2.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

double middle(const Ball& ball) { return static_cast<double>(ball.midpoint_wide()); }

}  // namespace

TEST_CASE("the ratio limit is the least over pairs of distances") {
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
    const RopeSetting setting{"500000", 0, angle};
    const RatioLimit limit = ratio_limit("500000", angle, "0.125");
    double least = 1e9;
    for (const std::uint64_t near : {2ULL, 3ULL})
      for (std::uint64_t far = 500'001; far < 20'000'000; far += 25'013) {
        const double cosine = middle(rope_cosine_limit(setting, near, 64)) -
                              middle(rope_cosine_limit(setting, far, 64));
        const double sine =
            middle(rope_sine_limit(setting, near, 64)) - middle(rope_sine_limit(setting, far, 64));
        least = std::min(least, (cosine - 0.125) / std::abs(sine));
      }
    CHECK(middle(limit.holds) <= least);
    CHECK(middle(limit.holds) > 0.98 * least);
    CHECK(middle(limit.fails) >= middle(limit.holds));
    CHECK(middle(limit.fails) < 1.02 * least);
  }
  CHECK_THROWS_AS(ratio_limit("10000", AngleUnit::turns, "0.125"), InputError);
}

TEST_CASE("a larger bound leaves less room for nu_0") {
  const double at_eighth = middle(ratio_limit("1e8", AngleUnit::turns, "0.125").holds);
  const double at_quarter = middle(ratio_limit("1e8", AngleUnit::turns, "0.25").holds);
  const double at_limit = middle(ratio_limit("1e8", AngleUnit::turns, "0.45").holds);
  CHECK(at_eighth > at_quarter);
  CHECK(at_quarter > 0);
  CHECK(at_limit < 0);
}

TEST_CASE("lattice reduction finds a violation, none smaller than the exhaustive scan's") {
  const RopeSetting setting{"300", 32, AngleUnit::radians};
  GapScan scan{setting, 1};
  scan.first = 301;
  scan.last = 10'000'000;
  const auto smallest = smallest_gap_violation(scan);
  REQUIRE(smallest);
  ViolationSearch search{setting, 1};
  search.first_bits = 12;
  const auto found = violation_by_reduction(search);
  REQUIRE(found);
  CHECK(std::stod(*found) >= static_cast<double>(*smallest));
  CHECK(gap_certainly_below(setting, 1, *found, "0.125"));
  CHECK_FALSE(gap_certainly_below(setting, 1, "302", "0.125"));
  search.last_bits = 8;  // no size to try
  CHECK_FALSE(violation_by_reduction(search));
}

TEST_CASE("the smallest violations of base 500000 are certified as the table states them") {
  CHECK(gap_certainly_below({"500000", 64, AngleUnit::turns}, 2, "598837", "0.125"));
  CHECK(gap_certainly_below({"500000", 128, AngleUnit::turns}, 3, "30820001", "0.125"));
  CHECK_FALSE(gap_certainly_below({"500000", 64, AngleUnit::turns}, 2, "598838", "0.125"));
}

TEST_CASE("the head dimension that is proved to suffice grows with distance and ratio") {
  // 4 (3 + 5e6)/(1/4 - 0.216/ln 5e5) and (3 + 5e6)/(1/4), by hand
  CHECK(sufficient_head_dim("500000", AngleUnit::turns, 5'000'000, "0").value() == 85638652);
  CHECK(sufficient_head_dim("500000", AngleUnit::radians, 5'000'000, "0").value() == 20000014);
  CHECK(sufficient_head_dim("500000", AngleUnit::turns, 5'000'000, "1").value() > 4 * 85638652ULL);
  // no near distance, and a ratio for which the limit itself is not above the bound
  CHECK_FALSE(sufficient_head_dim("10000", AngleUnit::turns, 100'000, "0"));
  // D beyond what a count holds is none, not a small number
  CHECK_FALSE(sufficient_head_dim("1000000000000000000", AngleUnit::turns,
                                  10'000'000'000'000'000'000ULL, "0"));
  CHECK_FALSE(sufficient_head_dim("500000", AngleUnit::turns, 5'000'000, "1.7"));
}

TEST_CASE("no ratio saves the uniform reading, and a large dimension the bounded one") {
  std::vector<Evidence> rows;
  check_every_ratio(rows);
  CHECK(rows.size() == 2);
  check_sufficient_head_dim(rows);
  CHECK(rows.size() == 12);
  for (const Evidence& row : rows) {
    INFO(row.quantity << ": " << row.predicted << " / " << row.observed);
    CHECK(row.holds);
  }
}
