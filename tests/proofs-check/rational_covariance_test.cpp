#include "proofs-check/rational_covariance.hpp"

#include "catch.hpp"
#include "proofs-check/theorem_3_3.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

TEST_CASE("the opposed blocks meet Assumption 2.1 and halve no square") {
  for (const std::string r : {"0.6", "0.96", "0.9999"}) {
    const CovarianceFacts facts = rational_covariance_facts(opposed_blocks(6, r), 6);
    INFO("r = " << r);
    CHECK(facts.symmetric);
    CHECK(facts.positive_definite);
    CHECK(facts.pair_squares == std::vector<std::string>(6, "1"));
    CHECK(facts.amplitude_centred);
    CHECK(facts.pair_cosine_means == std::vector<std::string>(3, "0"));
    CHECK(facts.pair_sine_means == std::vector<std::string>(3, "0"));
  }
  CHECK(rational_covariance_facts(opposed_blocks(4, "0.6"), 4).amplitude_square == "16/25");
  CHECK(rational_covariance_facts(opposed_blocks(2, "0.96"), 2).amplitude_square == "49/625");
}

TEST_CASE("blocks across rotary pairs leave every pair its square and cancel as much") {
  const CovarianceFacts across = rational_covariance_facts(opposed_blocks(8, "0.96", 2), 8);
  CHECK(across.positive_definite);
  CHECK(across.adjacent_squares == std::vector<std::string>(4, "2"));
  CHECK(across.amplitude_square == "49/625");
  // neighbours: E A_d^2 = 2 (1 - r^2)
  CHECK(rational_covariance_facts(opposed_blocks(4, "0.6"), 4).adjacent_squares ==
        std::vector<std::string>(2, "32/25"));
}

TEST_CASE("a covariance that is not positive definite is found out") {
  CHECK_FALSE(rational_covariance_facts(opposed_blocks(2, "1"), 2).positive_definite);
  CHECK_FALSE(rational_covariance_facts(opposed_blocks(2, "1.0000000000000000000001"), 2)
                  .positive_definite);
  auto skew = opposed_blocks(2, "0.5");
  skew[0][1] = "0.4";
  CHECK_FALSE(rational_covariance_facts(skew, 2).symmetric);
  CHECK_FALSE(rational_covariance_facts(skew, 2).positive_definite);
}

TEST_CASE("moments of a hand-made covariance are exact") {
  // q = x, k = x/2 + e with Var e = 1: E (qk)^2 = 1 * 5/4 + 2/4 = 7/4
  const CovarianceFacts facts = rational_covariance_facts({{"1", "5e-1"}, {"0.50", "1.25"}}, 1);
  CHECK(facts.positive_definite);
  CHECK(facts.smallest_minor == "1");
  CHECK(facts.pair_squares == std::vector<std::string>{"7/4"});
  CHECK(facts.amplitude_square == "7/4");
  CHECK_FALSE(facts.amplitude_centred);
}

TEST_CASE("malformed covariances are refused") {
  CHECK_THROWS_AS(rational_covariance_facts({{"1", "0"}}, 1), InputError);
  CHECK_THROWS_AS(rational_covariance_facts({{"1"}, {"0"}}, 1), InputError);
  CHECK_THROWS_AS(rational_covariance_facts({{"1", "nan"}, {"0", "1"}}, 1), InputError);
  CHECK_THROWS_AS(fraction_less("a", "1"), InputError);
}

TEST_CASE("fractions compare and print exactly") {
  CHECK(fraction_less("1/3", "33333333333333333333/99999999999999999998"));
  CHECK_FALSE(fraction_less("2/4", "1/2"));
  CHECK(fraction_decimal("49/625").substr(0, 4) == "7.84");
}
