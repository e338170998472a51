#include "proofs-check/rope_variance.hpp"

#include <fmt/format.h>

#include <vector>

#include "analysis/curve_task.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/rope_sums.hpp"
#include "proofs-check/sampled.hpp"

namespace tapalab {
namespace {

constexpr slong kRopeVarianceBits = 128;
const std::vector<std::string> kRopes = {"rope:base=500000,angle=turns,pairing=adjacent",
                                         "rope:base=10000,angle=radians,pairing=half"};

CurveTask make_task(const std::string& encoding, const std::string& density,
                    const std::string& distances) {
  return curve_task(encoding, density, 128, distances);
}

/// Every point's interval contains the claimed value.
Evidence constant_row(const std::string& engine, const std::string& what,
                      const DistanceCurve& curve, const std::string& claimed) {
  const Ball truth = Ball::decimal(claimed, kRopeVarianceBits);
  bool holds = !curve.points.empty();
  const Quantity* worst = nullptr;
  Wide deviation = -1;
  for (const CurvePoint& point : curve.points) {
    holds = holds && interval_meets(*point.variance, truth);
    const Wide off = abs(point.variance->estimate.wide() - truth.midpoint_wide());
    if (off <= deviation) continue;
    deviation = off;
    worst = &*point.variance;
  }
  if (worst == nullptr) return {engine, what, claimed, "no point", "-", false};
  return {engine,
          what + fmt::format(", farthest of {} distances", curve.points.size()),
          claimed,
          worst->estimate.decimal(),
          error_text(*worst),
          holds};
}

/// Correlated coordinates: 1 + 2 rho^2 C_D(2 delta), from balls, against the exact engine.
Evidence correlated_row(const std::string& rho, AngleUnit angle) {
  const RopeSetting setting{"500000", 128, angle};
  const DistanceCurve curve = exact_gaussian_curve(
      make_task("rope:base=500000,angle=" + to_string(angle) + ",pairing=adjacent,freq=exact",
                "gaussian:rho=" + rho, "0,1,2,10,1000,65536,1048576"));
  const Ball r = Ball::decimal(rho, kRopeVarianceBits);
  bool holds = true;
  const CurvePoint& last = curve.points.back();
  for (const CurvePoint& point : curve.points) {
    const Ball formula =
        r * r * rope_cosine_mean_ball(setting, 2 * point.distance, kRopeVarianceBits) * 2 + 1;
    holds = holds && interval_meets(*point.variance, formula) &&
            certainly_less(
                Ball(1, kRopeVarianceBits) - r * r - Ball::decimal("1e-12", kRopeVarianceBits),
                formula);
  }
  const Ball formula =
      r * r * rope_cosine_mean_ball(setting, 2 * last.distance, kRopeVarianceBits) * 2 + 1;
  return {
      "exact",
      fmt::format("Var RoPE = 1 + 2 rho^2 C_D(2 distance), {}, rho = {}, {} distances, the last "
                  "shown",
                  describe(setting), rho, curve.points.size()),
      formula.midpoint() + " (ball)",
      last.variance->estimate.decimal(),
      error_text(*last.variance),
      holds};
}

/// TAPA's limit for the same densities, E a^2/2 = 1/2: reached at the far end of the distances.
Evidence tapa_row(const std::string& density) {
  const CurveTask task = make_task("tapa:alpha=0.1", density, "1048576,1099511627776");
  const DistanceCurve curve =
      density == "gaussian" ? exact_gaussian_curve(task) : compute_curve(task);
  const Quantity& variance = *curve.points.back().variance;
  const Wide off = abs(variance.estimate.wide() - Wide(0.5));
  return {density == "gaussian" ? "exact" : "quadrature",
          "Var TAPA at distance 2^40, independent coordinates, " + density,
          "0.5 +- 1e-6 (limit E a^2/2)",
          variance.estimate.decimal(),
          error_text(variance),
          off + variance.error.absolute.wide() < Wide("1e-6")};
}

}  // namespace

ClaimResult check_rope_variance(const ClaimContext& context, const RopeVarianceOptions& options) {
  ClaimResult result;
  const std::string far = "0,1,7,1000,65536,1048576,4611686018427387904";
  for (const std::string& rope : kRopes) {
    result.evidence.push_back(constant_row("exact", "Var, " + rope + ", gaussian",
                                           exact_gaussian_curve(make_task(rope, "gaussian", far)),
                                           options.variance));
    for (const char* density : {"laplace", "rademacher"})
      result.evidence.push_back(constant_row("exact", "Var, " + rope + ", " + density,
                                             compute_curve(make_task(rope, density, far)),
                                             options.variance));
    for (const char* density : {"gaussian", "uniform", "laplace"}) {
      CurveTask task = sampled_task(make_task(rope, density, "1,1000,1048576"), context);
      task.sampling.samples = context.effort == Effort::quick ? 100'000 : 1'000'000;
      // three intervals of each row hold together with probability at least 0.9999
      task.sampling.confidence = 1 - 1e-4 / 3;
      result.evidence.push_back(constant_row(sampling_engine(context),
                                             "Var, " + rope + ", " + density, compute_curve(task),
                                             options.variance));
    }
  }
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
    for (const char* rho : {"0.25", "0.9"}) result.evidence.push_back(correlated_row(rho, angle));
  result.evidence.push_back(tapa_row("gaussian"));
  result.evidence.push_back(tapa_row("sech"));
  result.scope =
      "Proved for every density of independent centred coordinates of unit variance, every base, D "
      "and distance (docs/theory/rope-variance.md). With correlation rho between matching "
      "coordinates of "
      "normal queries and keys the variance is 1 + 2 rho^2 C_D(2 distance), between 1 - rho^2 and "
      "1 + "
      "rho^2: RoPE does not degenerate either. TAPA's limit is E a^2/2, here 1/2.";
  decide(result, Verdict::confirmed, Rigor::proved);
  return result;
}

}  // namespace tapalab
