// Results beside each other, from JSON written here by hand.
#include "analysis/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

std::string bounded(const std::string& decimal, const std::string& low, const std::string& high) {
  return fmt::format(
      R"({{"decimal":"{}","error":{{"kind":"rounding","level":null,"lower":"{}","upper":"{}"}}}})",
      decimal, low, high);
}

std::string sampled(const std::string& decimal, const std::string& low, const std::string& high) {
  return fmt::format(
      R"({{"decimal":"{}","error":{{"kind":"confidence","level":0.95,"lower":"{}","upper":"{}"}}}})",
      decimal, low, high);
}

ResultText one_mean(const std::string& name, const std::string& mean,
                    const std::string& spec = "tapa:alpha=0.1", int distance = 10) {
  return {name, fmt::format(R"({{"schema":"tapalab/curve/1","experiment":{{"seq_len":11}},"curves":[
    {{"encoding":{{"name":"tapa","spec":"{}","alpha":"0.1"}},"density":{{"name":"gaussian","spec":"gaussian"}},
      "head_dim":16,"points":[{{"distance":{},"mean":{},"variance":null}}]}}]}})",
                            spec, distance, mean)};
}

}  // namespace

TEST_CASE("two sampled numbers are as many joint standard errors apart as their difference says") {
  // 95% half-widths of 1.96 and 2 * 1.96: standard errors 1 and 2, sqrt(5) together
  const double quantile = 1.959963984540054;
  const auto around = [&](double x, double sigma) {
    return sampled(fmt::format("{}", x), fmt::format("{:.17g}", x - quantile * sigma),
                   fmt::format("{:.17g}", x + quantile * sigma));
  };
  const auto comparison =
      compare_results(one_mean("a", around(10, 1)), one_mean("b", around(19, 2)), 4);
  REQUIRE(comparison.quantities.size() == 1);
  const ComparedQuantity& mean = comparison.quantities.front();
  CHECK(std::abs(mean.z - 9 / std::sqrt(5.0)) < 1e-12);
  CHECK(mean.differs);
  CHECK(mean.quantity == "mean");
  CHECK(mean.at == "distance 10");
  CHECK_FALSE(
      compare_results(one_mean("a", around(10, 1)), one_mean("b", around(19, 2)), 4.1).differing());
}

TEST_CASE("bounds are taken off the difference before anything is counted in standard errors") {
  const auto exact = one_mean("exact", bounded("1.0", "0.75", "1.25"));
  const auto near = one_mean("near", bounded("1.5", "1.25", "1.75"));
  const auto far = one_mean("far", bounded("1.625", "1.375", "1.875"));
  CHECK(compare_results(exact, near, 4).differing() == 0);  // the intervals touch
  const auto apart = compare_results(exact, far, 4);
  CHECK(apart.differing() == 1);
  CHECK(std::isinf(apart.quantities.front().z));
  CHECK(comparison_json(apart, {}).at("quantities").at(0).at("z").is_null());
  // 0.25 of the difference of 0.5 is a bound; the rest is 0.25 over 0.25/1.96
  const auto drawn = one_mean("drawn", sampled("1.5", "1.25", "1.75"));
  const auto mixed = compare_results(exact, drawn, 4);
  CHECK(std::abs(mixed.quantities.front().z - 1.959963984540054) < 1e-12);
}

TEST_CASE("numbers far below the range of double are compared") {
  const auto a = one_mean("a", bounded("2.0e-9000", "1.9e-9000", "2.1e-9000"));
  const auto b = one_mean("b", bounded("2.3e-9000", "2.25e-9000", "2.4e-9000"));
  CHECK(compare_results(a, b, 4).differing() == 1);
  CHECK(compare_results(a, a, 4).differing() == 0);
}

TEST_CASE("series are matched by parameters and points by distance") {
  const std::string mean = bounded("1", "1", "1");
  const auto a = one_mean("a", mean);
  CHECK(compare_results(a, one_mean("b", mean, "tapa"), 4).quantities.size() == 1);
  CHECK_THROWS_AS(compare_results(a, one_mean("b", mean, "tapa", 11), 4), InputError);
  const ResultText two{
      "two",
      R"({"schema":"tapalab/curve/1","curves":[{"encoding":{"name":"tapa","spec":"",
      "alpha":"0.1"},"density":{"name":"gaussian","spec":"gaussian"},"head_dim":16,"points":[)"
      R"({"distance":10,"mean":)" +
          mean + R"(},{"distance":12,"mean":)" + mean + "}]}]}"};
  const auto comparison = compare_results(a, two, 4);
  CHECK(comparison.only_in_a == 0);
  CHECK(comparison.only_in_b == 1);
}

TEST_CASE("verdicts are compared as words") {
  const auto verdicts = [](const std::string& verdict) {
    return ResultText{
        "v", R"({"schema":"tapalab/verify/1","claims":[{"id":"theorem-3.3","verdict":")" + verdict +
                 "\"}]}"};
  };
  CHECK(compare_results(verdicts("corrected"), verdicts("corrected"), 4).differing() == 0);
  CHECK(compare_results(verdicts("corrected"), verdicts("refuted"), 4).differing() == 1);
}

TEST_CASE("what cannot be compared is refused") {
  const auto good = one_mean("good", bounded("1", "1", "1"));
  for (const char* text :
       {"", "[]", "{}", R"({"schema":7})", R"({"schema":"tapalab/crosscheck/1"})",
        R"({"schema":"tapalab/fit/1"})", R"({"schema":"tapalab/verify/1"})",
        R"({"schema":"tapalab/verify/1","claims":[{"id":1}]})"})
    CHECK_THROWS_AS(compare_results(good, {"bad", text}, 4), InputError);
  for (const std::string& mean :
       {bounded("1", "2", "3"), bounded("x", "0", "1"), bounded("1", "nan", "2"),
        std::string(R"({"decimal":true,"error":{"lower":"0","upper":"1"}})"),
        std::string(R"({"decimal":"1","error":{"lower":"0","upper":"2","level":1.5}})")})
    CHECK_THROWS_AS(compare_results(good, one_mean("bad", mean), 4), InputError);
}
