// Fits recover what they are given, and their intervals cover.
#include "analysis/fit.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "analysis/distance_grid.hpp"
#include "analysis/experiment.hpp"
#include "analysis/fit_json.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

DistanceCurve empty_curve(const std::string& encoding = "tapa",
                          const std::string& density = "gaussian:rho=0.25") {
  DistanceCurve curve;
  curve.encoding = parse_encoding(encoding);
  curve.density = parse_density(density);
  curve.head_dim = 128;
  return curve;
}

CurvePoint point(std::uint64_t distance, const Wide& envelope, const Wide& error,
                 ErrorKind kind = ErrorKind::rounding) {
  CurvePoint p;
  p.distance = distance;
  p.envelope = with_symmetric_error(LogNumber(envelope), kind, false, error);
  p.mean = p.envelope;
  if (kind == ErrorKind::confidence) p.envelope->error.level = 0.95;
  return p;
}

/// scale * distance^exponent with relative error bounds of 1e-40.
DistanceCurve power_curve(double exponent, const Wide& scale, const std::string& distances) {
  DistanceCurve curve = empty_curve();
  for (const std::uint64_t d : parse_distances(distances).distances) {
    const Wide value = scale * pow(Wide(d), Wide(exponent));
    curve.points.push_back(point(d, value, value * Wide("1e-40")));
  }
  return curve;
}

DistanceCurve exact_curve(const std::string& encoding, const std::string& density,
                          std::uint32_t head_dim, const std::string& distances) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances = parse_distances(distances);
  task.engine = Engine::exact;
  return exact_gaussian_curve(task);
}

const FitWindow kAll{0, std::numeric_limits<double>::infinity(), ErrorDependence::unknown};

bool contains(const FitNumber& number, double truth) {
  return number.lower <= truth && truth <= number.upper;
}

/// tapa-general with every coordinate of query and key in both forms.
Encoding general_encoding(const std::vector<const char*>& M, const std::vector<const char*>& N) {
  TapaGeneralEncoding law;
  law.alpha = ExactDecimal::parse("0.5", "alpha");
  for (auto [matrix, entries] : {std::pair{&law.M, &M}, std::pair{&law.N, &N}}) {
    matrix->rows = matrix->cols = 2;
    for (const char* entry : *entries) {
      matrix->entries.push_back(ExactDecimal::parse(entry, "entry"));
    }
  }
  return {"tapa-general", law};
}

DistanceCurve general_curve(const Encoding& encoding, const std::string& distances) {
  CurveTask task;
  task.encoding = encoding;
  task.density = parse_density("gaussian:rho=0.25,mean_q=0.5");
  task.head_dim = 2;
  task.distances = parse_distances(distances);
  task.engine = Engine::exact;
  return exact_gaussian_curve(task);
}

}  // namespace

TEST_CASE("an exact power law gives its exponent inside a narrow interval, at any size") {
  for (const double exponent : {-6.4, -0.37, -64.0}) {
    for (const char* scale : {"1", "3e-9000", "7e5000"}) {
      const FitResult fit = fit_decay(power_curve(exponent, Wide(scale), "log:1:2^62:40"), kAll);
      REQUIRE(fit.local.size() == fit.points.size() - 1);
      CHECK(contains(fit.overall, exponent));
      CHECK(fit.overall.upper - fit.overall.lower < 1e-11 * std::abs(exponent));
      for (const LocalExponent& step : fit.local) {
        CHECK(contains(step.in_distance, exponent));
        CHECK(contains(step.in_scale, exponent / 0.1));
        CHECK(step.in_distance.upper - step.in_distance.lower < 1e-13 * std::abs(exponent));
      }
    }
  }
}

TEST_CASE("neighbouring distances beyond the resolution of a double still give an exponent") {
  const FitResult fit =
      fit_decay(power_curve(-6.4, Wide(1), "4611686018427387904,4611686018427387905"), kAll);
  CHECK(contains(fit.overall, -6.4));
  CHECK(fit.overall.upper - fit.overall.lower < 1e-12);
}

TEST_CASE("a bound on the envelope becomes a bound on the exponent that both ends can reach") {
  DistanceCurve curve = empty_curve();
  curve.points = {point(1000, 8, 2), point(2000, 1, 0.5)};
  const FitResult fit = fit_decay(curve, kAll);
  CHECK(fit.overall.value == Approx(-3).epsilon(1e-12));
  CHECK(fit.overall.upper == Approx(std::log2(1.5 / 6)).epsilon(1e-12));
  CHECK(fit.overall.lower == Approx(std::log2(0.5 / 10)).epsilon(1e-12));
  CHECK_FALSE(fit.overall.level.has_value());
}

TEST_CASE("nominal 95% intervals cover 95% under independent noise") {
  // 4000 fits; the sd of the coverage is 0.34%, the band +-4 sd.
  std::mt19937_64 random(20240601);
  std::normal_distribution<double> normal;
  FitWindow window = kAll;
  window.dependence = ErrorDependence::independent;
  int local_hits = 0, overall_hits = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    DistanceCurve curve = empty_curve();
    for (int i = 0; i < 6; ++i) {
      const double truth = std::pow(2.0, -1.5 * i);
      const double sd = truth * 0.002 * (1 + i);
      curve.points.push_back(point(1000ULL << i, truth + sd * normal(random),
                                   1.959963984540054 * sd, ErrorKind::confidence));
    }
    const FitResult fit = fit_decay(curve, window);
    local_hits += contains(fit.local[run % 5].in_distance, -1.5);
    overall_hits += contains(fit.overall, -1.5);
    REQUIRE(fit.overall.kind == ErrorKind::confidence);
    REQUIRE(fit.overall.level == 0.95);
  }
  CHECK(std::abs(local_hits / double(kRuns) - 0.95) < 4 * std::sqrt(0.95 * 0.05 / kRuns));
  CHECK(std::abs(overall_hits / double(kRuns) - 0.95) < 4 * std::sqrt(0.95 * 0.05 / kRuns));
}

TEST_CASE(
    "with unknown dependence the level holds for opposite errors and is kept for equal ones") {
  // Errors of opposite sign at two distances are the worst case: there the level is met exactly.
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  constexpr int kRuns = 4000;
  for (const double correlation : {-1.0, 0.0, 0.9}) {
    int hits = 0;
    for (int run = 0; run < kRuns; ++run) {
      const double a = normal(random), c = normal(random);
      const double b = correlation * a + std::sqrt(1 - correlation * correlation) * c;
      DistanceCurve curve = empty_curve();
      curve.points = {
          point(1000, 1 + 0.005 * a, 1.959963984540054 * 0.005, ErrorKind::confidence),
          point(2000, 0.5 * (1 + 0.01 * b), 1.959963984540054 * 0.005, ErrorKind::confidence)};
      hits += contains(fit_decay(curve, kAll).overall, -1.0);
    }
    const double sd = std::sqrt(0.95 * 0.05 / kRuns);
    CHECK(hits / double(kRuns) > 0.95 - 4 * sd);
    if (correlation == -1.0) CHECK(hits / double(kRuns) < 0.95 + 4 * sd);
  }
}

TEST_CASE("unresolved points, points without envelope and points outside the window are left out") {
  DistanceCurve curve = power_curve(-2, Wide(1), "0,1,1000,2000,4000,8000");
  curve.points[3].status = Status::unresolved;
  curve.points[4].envelope.reset();
  curve.points[1].envelope = with_symmetric_error(LogNumber(1.0), ErrorKind::rounding, false, 2);
  curve.points.push_back(curve.points[2]);
  const FitResult fit = fit_decay(curve, kAll);
  CHECK(fit.points.size() == 2);
  CHECK(fit.points.front().distance == 1000);
  CHECK(fit.points.back().distance == 8000);
  CHECK(fit.outside_window == 1);
  CHECK(fit.unresolved == 2);
  CHECK(fit.no_envelope == 1);

  FitWindow narrow;
  narrow.t_min = 1.58;
  narrow.t_max = 1.60;
  CHECK_THROWS_AS(fit_decay(curve, narrow), InputError);
  narrow.t_max = 1.5;
  CHECK_THROWS_AS(fit_decay(curve, narrow), InputError);
}

TEST_CASE("t is 2 pi s/sqrt(dP), and the default window starts at 1") {
  const FitResult fit = fit_decay(power_curve(-2, Wide(1), "1,11,12,100000,65536"));
  // (8/(2 pi))^10 = 11.2: the first distance with t >= 1 is 12.
  CHECK(fit.points.front().distance == 12);
  CHECK(fit.points[1].distance == 65536);
  CHECK(fit.points[1].t == Approx(2 * std::acos(-1.0) * std::pow(2.0, 1.6) / 8).epsilon(1e-14));
}

TEST_CASE("at 65536 the local exponent is -5.3 while the asymptote is -6.4") {
  const FitResult fit = fit_decay(
      exact_curve("tapa", "gaussian:rho=0.25", 128, "65535,65536,65537,4611686018427387904"));
  REQUIRE(fit.points[1].predicted);
  CHECK(fit.points[1].predicted->value == Approx(-5.3).margin(0.05));
  CHECK(*fit.asymptote.exponent_in_distance == Approx(-6.4).epsilon(1e-15));
  CHECK(*fit.asymptote.exponent_in_scale == -64);
  // The derivative lies between the difference quotients on its two sides, taken from an engine
  // that shares no code with it.
  CHECK(fit.points[1].predicted->value < fit.local[0].in_distance.upper);
  CHECK(fit.points[1].predicted->value > fit.local[1].in_distance.lower);
  CHECK(fit.local[0].in_distance.value - fit.local[1].in_distance.value < 1e-4);
  // At 2^62 the limit is near.
  CHECK(fit.points[3].predicted->value == Approx(-6.4).epsilon(0.01));
  CHECK(fit.points[3].predicted->value > -6.4);
}

TEST_CASE("closed-form exponents agree with the exact engine within the intervals of both") {
  const std::string grid = "log:1:2^40:21";
  const std::string odd =
      "gaussian:a.rho=-0.6,p.rho=0.4,p.mean_q=0.3,p.mean_k=-0.9,p.scale_q=0.8,"
      "p.scale_k=1.5,a.mean_q=1";
  std::vector<DistanceCurve> curves = {
      exact_curve("tapa", "gaussian:rho=0.25", 128, grid),
      exact_curve("tapa:alpha=0.07,share=0.25", odd, 16, grid),
      exact_curve("tapa:alpha=0.001,law=linear", odd, 16, "log:1:2^20:11"),
      exact_curve("tapa", "gaussian:rho=1", 8, grid),
      exact_curve("tapa-linear", odd, 16, grid),
      general_curve(general_encoding({"1", "0.5", "-0.3", "0.7"}, {"0.4", "0.1", "0.2", "-0.6"}),
                    grid),
      general_curve(general_encoding({"1", "0.5", "-0.3", "0.7"}, {"0.4", "0.2", "0.2", "0.1"}),
                    grid)};
  for (const DistanceCurve& curve : curves) {
    const FitResult fit = fit_decay(curve, kAll);
    REQUIRE(fit.local.size() >= 10);
    for (const LocalExponent& step : fit.local) {
      REQUIRE(step.predicted);
      CHECK(step.predicted->lower <= step.in_distance.upper);
      CHECK(step.in_distance.lower <= step.predicted->upper);
      CHECK(step.predicted->upper - step.predicted->lower <
            1e-9 * (1 + std::abs(step.predicted->value)) + 1e-13 * step.t_high);
    }
    REQUIRE(fit.overall_predicted);
    CHECK(fit.overall_predicted->value == Approx(fit.overall.value).epsilon(1e-9));
  }
}

TEST_CASE("the derivative of the closed form is the limit of its difference quotients") {
  for (const std::string encoding : {"tapa", "tapa-linear"}) {
    for (const std::string density :
         {"gaussian:rho=0.25", "gaussian:rho=-0.8,mean_q=0.7,mean_k=0.2,p.scale_k=2"}) {
      const DecayLaw law = decay_law(parse_encoding(encoding), parse_density(density), 16);
      for (const double s : {0.05, 0.7, 3.0}) {
        constexpr double h = 1e-4;
        const double quotient =
            (law.log_envelope(s * std::exp(h)).value - law.log_envelope(s * std::exp(-h)).value) /
            (2 * h);
        CHECK(law.exponent_in_scale(s).value == Approx(quotient).epsilon(1e-6));
      }
    }
  }
  const DecayLaw law =
      decay_law(general_encoding({"1", "0.5", "-0.3", "0.7"}, {"0.4", "0.1", "0.2", "-0.6"}),
                parse_density("gaussian:rho=0.25,mean_q=0.5"), 2);
  for (const double s : {0.05, 0.7, 30.0}) {
    constexpr double h = 1e-4;
    const double quotient =
        (law.log_envelope(s * std::exp(h)).value - law.log_envelope(s * std::exp(-h)).value) /
        (2 * h);
    CHECK(law.exponent_in_scale(s).value == Approx(quotient).epsilon(1e-6));
  }
}

TEST_CASE("the asymptote is what the exact engine shows at a distance of 1e18") {
  struct Case {
    DistanceCurve curve;
    double exponent_in_scale;
  };
  const std::string far = "1000000000000000000,4000000000000000000";
  const std::vector<const char*> M = {"1", "0.5", "-0.3", "0.7"};
  const std::vector<Case> cases = {
      // law=linear: t is 1e17 there.
      {exact_curve("tapa:law=linear", "gaussian:rho=0.25,mean_q=0.5,mean_k=1", 16, far), -8},
      {exact_curve("tapa:law=linear,share=0.25", "gaussian:rho=1", 16, far), -6},
      // Full rank: the amplitude vanishes at the critical point, rank N + 1 for the envelope.
      {general_curve(general_encoding(M, {"0.4", "0.1", "0.2", "-0.6"}), far), -3},
      // Rank 1: it does not.
      {general_curve(general_encoding(M, {"0.4", "0.2", "0.2", "0.1"}), far), -1}};
  for (const Case& c : cases) {
    const FitResult fit = fit_decay(c.curve);
    REQUIRE(fit.asymptote.kind == AsymptoteKind::power);
    CHECK(*fit.asymptote.exponent_in_scale == c.exponent_in_scale);
    CHECK(fit.local[0].in_scale.value == Approx(c.exponent_in_scale).epsilon(1e-6));
  }
}

TEST_CASE("what has no power law or no derivation says so") {
  CHECK_THROWS_WITH(fit_decay(power_curve(-1, Wide(1), "1000"), kAll),
                    Catch::Matchers::Contains("1 usable points"));
  for (const char* rotary : {"rope", "nope"}) {
    DistanceCurve curve = power_curve(-1, Wide(1), "1000,2000");
    curve.encoding = parse_encoding(rotary);
    CHECK_THROWS_AS(fit_decay(curve), InputError);
    CHECK_THROWS_WITH(fit_decay(curve), Catch::Matchers::Contains("no power law"));
  }
  const DecayLaw linear =
      decay_law(parse_encoding("tapa-linear"), parse_density("gaussian:rho=0.25"), 128);
  CHECK(linear.asymptote.kind == AsymptoteKind::faster_than_power);
  const DecayLaw no_amplitude = decay_law(parse_encoding("tapa"), parse_density("gaussian"), 128);
  CHECK(no_amplitude.asymptote.kind == AsymptoteKind::not_predicted);
  CHECK_FALSE(no_amplitude.asymptote.exponent_in_distance);
  // tr(M N^-1) = 0: both coefficients at the critical point vanish.
  const DecayLaw vanishing =
      decay_law(general_encoding({"1", "0", "0", "-1"}, {"1", "0", "0", "1"}),
                parse_density("gaussian:rho=0.25"), 2);
  CHECK(vanishing.asymptote.kind == AsymptoteKind::not_predicted);
}

TEST_CASE("a fit's JSON carries an interval with every exponent") {
  const nlohmann::ordered_json document = fits_json(
      {fit_decay(exact_curve("tapa", "gaussian:rho=0.25", 128, "log:10:2^20:8"))}, nullptr);
  CHECK(document["schema"] == "tapalab/fit/1");
  const auto& fit = document["fits"][0];
  CHECK(fit["encoding"]["name"] == "tapa");
  CHECK(fit["window"]["t_min"] == 1.0);
  CHECK(fit["window"]["t_max"].is_null());
  CHECK(fit["asymptote"]["kind"] == "power");
  for (const auto& number : {fit["overall"]["exponent"], fit["overall"]["predicted_exponent"],
                             fit["local"][0]["exponent"], fit["local"][0]["predicted_exponent"],
                             fit["points"][0]["predicted_exponent"]}) {
    CHECK(number["error"]["lower"] < number["value"]);
    CHECK(number["value"] < number["error"]["upper"]);
    CHECK(number["error"]["kind"] == "rounding");
    CHECK(number["error"]["level"].is_null());
  }
}
