#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "analysis/writers/bounds.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "catch.hpp"

using namespace tapalab;

namespace {

Wide read(const std::string& text) { return Wide(text); }

DistanceCurve small_curve() {
  DistanceCurve curve;
  curve.encoding = parse_encoding("tapa:alpha=0.10");
  curve.density = parse_density("gaussian:rho=0.25,a.mean_q=1");
  curve.head_dim = 128;
  CurvePoint point;
  point.distance = 9223372036854775807U;
  point.mean = with_symmetric_error(LogNumber(Wide("-1e-9000")), ErrorKind::rounding, false,
                                    Wide("1e-9020"));
  curve.points.push_back(point);
  return curve;
}

}  // namespace

TEST_CASE("Printed ends of an interval never move inwards, and by less than 2 last digits") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> significand(-10, 10);
  std::uniform_int_distribution<int> exponent(-400, 400);
  for (int i = 0; i < 2000; ++i) {
    const Wide value = Wide(significand(random)) * pow(Wide(10), exponent(random)) / 3;
    for (const int digits : {2, 5, 17}) {
      const Wide lower = read(lower_bound_text(LogNumber(value), digits));
      const Wide upper = read(upper_bound_text(LogNumber(value), digits));
      CHECK(lower <= value);
      CHECK(upper >= value);
      CHECK(upper - lower <= 4 * pow(Wide(10), 1 - digits) * abs(value));
    }
  }
}

TEST_CASE("Numbers that print exactly are printed as they are") {
  for (const char* text : {"1.5", "-1.5", "1", "999999999999999", "0.1", "-2.5e-300", "0"}) {
    CHECK(read(lower_bound_text(LogNumber(Wide(text)))) == Wide(text));
    CHECK(read(upper_bound_text(LogNumber(Wide(text)))) == Wide(text));
  }
  // All digits 9: the step outwards changes the number of digits.
  const Wide nines = 1 - Wide("1e-30");
  CHECK(read(upper_bound_text(LogNumber(nines), 5)) >= nines);
  CHECK(read(lower_bound_text(LogNumber(nines), 5)) <= nines);
}

TEST_CASE("A mean of 1e-9000 keeps its digits in JSON, and what is undefined is null") {
  const auto json = curve_json(small_curve());
  const auto& point = json.at("points").at(0);
  CHECK(point.at("distance") == 9223372036854775807U);
  CHECK(point.at("mean").at("decimal") == "-1.0000000000000000e-9000");
  CHECK(point.at("mean").at("sign") == -1);
  CHECK(point.at("mean").at("log10_abs") == -9000.0);
  CHECK(point.at("mean").at("value") == 0.0);
  CHECK(point.at("mean").at("error").at("relative_to_envelope").is_null());
  CHECK(point.at("mean").at("error").at("level").is_null());
  CHECK(point.at("envelope").is_null());
  CHECK(point.at("variance").is_null());
  CHECK(json.at("seed").is_null());
  CHECK(json.at("encoding").at("alpha") == "0.10");
  CHECK(json.at("density").at("a.mean_q") == "1");
  CHECK(json.at("density").at("p.mean_q") == "0");
}

TEST_CASE(
    "Beyond the range of doubles value is null, and an exact result has no logarithm of error") {
  const auto huge = quantity_json(
      with_symmetric_error(LogNumber(Wide("1e400")), ErrorKind::rounding, true, Wide(0)));
  CHECK(huge.at("value").is_null());
  CHECK(huge.at("decimal") == "1.0000000000000000e+400");
  CHECK(huge.at("error").at("log10_absolute").is_null());
  const auto zero =
      quantity_json(with_symmetric_error(LogNumber(), ErrorKind::rounding, true, Wide(0)));
  CHECK(zero.at("decimal") == "0");
  CHECK(zero.at("log10_abs").is_null());
  CHECK(zero.at("value") == 0.0);
}

TEST_CASE("A quantity whose sign is not resolved has no sign and keeps its estimate") {
  Quantity quantity = with_symmetric_error(LogNumber(0.5), ErrorKind::confidence, false, Wide(1));
  quantity.sign_resolved = false;
  quantity.error.level = 0.95;
  const auto json = quantity_json(quantity);
  CHECK(json.at("sign").is_null());
  CHECK(json.at("value") == 0.5);
  CHECK(read(json.at("error").at("upper")) == Wide(1.5));
}

TEST_CASE("JSON text reads back as the same document, and bytes that are not UTF-8 are replaced") {
  const nlohmann::ordered_json document{{"a", {1, 2.5, nullptr}},
                                        {"empty", nlohmann::ordered_json::object()},
                                        {"nested", {{{"k", "v\n\"quoted\""}}, {{"k", {}}}}},
                                        {"rows", {{1, 2}, {3, 4}}}};
  CHECK(nlohmann::ordered_json::parse(json_text(document)) == document);
  CHECK_NOTHROW(nlohmann::json::parse(json_text({{"path", "\xff"}})));
}

TEST_CASE("CSV fields are quoted where they must be, and unset cells are empty") {
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  const std::string text = curves_csv({small_curve()});
  const auto row = text.substr(text.find('\n') + 1);
  CHECK(row.find("tapa:alpha=0.10,\"gaussian:rho=0.25,a.mean_q=1\",128,,,9223372036854775807,"
                 "exact,converged,-1.0000000000000000e-9000,") == 0);
  CHECK(row.find(",rounding,,,,,,,,,,,,\n") != std::string::npos);
}

TEST_CASE("Tables align their columns and hold a dash where a quantity is unset") {
  CHECK(aligned_table({"n", "text"}, {{"1", "a"}, {"1000", "bcdefg"}}, {false, true}) ==
        "   n  text\n   1  a\n1000  bcdefg\n");
  const std::string table = curves_table({small_curve()}, TableQuantities::all);
  CHECK(table.find("-1.000000000e-9000") != std::string::npos);
  CHECK(table.find("  -  ") != std::string::npos);
}
