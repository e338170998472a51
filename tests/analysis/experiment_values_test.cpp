#include "analysis/experiment_values.hpp"

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {
template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}
}  // namespace

TEST_CASE("Counts are read from plain, scientific and power notation") {
  CHECK(parse_count("1000", "n", 0, 5000) == 1000);
  CHECK(parse_count("1e9", "n", 0, ~0ULL) == 1000000000ULL);
  CHECK(parse_count("1.5e3", "n", 0, ~0ULL) == 1500);
  CHECK(parse_count("2^30", "n", 0, ~0ULL) == 1073741824ULL);
  CHECK(parse_count("18446744073709551615", "n", 0, ~0ULL) == ~0ULL);
  CHECK(parse_count("0", "n", 0, 1) == 0);
  CHECK(parse_count("1^1000000000000", "n", 0, 1) == 1);
}

TEST_CASE("Counts that are not whole, out of range or not numbers are refused by name") {
  for (const char* text :
       {"", " ", "1.5", "-1", "1e-1", "2^64", "2^-1", "^2", "2^", "1e40", "nan", "inf", "0x10",
        "1 000", "1,000", "18446744073709551616", "10^99999999999"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_count(text, "--samples", 0, ~0ULL), InputError);
  }
  CHECK_THROWS_AS(parse_count("1", "n", 2, 10), InputError);
  CHECK_THROWS_AS(parse_count("11", "n", 2, 10), InputError);
  CHECK(refusal([] { parse_count("x", "--samples", 0, 1); }).find("--samples: ") == 0);
}

TEST_CASE("Levels lie strictly between 0 and 1 and tolerances above 0") {
  CHECK(parse_confidence("0.95", "c") == 0.95);
  for (const char* text : {"0", "1", "-0.5", "1.5", "nan", "", "0.99999999999999999999"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_confidence(text, "c"), InputError);
  }
  CHECK(parse_tolerance("1e-3", "t") == 1e-3);
  for (const char* text : {"0", "-1", "nan", "inf", "", "1e-400", "1e400"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_tolerance(text, "t"), InputError);
  }
}

TEST_CASE("A linear sweep keeps its ends as written and its steps exact decimals") {
  const Sweep sweep = parse_sweep("alpha=lin:0.10:0.5:5", "--sweep");
  CHECK(sweep.key == "alpha");
  CHECK(sweep.values == std::vector<std::string>{"0.10", "0.2", "0.3", "0.4", "0.5"});
  CHECK(parse_sweep("head=lin:0:30:4", "s").values ==
        std::vector<std::string>{"0", "10", "20", "30"});
  CHECK(parse_sweep("mean_q=lin:-1:1:5", "s").values ==
        std::vector<std::string>{"-1", "-0.5", "0", "0.5", "1"});
  CHECK(parse_sweep("x=lin:0:1:4", "s").values ==
        std::vector<std::string>{"0", "0.33333333333333333", "0.66666666666666667", "1"});
  CHECK(parse_sweep("x=lin:5:9:1", "s").values == std::vector<std::string>{"5"});
}

TEST_CASE("A logarithmic sweep multiplies by one factor") {
  CHECK(parse_sweep("base=log:1e2:1e8:4", "s").values ==
        std::vector<std::string>{"1e2", "10000", "1000000", "1e8"});
  CHECK(parse_sweep("x=log:1e-9:1e-3:3", "s").values ==
        std::vector<std::string>{"1e-9", "0.000001", "1e-3"});
  CHECK(parse_sweep("x=log:1e20:1e30:3", "s").values ==
        std::vector<std::string>{"1e20", "1e25", "1e30"});
}

TEST_CASE("Engines are read by their names, and a near miss is told") {
  CHECK(parse_engine("auto", "e") == Engine::automatic);
  CHECK(parse_engine("mc", "e") == Engine::mc);
  CHECK(refusal([] { parse_engine("exakt", "--engine"); }).find("did you mean exact") !=
        std::string::npos);
}
