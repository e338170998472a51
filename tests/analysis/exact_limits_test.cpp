// Exact and quadrature engines at the ends of their range: huge means, phases beyond every number,
// laws near the edge of their parameters. Expected values are closed forms, or come from mpmath at
// 40 digits.
#include <cmath>
#include <limits>

#include "analysis/experiment.hpp"
#include "analysis/product_transform.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"
#include "sim/marginal_law.hpp"

using namespace tapalab;

namespace {

constexpr std::uint64_t kFarthest = std::numeric_limits<std::int64_t>::max();

CurveTask task_of(const std::string& encoding, const std::string& density,
                  std::vector<std::uint64_t> distances, std::uint32_t head_dim = 128) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances.distances = std::move(distances);
  return task;
}

CurvePoint point_of(const std::string& encoding, const std::string& density, std::uint64_t distance,
                    std::uint32_t head_dim = 128) {
  return compute_curve(task_of(encoding, density, {distance}, head_dim)).points.at(0);
}

bool holds(const Quantity& quantity, const Wide& truth) {
  return quantity.error.lower.wide() <= truth && truth <= quantity.error.upper.wide() &&
         abs(quantity.estimate.wide() - truth) <= quantity.error.absolute.wide();
}

Marginal student(const char* nu) {
  return {MarginalFamily::student_t, ExactDecimal::parse(nu, "nu")};
}

}  // namespace

TEST_CASE("at distance 0 the variance is the amplitude's, whatever its mean") {
  // Var a = 1 + mean_q^2 + mean_k^2 for independent coordinates
  for (const char* density :
       {"gaussian:rho=0,mean_q=1e40,mean_k=1e40", "sech:mean_q=1e40,mean_k=1e40",
        "rademacher:mean_q=1e40,mean_k=1e40"}) {
    for (const char* encoding : {"tapa", "tapa-linear", "rope", "nope"}) {
      INFO(density << " " << encoding);
      const CurvePoint point = point_of(encoding, density, 0);
      const Wide truth = 1 + 2 * Wide("1e80");
      CHECK(holds(*point.variance, truth));
      CHECK(point.variance->error.absolute.wide() <= Wide("1e-12") * truth);
      CHECK(point.status == Status::converged);
    }
  }
}

TEST_CASE("a variance that cancels is no result: it is never negative, and the status says so") {
  // s = 1e-60: the score is a constant but for a few parts in 1e40.
  const CurvePoint point = point_of("tapa:law=linear,alpha=1e-60",
                                    "gaussian:a.mean_q=1e40,a.mean_k=1e40,a.scale_q=1e-40", 1);
  CHECK(point.status == Status::target_not_met);
  CHECK(point.variance->estimate.wide() >= 0);
  CHECK(point.variance->error.lower.wide() >= 0);
  // E a^2 = 64e160 bounds it; s being 0 in effect, it is Var a = 1e-80 + 1 + 1e80.
  CHECK(holds(*point.variance, Wide("1e80")));
}

TEST_CASE("a density without covariance has variance 0") {
  FullGaussianDensity density;
  const std::uint32_t dim = 4;
  for (std::uint32_t i = 0; i < 2 * dim; ++i) density.mean.push_back(ExactDecimal(3));
  density.covariance = {2 * dim, 2 * dim,
                        std::vector<ExactDecimal>(4 * dim * dim, ExactDecimal(0))};
  for (const char* encoding : {"tapa", "rope", "nope"}) {
    for (const std::uint64_t distance : {std::uint64_t{0}, std::uint64_t{7}, kFarthest}) {
      INFO(encoding << " " << distance);
      CurveTask task = task_of(encoding, "gaussian", {distance}, dim);
      task.density = {"gaussian", density};
      const CurvePoint point = compute_curve(task).points.at(0);
      CHECK(point.variance->estimate.sign() == 0);
      CHECK(point.variance->error.absolute.sign() == 0);
      CHECK(point.status == Status::converged);
    }
  }
}

TEST_CASE("a tolerance asked for and not met is a target not met, for every engine") {
  for (const char* density : {"gaussian:rho=0.25", "sech:mean_q=1,mean_k=1"}) {
    for (const char* encoding : {"tapa", "rope"}) {
      INFO(density << " " << encoding);
      CurveTask task = task_of(encoding, density, {1});
      CHECK(compute_curve(task).points.at(0).status == Status::converged);
      task.sampling.abs_tol = 1e-200;
      const bool zero = compute_curve(task).points.at(0).mean->error.absolute.sign() == 0;
      CHECK(compute_curve(task).points.at(0).status ==
            (zero ? Status::converged : Status::target_not_met));
      task.sampling.abs_tol = 1;
      CHECK(compute_curve(task).points.at(0).status == Status::converged);
      task.sampling.rel_tol = 1e-20;
      CHECK(compute_curve(task).points.at(0).status ==
            (zero ? Status::converged : Status::target_not_met));
      task.sampling.rel_tol = 1e-9;
      CHECK(compute_curve(task).points.at(0).status == Status::converged);
    }
  }
}

TEST_CASE("means of 10^(-1e16) are numbers, and beyond all numbers there is a bound, never 0") {
  // iid pairs: |Phi_0| = (1 + t^2)^(-dP/2), t = 2 pi s/sqrt(dP)
  const CurvePoint far = point_of("tapa:alpha=1e15", "gaussian:rho=0,a.mean_q=1,a.mean_k=1", 2);
  CHECK(far.status == Status::converged);
  // log10 of (2 pi/8)^-64 2^(-64e15) times 8
  CHECK(far.envelope->estimate.log10_abs() == Approx(-64e15 * std::log10(2.0)).epsilon(1e-13));
  CHECK(far.envelope->estimate.wide() >= abs(far.mean->estimate.wide()));

  for (const char* density :
       {"gaussian:rho=0.25", "gaussian:rho=0,a.mean_q=1,a.mean_k=1", "sech:a.mean_q=1,a.mean_k=1",
        "laplace:a.mean_q=1,a.mean_k=1", "uniform:a.mean_q=1,a.mean_k=1",
        "gaussian:mean_q=1,mean_k=2", "singular:a.mean_q=1,a.mean_k=1,p.mean_q=0.5"}) {
    for (const char* encoding :
         {"tapa:alpha=1e15", "tapa-linear:law=linear,alpha=1e15", "tapa:alpha=20"}) {
      for (const std::uint64_t distance : {std::uint64_t{2}, std::uint64_t{1000}, kFarthest / 2}) {
        if (std::string(encoding) == "tapa:alpha=1e15" && distance > 1000) continue;
        INFO(encoding << " " << density << " " << distance);
        const CurvePoint point = point_of(encoding, density, distance);
        CHECK(point.envelope->estimate.sign() == 1);
        CHECK(point.mean->error.absolute.sign() == 1);
        CHECK(point.variance->estimate.sign() == 1);
        const bool told =
            point.status == Status::target_not_met ||
            point.mean->error.absolute.wide() <= Wide("1e-12") * point.envelope->estimate.wide();
        CHECK(told);
      }
    }
  }
  CHECK_THROWS_AS(point_of("tapa:alpha=1e17", "gaussian:rho=0.25", 3), InputError);
}

TEST_CASE("errors do not reach past what is always true") {
  for (const char* density :
       {"rademacher:a.mean_q=1,a.mean_k=1,p.mean_q=0.5", "rademacher:a.mean_q=1,a.mean_k=1",
        "gaussian:rho=1", "gaussian:mean_q=1,mean_k=1",
        "rademacher:key=sech,a.mean_q=1,a.mean_k=1,p.mean_k=3"}) {
    for (const char* encoding : {"tapa:alpha=20", "tapa-linear:alpha=20"}) {
      for (const std::uint64_t distance : {std::uint64_t{2}, std::uint64_t{1000}, kFarthest}) {
        INFO(encoding << " " << density << " " << distance);
        const CurvePoint point = point_of(encoding, density, distance, 16);
        const CurvePoint none = point_of(encoding, density, 0, 16);
        // E a^2 = Var a + (E a)^2 at distance 0
        const Wide mean = none.mean->estimate.wide();
        const Wide square = none.variance->estimate.wide() + mean * mean;
        const Wide slack = 1 + Wide("1e-15");
        CHECK(point.mean->error.absolute.wide() <= sqrt(square) * slack);
        CHECK(point.envelope->error.absolute.wide() <= sqrt(square) * slack);
        CHECK(point.variance->error.absolute.wide() <= square * slack);
        CHECK(point.variance->error.lower.wide() >= 0);
      }
    }
  }
}

TEST_CASE("a mean that is exactly 0 converges, at every distance") {
  for (const char* density : {"gaussian:rho=0", "gaussian:rho=0,p.rho=0.5,p.mean_q=1,a.mean_q=2",
                              "rademacher", "sech", "uniform:key=laplace"}) {
    for (const char* encoding :
         {"tapa", "tapa:alpha=20", "tapa-linear:law=linear,alpha=1e15", "rope", "nope"}) {
      if (std::string(density).find("p.rho") != std::string::npos &&
          std::string(encoding).find("tapa") != 0) {
        continue;  // prefixes need amplitude and phase coordinates
      }
      for (const std::uint64_t distance : {std::uint64_t{1}, std::uint64_t{1000}, kFarthest}) {
        INFO(encoding << " " << density << " " << distance);
        const CurvePoint point = point_of(encoding, density, distance, 16);
        CHECK(point.mean->estimate.sign() == 0);
        CHECK(point.mean->error.absolute.sign() == 0);
        CHECK(point.envelope->estimate.sign() == 0);
        CHECK(point.mean->sign_resolved);
      }
      CHECK(point_of(encoding, density, 1, 16).status == Status::converged);
    }
  }
}

TEST_CASE("student-t near 2 degrees of freedom keeps its digits") {
  // E cos(t X Y) by mpmath: int f(x) F(t x) dx with Bessel's K at 40 digits.
  struct Case {
    const char *nu, *t, *g;
  };
  for (const Case& c : {Case{"2.0000001", "0.5", "0.9999999999998157359546"},
                        Case{"2.0000001", "30", "0.9999999996143650135646"},
                        Case{"2.0001", "1e3", "0.9787271911430235548642"},
                        Case{"3", "2", "0.6952063877818721692908"}}) {
    INFO("nu " << c.nu << " t " << c.t);
    const PairTransform g =
        ProductPair(student(c.nu), student(c.nu), PairLaw{}).at(Wide(c.t), 1.4e-14);
    CHECK(abs(g.value.re - Wide(c.g)) <= g.error + Wide("1e-21"));
    CHECK(g.error <= Wide("1.4e-14"));
  }
  for (const char* nu : {"2.0000001", "2.000000000000000000000000000001"}) {
    INFO("nu " << nu);
    const CurvePoint point =
        point_of("tapa", "student-t:a.mean_q=1,a.mean_k=1,nu=" + std::string(nu), 1000);
    CHECK(*point.mean->error.relative_to_envelope <= 1e-12);
  }
}

TEST_CASE("student-t of any nu has its characteristic function, and tends to the Gaussian") {
  // mpmath: 2/Gamma(m) (z/2)^m K_m(z), and for 1e20 its integral at 80 digits
  struct Case {
    const char *nu, *w, *F;
  };
  for (const Case& c : {Case{"5.5", "1.25", "0.532061563679229453038201052417"},
                        Case{"200", "2", "0.138051014828881571718630761237"},
                        Case{"1e20", "3", "0.0111089965382423064983927060859"},
                        Case{"1e20", "0.5", "0.88249690258459540286503003337"}}) {
    INFO("nu " << c.nu << " w " << c.w);
    const Wide truth(c.F);
    const Wide wide = MarginalLaw<Wide>(student(c.nu)).characteristic(Wide(c.w));
    CHECK(abs(wide - truth) <= Wide("2e-29") * truth);
    const double quick =
        MarginalLaw<double>(student(c.nu)).characteristic(static_cast<double>(Wide(c.w)));
    CHECK(abs(Wide(quick) - truth) <= Wide("4e-15") * truth);
  }
  for (const char* nu : {"1e20", "1e40", "1e100"}) {
    const MarginalLaw<Wide> law(student(nu));
    const MarginalLaw<Wide> gaussian({MarginalFamily::gaussian, ExactDecimal(0)});
    for (const char* w : {"0.1", "1", "9"}) {
      INFO("nu " << nu << " w " << w);
      const Wide x(w);
      const Wide distance = Wide(4) * pow(x, 4) / Wide(nu) + Wide("1e-52");
      CHECK(abs(law.characteristic(x) / gaussian.characteristic(x) - 1) <= distance);
      CHECK(abs(law.density(x) / gaussian.density(x) - 1) <= distance + 4 / Wide(nu));
    }
    const std::string means = "a.mean_q=1,a.mean_k=1";
    const CurvePoint t = point_of("tapa", "student-t:" + means + ",nu=" + nu, 1000);
    const CurvePoint limit = point_of("tapa", "gaussian:rho=0," + means, 1000);
    CHECK(t.status == Status::converged);
    CHECK(abs(t.mean->estimate.wide() - limit.mean->estimate.wide()) <=
          t.mean->error.absolute.wide() + limit.mean->error.absolute.wide());
  }
  for (const char* nu : {"2", "1.9", "1e101"}) {
    CHECK_THROWS_AS(parse_density("student-t:nu=" + std::string(nu)), InputError);
  }
}

TEST_CASE("a distance that no two token pairs have is refused by name") {
  CurveTask task = task_of("nope", "gaussian", {1, 2}, 2);
  EmpiricalDensity density;
  density.pairs = PairRule::at_distance;
  density.table =
      std::make_shared<const TokenTable>(TokenTable{3, 2, {1, 0, 2, 0, 4, 0}, {1, 0, -1, 0, 3, 0}});
  task.density = Density{"empirical", density};
  for (const Engine engine : {Engine::exact, Engine::mc}) {
    task.engine = engine;
    try {
      compute_curve(task);
      FAIL("accepted");
    } catch (const InputError& error) {
      const std::string text = error.what();
      CHECK(text.find("--distances") == 0);
      CHECK(text.find("at distance 2") != std::string::npos);
      CHECK(text.find("0 to 1") != std::string::npos);
    }
  }
}
