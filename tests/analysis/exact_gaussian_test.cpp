#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/experiment.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using nlohmann::json;

namespace {

json reference(const char* file) {
  std::ifstream in(std::string(TAPALAB_TEST_DATA "/") + file);
  REQUIRE(in.good());
  return json::parse(in);
}

DistanceCurve exact(const std::string& encoding, const std::string& density, std::uint32_t head_dim,
                    std::vector<std::uint64_t> distances) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances.distances = std::move(distances);
  return exact_gaussian_curve(task);
}

/// The printed decimals against 20 digits of the reference.
void check_point(const CurvePoint& point, const json& expected) {
  const Wide envelope = LogNumber::parse(point.envelope->estimate.decimal(), "envelope").wide();
  const Wide mean = LogNumber::parse(point.mean->estimate.decimal(), "mean").wide();
  const Wide mean_reference(expected.at("mean").at("value").get<std::string>());
  CHECK(abs(mean - mean_reference) <= Wide("1e-12") * envelope);
  const Wide variance = LogNumber::parse(point.variance->estimate.decimal(), "variance").wide();
  const Wide variance_reference(expected.at("variance").at("value").get<std::string>());
  CHECK(abs(variance - variance_reference) <= Wide("1e-15") * variance_reference);
  CHECK(point.status == Status::converged);
}

DecimalMatrix matrix(const json& rows) {
  DecimalMatrix m;
  m.rows = rows.size();
  m.cols = rows.at(0).size();
  for (const auto& row : rows) {
    for (const auto& entry : row) m.entries.push_back(ExactDecimal::parse(entry.dump(), "entry"));
  }
  return m;
}

}  // namespace

TEST_CASE("split TAPA meets the 60-digit reference") {
  const json document = reference("tapa_gaussian.json");
  REQUIRE(document.at("cases").size() > 10);
  for (const json& c : document.at("cases")) {
    const std::string encoding = "tapa:alpha=" + c.at("alpha").get<std::string>() +
                                 ",share=" + c.at("theta").get<std::string>() +
                                 ",law=" + c.at("law").get<std::string>();
    INFO(c.dump());
    const auto curve = exact(encoding, c.at("density"), c.at("head_dim"), {c.at("distance")});
    check_point(curve.points.at(0), c);
  }
}

TEST_CASE("general TAPA meets the 60-digit reference") {
  const json document = reference("tapa_general_gaussian.json");
  REQUIRE(document.at("cases").size() >= 2);
  for (const json& c : document.at("cases")) {
    INFO(c.at("name"));
    TapaGeneralEncoding encoding;
    encoding.alpha = ExactDecimal::parse(c.at("alpha").get<std::string>(), "alpha");
    encoding.law = c.at("law") == "linear" ? PhaseLaw::linear : PhaseLaw::power;
    encoding.M = matrix(c.at("M"));
    encoding.N = matrix(c.at("N"));
    FullGaussianDensity density;
    for (const auto& entry : c.at("mean")) {
      density.mean.push_back(ExactDecimal::parse(entry.dump(), "mean"));
    }
    density.covariance = matrix(c.at("covariance"));
    CurveTask task;
    task.encoding = {"tapa-general", encoding};
    task.density = {"gaussian", density};
    task.head_dim = c.at("head_dim");
    for (const auto& point : c.at("points"))
      task.distances.distances.push_back(point.at("distance"));
    const auto curve = exact_gaussian_curve(task);
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      check_point(curve.points[i], c.at("points")[i]);
    }
  }
}

TEST_CASE("a mean of 1e-8955 converges") {
  const auto curve =
      exact("tapa:alpha=1,law=linear", "gaussian:rho=0.25", 1024, {std::uint64_t{1} << 60});
  const CurvePoint& point = curve.points.at(0);
  CHECK(point.status == Status::converged);
  // |E| = |Phi_1| (asymptotically): 512 factors of about 1/(t sqrt(1-rho^2)), t = 2 pi
  // 2^60/sqrt(512).
  CHECK(point.envelope->estimate.log10_abs() < -8900);
  CHECK(point.envelope->estimate.log10_abs() > -9000);
  CHECK(*point.mean->error.relative_to_envelope < 1e-12);
}

TEST_CASE("the variance excess is the variance less half the amplitude's second moment") {
  // rho = 1/4, 64 amplitude coordinates: E a^2 = 1 + rho^2 + 64 rho^2 = 81/16.
  const auto curve = exact("tapa", "gaussian:rho=0.25", 128, {0, 1});
  for (const CurvePoint& point : curve.points) {
    const Wide difference = point.variance->estimate.wide() - Wide(81) / 32;
    CHECK(abs(difference - point.variance_excess->estimate.wide()) < Wide("1e-45"));
  }
}

TEST_CASE("at distance 0 TAPA and NoPE scores of the same coordinates agree") {
  const auto tapa = exact("tapa", "gaussian:rho=0.5,mean_q=0.25", 64, {0});
  // 32 amplitude coordinates of mean product rho, over sqrt(32).
  CHECK(abs(tapa.points[0].mean->estimate.wide() - 16 / sqrt(Wide(32))) < Wide("1e-45"));
  const auto nope = exact("nope", "gaussian:rho=0.5,mean_q=0.25", 32, {0});
  CHECK(abs(tapa.points[0].mean->estimate.wide() - nope.points[0].mean->estimate.wide()) <
        Wide("1e-45"));
  CHECK(abs(tapa.points[0].variance->estimate.wide() - nope.points[0].variance->estimate.wide()) <
        Wide("1e-45"));
}

TEST_CASE(
    "RoPE's mean is the sum of cosines times mu_0 and its variance is 1 for iid coordinates") {
  const auto curve =
      exact("rope:base=10000,angle=radians", "gaussian:mean_q=0.5,mean_k=0.5", 4, {7});
  // f_0 = 1, f_1 = 1/100; mu = 1/2 a pair, nu = 0.
  const Wide expected = (cos(Wide(7)) + cos(Wide(7) / 100)) / 4;
  const Quantity& mean = *curve.points[0].mean;
  CHECK(abs(mean.estimate.wide() - expected) <= mean.error.absolute.wide());
  CHECK(mean.error.absolute.wide() < Wide("2e-16") * curve.points[0].envelope->estimate.wide());
  CHECK(abs(curve.points[0].envelope->estimate.wide() - Wide(1) / 2) < Wide("1e-45"));
  const auto iid = exact("rope", "gaussian", 128, {0, 1, 1000003, (std::uint64_t{1} << 63) - 1});
  for (const CurvePoint& point : iid.points) {
    CHECK(abs(point.variance->estimate.wide() - 1) <= point.variance->error.absolute.wide());
    CHECK(point.variance->error.absolute.wide() < Wide("2e-16"));
    CHECK(point.mean->estimate.sign() == 0);
    CHECK(point.status == Status::converged);
  }
}

TEST_CASE("a phase with mean keeps its digits at distance 2^63 - 1 under the linear law") {
  // One phase pair with means: |E| is bounded by the closed form; equal results from alpha = 0.1
  // and alpha = 1/10 of ten times the distance show that no turn is lost.
  const std::string density = "gaussian:mean_q=0.5,mean_k=0.75";
  const std::uint64_t far = 922337203685477580ULL;
  const auto tenth =
      exact("tapa-linear:alpha=0.0000000000000001,law=linear", density, 4, {far * 10});
  const auto whole = exact("tapa-linear:alpha=0.000000000000001,law=linear", density, 4, {far});
  CHECK(abs(tenth.points[0].mean->estimate.wide() - whole.points[0].mean->estimate.wide()) <=
        Wide("1e-30") * whole.points[0].envelope->estimate.wide());
}

TEST_CASE("the exact engine refuses what it cannot compute") {
  CHECK_THROWS_AS(exact("tapa", "gaussian", 7, {1}), InputError);
  CHECK_THROWS_AS(exact("tapa:share=0.3", "gaussian", 128, {1}), InputError);
}

TEST_CASE("scales of query and key enter through their product alone, whatever their ratio") {
  const auto even = exact("tapa", "gaussian:a.rho=0.5,p.rho=0.3", 128, {0, 1, 1000});
  for (const char* density : {"gaussian:a.rho=0.5,p.rho=0.3,p.scale_q=1e14,p.scale_k=1e-14",
                              "gaussian:a.rho=0.5,p.rho=0.3,p.scale_q=1e-20,p.scale_k=1e20,a.scale_"
                              "q=1e15,a.scale_k=1e-15"}) {
    const auto uneven = exact("tapa", density, 128, {0, 1, 1000});
    for (std::size_t i = 0; i < even.points.size(); ++i) {
      const Wide difference =
          uneven.points[i].mean->estimate.wide() - even.points[i].mean->estimate.wide();
      CHECK(abs(difference) <= Wide("1e-14") * even.points[i].envelope->estimate.wide());
    }
  }
}
