// The engine ball against the 60-digit references, the exact and the quadrature engines, which
// share no arithmetic with it, and a closed form of its own.
#include "proofs-check/ball_curve.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "analysis/fit.hpp"
#include "analysis/intervals.hpp"
#include "analysis/product_transform.hpp"
#include "analysis/stationary_phase.hpp"
#include "catch.hpp"
#include "proofs-check/ball_task.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/product_pair_ball.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using nlohmann::json;

namespace {

json ball_reference(const char* file) {
  std::ifstream in(std::string(TAPALAB_TEST_DATA "/") + file);
  REQUIRE(in.good());
  return json::parse(in);
}

DecimalMatrix decimal_matrix(const json& rows) {
  DecimalMatrix m;
  m.rows = rows.size();
  m.cols = rows.at(0).size();
  for (const auto& row : rows) {
    for (const auto& entry : row) m.entries.push_back(ExactDecimal::parse(entry.dump(), "entry"));
  }
  return m;
}

// The reference has 20 digits: half a unit of the last is 5e-20 of the value or less.
bool holds_reference(const Quantity& q, const std::string& text) {
  const Wide value(text), slack = abs(value) * Wide("1e-18");
  return q.error.lower.wide() <= value + slack && value - slack <= q.error.upper.wide();
}

void check_against(Engine other, CurveTask task) {
  const DistanceCurve certified = compute_curve(task);
  task.engine = other;
  const DistanceCurve plain = compute_curve(task);
  REQUIRE(certified.points.size() == plain.points.size());
  for (std::size_t i = 0; i < plain.points.size(); ++i) {
    const CurvePoint &a = certified.points[i], &b = plain.points[i];
    INFO(task.encoding.spec << " under " << task.density.spec << " at " << a.distance);
    CHECK(a.status == Status::converged);
    CHECK(a.mean->error.rigorous);
    CHECK(a.mean->error.kind == ErrorKind::ball);
    CHECK(overlap(*a.mean, *b.mean));
    CHECK(overlap(*a.envelope, *b.envelope));
    CHECK(overlap(*a.variance, *b.variance));
    CHECK(a.variance_excess.has_value() == b.variance_excess.has_value());
    if (a.variance_excess) CHECK(overlap(*a.variance_excess, *b.variance_excess));
  }
}

}  // namespace

TEST_CASE("twelve digits of a mean of 1e-8955 are certified, and are those of the exact engine") {
  CurveTask task = ball_task("tapa:alpha=1,law=linear,share=0.5", "gaussian:rho=0.25", 1024,
                             {std::uint64_t{1} << 60});
  const CurvePoint ball = compute_curve(task).points.at(0);
  task.engine = Engine::exact;
  const CurvePoint exact = compute_curve(task).points.at(0);
  CHECK(ball.status == Status::converged);
  CHECK(ball.mean->estimate.log10_abs() < -8954);
  CHECK(ball.mean->estimate.log10_abs() > -8957);
  const Wide size = abs(ball.mean->estimate.wide());
  // the certified interval holds twelve digits, and the exact engine's value lies in it
  CHECK(ball.mean->error.absolute.wide() < Wide("1e-13") * size);
  CHECK(abs(ball.mean->estimate.wide() - exact.mean->estimate.wide()) < Wide("5e-13") * size);
  CHECK(ball.mean->error.lower.wide() <= exact.mean->estimate.wide());
  CHECK(exact.mean->estimate.wide() <= ball.mean->error.upper.wide());
}

TEST_CASE("balls hold the 60-digit references of split and general TAPA, and of products") {
  const json split = ball_reference("tapa_gaussian.json");
  REQUIRE(split.at("cases").size() > 10);
  for (const json& c : split.at("cases")) {
    INFO(c.dump());
    if (c.at("head_dim").get<int>() > 256) continue;
    const std::string encoding = "tapa:alpha=" + c.at("alpha").get<std::string>() +
                                 ",share=" + c.at("theta").get<std::string>() +
                                 ",law=" + c.at("law").get<std::string>();
    const auto point =
        compute_curve(ball_task(encoding, c.at("density"), c.at("head_dim"), {c.at("distance")}))
            .points.at(0);
    CHECK(holds_reference(*point.mean, c.at("mean").at("value")));
    CHECK(holds_reference(*point.variance, c.at("variance").at("value")));
  }
  const json general = ball_reference("tapa_general_gaussian.json");
  REQUIRE(general.at("cases").size() >= 2);
  for (const json& c : general.at("cases")) {
    INFO(c.at("name"));
    TapaGeneralEncoding encoding;
    encoding.alpha = ExactDecimal::parse(c.at("alpha").get<std::string>(), "alpha");
    encoding.law = c.at("law") == "linear" ? PhaseLaw::linear : PhaseLaw::power;
    encoding.M = decimal_matrix(c.at("M"));
    encoding.N = decimal_matrix(c.at("N"));
    FullGaussianDensity density;
    for (const auto& entry : c.at("mean")) {
      density.mean.push_back(ExactDecimal::parse(entry.dump(), "mean"));
    }
    density.covariance = decimal_matrix(c.at("covariance"));
    CurveTask task;
    task.encoding = {"tapa-general", encoding};
    task.density = {"gaussian", density};
    task.head_dim = c.at("head_dim");
    for (const json& point : c.at("points")) {
      task.distances.distances.push_back(point.at("distance"));
    }
    const DistanceCurve curve = ball_curve(task);
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      CHECK(holds_reference(*curve.points[i].mean, c.at("points")[i].at("mean").at("value")));
      CHECK(curve.points[i].status == Status::converged);
    }
  }
  const json product = ball_reference("tapa_product.json");
  REQUIRE(product.at("cases").size() >= 9);
  for (const json& c : product.at("cases")) {
    INFO(c.dump());
    const std::string encoding = "tapa:alpha=" + c.at("alpha").get<std::string>() +
                                 ",share=" + c.at("theta").get<std::string>() +
                                 ",law=" + c.at("law").get<std::string>();
    const auto point =
        compute_curve(ball_task(encoding, c.at("density"), c.at("head_dim"), {c.at("distance")}))
            .points.at(0);
    CHECK(holds_reference(*point.mean, c.at("mean").at("value")));
  }
}

TEST_CASE("balls overlap the closed forms of every encoding under Gaussians") {
  for (const char* encoding :
       {"tapa:alpha=0.3", "tapa-linear:alpha=0.05", "rope", "rope:angle=turns,pairing=adjacent",
        "rope:freq=f32", "pi:factor=4", "ntk:factor=8", "partial:partial=0.5", "xpos",
        "alibi:heads=12,head=9", "nope"}) {
    for (const char* density :
         {"gaussian:rho=-0.4,mean_q=0.3,mean_k=-0.2,scale_k=2", "gaussian:rho=1,mean_q=0.1"}) {
      check_against(Engine::exact, ball_task(encoding, density, 8, {0, 3, 70000}));
    }
  }
}

TEST_CASE("balls overlap the closed forms of mixtures") {
  for (const char* encoding : {"tapa:alpha=0.3", "tapa-linear:alpha=0.05", "rope"}) {
    check_against(Engine::exact,
                  ball_task(encoding, "mixture:weight=0.3,rho=0.9,mean_q=1;weight=0.7,scale_k=2", 8,
                            {0, 3, 70000}));
  }
}

TEST_CASE("balls overlap exact and quadrature results of independent coordinates") {
  const char* means = ",a.mean_q=0.5,a.mean_k=0.4";
  for (const char* density :
       {"sech:key=logistic", "hermite2:key=gaussian", "laplace:key=singular", "uniform:key=laplace",
        "singular:key=gaussian", "bump:key=sech", "logistic:key=logistic"}) {
    const std::string spec = density + std::string(means);
    check_against(Engine::quadrature, ball_task("tapa:alpha=0.3", spec, 8, {5}));
    check_against(Engine::quadrature,
                  ball_task("tapa:alpha=0.3", spec + ",p.mean_q=0.3,p.scale_k=1.5", 8, {5}));
    check_against(Engine::exact, ball_task("tapa-linear:alpha=0.1", spec, 8, {0, 5}));
  }
  for (const char* density : {"uniform", "uniform:p.mean_q=0.5,p.mean_k=0.2", "rademacher:key=sech",
                              "rademacher:key=rademacher,p.mean_q=0.5,p.mean_k=0.2"}) {
    const std::string spec =
        std::string(density) + (std::string(density).find(':') == std::string::npos ? ":" : ",");
    check_against(Engine::exact,
                  ball_task("tapa:alpha=0.3", spec + "a.mean_q=0.5,a.mean_k=0.4", 8, {5, 100000}));
  }
}

TEST_CASE("the pair integral agrees with closed forms that it does not use") {
  const slong bits = 192;
  const auto marginal = [](const char* name) {
    return Marginal{*find_marginal(name), ExactDecimal::parse("5.5", "nu")};
  };
  const Ball t = Ball::decimal("1.75", bits);
  const Ball tiny = Ball::decimal("1e-40", bits);
  // atan(y)/y, y = t sqrt(3/2), for laplace and uniform
  const Ball y = t * sqrt(Ball(3, bits) / 2);
  Ball atan(0, bits);
  arb_atan(atan.get(), y.get(), bits);
  const Ball g = product_pair_ball(marginal("laplace"), marginal("uniform"), {}, t).re;
  CHECK(certainly_less(abs(g - atan / y), tiny));
  // at t = pi/2: int sech^2(pi x/2) dx/2 = 2/pi
  const Ball half_pi = Ball::pi(bits) / 2;
  const Ball s = product_pair_ball(marginal("sech"), marginal("sech"), {}, half_pi).re;
  CHECK(certainly_less(abs(s - Ball(1, bits) / half_pi), tiny));
}

TEST_CASE("a covariance of less than full rank is factored exactly") {
  // q = (x, y), k = (x + y, x): rank 2 of 4; the determinant of its last pivots is 0.
  DecimalMatrix covariance{4, 4, {}};
  for (const char* entry : {"1.1", "0.3", "1.4", "1.1", "0.3", "0.7", "1.0", "0.3", "1.4", "1.0",
                            "2.4", "1.4", "1.1", "0.3", "1.4", "1.1"}) {
    covariance.entries.push_back(ExactDecimal::parse(entry, "entry"));
  }
  CurveTask task = ball_task("tapa:alpha=0.5", "gaussian", 2, {0, 3, 1000});
  FullGaussianDensity density;
  density.mean.assign(4, ExactDecimal::parse("0.25", "mean"));
  density.covariance = covariance;
  task.density = {"full", density};
  check_against(Engine::exact, task);
}

TEST_CASE("the asymptotic expansion holds the truth within its first omitted terms") {
  int converged = 0;
  for (const char* density :
       {"gaussian:rho=0.25", "gaussian:rho=-0.8,mean_q=0.3,mean_k=1", "sech:a.mean_q=1,a.mean_k=1",
        "sech:key=hermite2,mean_q=0.3,mean_k=0.2", "logistic:key=gaussian,mean_q=-1,mean_k=0.5",
        "student-t:nu=5,key=sech,mean_q=1,mean_k=1", "gaussian:mean_q=1.5,mean_k=0.1,rho=-0.99",
        "sech:p.mean_k=2,a.mean_q=1,a.mean_k=1,p.scale_k=0.1"}) {
    CurveTask task = ball_task("tapa:alpha=0.5", density, 32, {0, 2, 30, 1000, 100000, 1ull << 40});
    const DistanceCurve truth = compute_curve(task);
    task.engine = Engine::asymptotic;
    const DistanceCurve series = compute_curve(task);
    for (std::size_t i = 0; i < truth.points.size(); ++i) {
      INFO(density << " at " << truth.points[i].distance);
      CHECK(overlap(*series.points[i].mean, *truth.points[i].mean));
      CHECK(overlap(*series.points[i].envelope, *truth.points[i].envelope));
      CHECK(overlap(*series.points[i].variance, *truth.points[i].variance));
      converged += series.points[i].status == Status::converged;
    }
    CHECK(series.points.back().status == Status::converged);
  }
  CHECK(converged >= 20);
  CHECK_THROWS_AS(compute_curve([] {
                    CurveTask task = ball_task("tapa", "laplace", 8, {1});
                    task.engine = Engine::asymptotic;
                    return task;
                  }()),
                  InputError);
}

TEST_CASE("envelopes of independent coordinates fall with the exponent that their laws predict") {
  const struct {
    const char* density;
    double pair;  ///< exponent of one pair
  } cases[] = {{"sech", -1},
               {"hermite2", -3},
               {"hermite2:key=laplace", -2},
               {"uniform", -1},
               {"singular:key=sech", -0.5},
               {"laplace:key=uniform", -1},
               {"rademacher:key=laplace", -2},
               {"hermite2:p.mean_q=0.5,p.mean_k=0.5", -1},
               {"mixture:weight=0.3,rho=0.9,mean_q=0.2;weight=0.7,rho=0.1", -1},
               {"student-t-joint:nu=5,rho=0.3", -1},
               {"quartic:rho=0.3", -1}};
  for (const auto& c : cases) {
    std::string spec = c.density;
    spec += spec.find(':') == std::string::npos ? ":" : ",";
    CurveTask task = ball_task("tapa:alpha=1,law=linear", spec + "a.mean_q=1,a.mean_k=1", 8,
                               {1u << 20, 1u << 24});
    task.engine = Engine::automatic;
    const FitResult fit = fit_decay(compute_curve(task));
    INFO(c.density);
    REQUIRE(fit.asymptote.kind == AsymptoteKind::power);
    CHECK(*fit.asymptote.exponent_in_scale == 4 * c.pair);
    CHECK(std::abs(fit.overall.value - 4 * c.pair) < 0.01);
  }
}

TEST_CASE("balls overlap the closed form of every way to stretch RoPE") {
  const std::string longrope =
      "longrope:original=64,factor=8,short_factor=\"1,1.1,1.3,2\",long_factor=\"1.5,2,4,8\"";
  for (const std::string& encoding :
       {std::string("yarn:factor=4,original=4096"),
        std::string("yarn:factor=4,original=4096,truncate=false"),
        std::string("yarn:factor=40,original=64,mscale=0.707,mscale_all_dim=1"),
        std::string("llama3:factor=8,low_freq_factor=1,high_freq_factor=4,original=64"),
        std::string("dynamic:factor=4,original=100"),
        std::string("proportional:partial=0.5,factor=2"), longrope}) {
    CurveTask task = ball_task(encoding, "gaussian:rho=0.3,mean_q=0.5,mean_k=0.4", 8,
                               {0, 3, 70000, std::uint64_t{1} << 62});
    task.encoding.sequence_length = 1000;
    check_against(Engine::exact, task);
  }
}

TEST_CASE("stated errors of smoothed tokens hold the sums in balls, and meet the target") {
  std::mt19937 random(7);
  TokenTable table{40, 8, {}, {}};
  for (int i = 0; i < 40 * 8; ++i) {
    table.queries.push_back(static_cast<double>(random() % 4001) / 1000 - 1.6);
    table.keys.push_back(static_cast<double>(random() % 4001) / 1000 - 1.8);
  }
  const auto shared = std::make_shared<const TokenTable>(table);
  for (const PairRule rule : {PairRule::all, PairRule::causal, PairRule::shuffled}) {
    for (const char* bandwidth : {"0.01", "0.3"}) {
      for (const char* encoding : {"tapa:alpha=0.5", "tapa-linear:alpha=0.1", "rope", "alibi"}) {
        EmpiricalDensity law;
        law.file = "memory";
        law.pairs = rule;
        law.bandwidth = ExactDecimal::parse(bandwidth, "bandwidth");
        law.table = shared;
        CurveTask task = ball_task(encoding, "gaussian", 8, {0, 1, 300, 1u << 20});
        task.density = {"empirical", law};
        check_against(Engine::exact, task);
        for (const std::uint64_t distance : task.distances.distances) {
          CurveTask exact = task;
          exact.engine = Engine::exact;
          exact.distances.distances = {distance};
          const CurvePoint point = compute_curve(exact).points.at(0);
          const PointBalls truth = point_balls(task, distance, 256);
          INFO(encoding << ", rule " << static_cast<int>(rule) << ", bandwidth " << bandwidth
                        << ", at " << distance);
          const auto held = [](const Quantity& quantity, const Ball& ball) {
            const Ball off = abs(Ball::exactly(quantity.estimate.wide(), 256) - ball);
            return certainly_at_most(off, Ball::exactly(quantity.error.absolute.wide(), 256));
          };
          CHECK(point.status == Status::converged);
          CHECK(held(*point.mean, truth.mean));
          CHECK(held(*point.envelope, truth.envelope));
          CHECK(held(*point.variance, truth.variance));
          if (truth.excess) CHECK(held(*point.variance_excess, *truth.excess));
        }
      }
    }
  }
}

TEST_CASE("the ball engine refuses what it cannot enclose") {
  // tails of order 1e-4 beyond the mean: too many nodes
  CurveTask heavy = ball_task("tapa", "student-t-joint:nu=2.0001,rho=0.5", 8, {1});
  CHECK_THROWS_AS(compute_curve(heavy), InputError);
  CurveTask empty = ball_task("tapa", "gaussian", 8, {1});
  empty.certify = nullptr;
  CHECK_THROWS_AS(compute_curve(empty), UnavailableError);
}

TEST_CASE("tables, formulas and turned contours of one pair hold the ball's value") {
  const struct {
    const char* q;
    const char* k;
    const char* mean_q;
    const char* mean_k;
    std::vector<double> times;
    slong bits = 192;  // every value of bump's F is an integral
  } cases[] = {{"bump", "bump", "0", "0", {1.3}, 60},
               {"bump", "bump", "0", "0", {77.7}, 72},
               {"hermite2", "singular", "0", "0", {1e8, 1e15}},
               {"hermite2", "laplace", "1e-6", "0", {1e6, 1e15}},
               {"gaussian", "laplace", "-18.146", "118.7", {0.003603, 0.004, 0.008}},
               {"singular", "singular", "0", "0", {0.376, 1, 30, 1e6, 1e45}},
               {"laplace", "laplace", "0", "0", {0.6, 1e12}},
               {"laplace", "singular", "-25", "0.8", {9, 1e9}},
               {"uniform", "laplace", "0.7", "1.9", {3, 40, 1e9}},
               {"laplace", "singular", "-0.4", "0.8", {9, 500}},
               {"singular", "singular", "2.5", "0.6", {8, 1e4}},
               {"uniform", "singular", "4", "-0.5", {20, 1e6}}};
  for (const auto& c : cases) {
    const Marginal q{*find_marginal(c.q), ExactDecimal(0)}, k{*find_marginal(c.k), ExactDecimal(0)};
    PairLaw law;
    law.mean_q = ExactDecimal::parse(c.mean_q, "mean");
    law.mean_k = ExactDecimal::parse(c.mean_k, "mean");
    const ProductPair pair(q, k, law);
    for (const double t : c.times) {
      INFO(c.q << " " << c.mean_q << " beside " << c.k << " " << c.mean_k << " at t = " << t);
      const PairTransform g = pair.at(Wide(t), 1e-13);
      const ComplexBall truth = product_pair_ball(q, k, law, Ball::exactly(t, c.bits));
      CHECK(static_cast<double>(g.error) <= 1e-13 * static_cast<double>(abs(g.value)));
      const Ball off = abs(ComplexBall{Ball::exactly(g.value.re, 192) - truth.re,
                                       Ball::exactly(g.value.im, 192) - truth.im});
      CHECK(certainly_at_most(off, Ball::exactly(g.error, 192)));
    }
  }
}

TEST_CASE("what lies below the first node of a root is in the error, at any precision") {
  // singular: its mass below e^-116 is e^-58
  const Marginal singular{*find_marginal("singular"), ExactDecimal(0)};
  const Marginal laplace{*find_marginal("laplace"), ExactDecimal(0)};
  for (const char* mean : {"0", "0.3"}) {
    PairLaw law;
    law.mean_q = ExactDecimal::parse(mean, "mean");
    const ProductPair pair(singular, laplace, law);
    for (const double t : {0.7, 1e3, 1e9}) {
      INFO("mean " << mean << ", t = " << t);
      const PairTransform g = pair.at(Wide(t), 1e-28);
      const ComplexBall truth = product_pair_ball(singular, laplace, law, Ball::exactly(t, 320));
      CHECK(certainly_at_most(abs(Ball::exactly(g.value.re, 320) - truth.re),
                              Ball::exactly(g.error, 320)));
    }
  }
}

TEST_CASE("the expansion's error holds the truth where its next terms are small together") {
  // sech beside hermite2, whose terms of odd order vanish
  const Marginal sech{*find_marginal("sech"), ExactDecimal(0)};
  const Marginal hermite{*find_marginal("hermite2"), ExactDecimal(0)};
  for (const char* mean : {"0", "0.01", "0.3", "0.57"}) {
    PairLaw law;
    law.mean_k = ExactDecimal::parse(mean, "mean");
    law.mean_q = ExactDecimal::parse("0.2", "mean");
    const StationaryPair series(sech, hermite, law);
    for (const double t : {3.0, 5.0, 9.0, 17.0, 40.0}) {
      INFO("mean " << mean << ", t = " << t);
      const PairTransform g = series.at(Wide(t));
      const ComplexBall truth = product_pair_ball(sech, hermite, law, Ball::exactly(t, 320));
      const Ball off = abs(ComplexBall{Ball::exactly(g.value.re, 320) - truth.re,
                                       Ball::exactly(g.value.im, 320) - truth.im});
      CHECK(certainly_at_most(off, Ball::exactly(g.error, 320)));
    }
  }
}

TEST_CASE("a law at a zero of hermite2's transform: the stated error holds the ball's value") {
  // The mass of singular at 64.06 scales, T = 0.02716 at twice the phase scale: T u = 1.74, beside
  // the zero sqrt(3) of F.
  CurveTask task = ball_task("tapa:alpha=2.4813e-02",
                             "hermite2:key=singular,a.scale_q=8.8384e+07,a.scale_k=2.3412e+03,"
                             "p.mean_q=-7.7493e-02,p.mean_k=-8.0415e-01,p.scale_q=4.3795e-01,"
                             "p.scale_k=1.2554e-02",
                             76, {3062855231659740});
  task.engine = Engine::quadrature;
  const CurvePoint point = compute_curve(task).points.at(0);
  const PointBalls truth = point_balls(task, task.distances.distances[0], 256);
  const auto held = [](const Quantity& quantity, const Ball& ball) {
    const Ball off = abs(Ball::exactly(quantity.estimate.wide(), 256) - ball);
    return certainly_at_most(off, Ball::exactly(quantity.error.absolute.wide(), 256));
  };
  CHECK(point.status == Status::converged);
  CHECK(held(*point.variance, truth.variance));
  CHECK(held(*point.variance_excess, *truth.excess));
  // the same laws, the mass on either side of the zero
  const Marginal singular{*find_marginal("singular"), ExactDecimal(0)};
  const Marginal hermite{*find_marginal("hermite2"), ExactDecimal(0)};
  PairLaw law;
  law.mean_q = ExactDecimal::parse("64", "mean");
  law.mean_k = ExactDecimal::parse("0.5", "mean");
  const ProductPair pair(singular, hermite, law);
  for (const double t : {0.0268, 0.02703, 0.02706, 0.0271, 0.0275}) {
    INFO("t = " << t);
    const PairTransform g = pair.at(Wide(t), 1);
    const ComplexBall ball = product_pair_ball(singular, hermite, law, Ball::exactly(t, 256));
    const Ball off = abs(ComplexBall{Ball::exactly(g.value.re, 256) - ball.re,
                                     Ball::exactly(g.value.im, 256) - ball.im});
    CHECK(certainly_at_most(off, Ball::exactly(g.error, 256)));
    CHECK(static_cast<double>(g.error) < 1e-13);
  }
}
