#include "proofs-check/theorem_3_2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/sampled.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"

namespace tapalab {
namespace {

constexpr slong kTheorem32Bits = 256;

struct Setting {
  std::string density;
  std::uint32_t head_dim;
};

/// Unit amplitude bias with independent phases; then correlated coordinates, weakly and strongly.
const Setting kIndependent{"gaussian:a.mean_q=0.5,a.mean_k=0.25", 128};
const std::vector<Setting> kSettings = {
    kIndependent, {"gaussian:rho=0.25", 128}, {"gaussian:rho=0.9", 128}, {"gaussian:rho=0.5", 4}};

CurveTask make_task(const Setting& setting, const std::string& distances) {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=0.1,share=0.5,law=power");
  task.density = parse_density(setting.density);
  task.head_dim = setting.head_dim;
  task.distances = parse_distances(distances);
  return task;
}

SplitGaussian make_model(const CurveTask& task) {
  const auto& law = std::get<GaussianDensity>(task.density.law);
  return {task.head_dim / 2, task.head_dim / 2, "0.1", law.amplitude, law.phase};
}

std::string describe(const Setting& setting) {
  return "tapa, " + setting.density + ", D = " + std::to_string(setting.head_dim);
}

/// The exact engine and the ball find the same mean; the ball stays below the bound.
void check_bound(const Setting& setting, slong scale_factor, std::vector<Evidence>& rows) {
  const CurveTask task = make_task(setting, "log:1:2^62:32");
  const SplitGaussian model = make_model(task);
  const DistanceCurve curve = exact_gaussian_curve(task);
  const std::string where = ", " + describe(setting) + ", " + std::to_string(curve.points.size()) +
                            " distances from 1 to 2^62";
  Ball worst_deviation(0, kTheorem32Bits), worst_ratio(0, kTheorem32Bits);
  bool agree = true, below = true, rising = true;
  for (const CurvePoint& point : curve.points) {
    const ScoreBalls ball = split_gaussian_ball(model, point.distance, kTheorem32Bits);
    const Ball deviation =
        abs(Ball::exactly(point.mean->estimate.wide(), kTheorem32Bits) - ball.mean) / ball.envelope;
    agree = agree && interval_meets(*point.mean, ball.mean) &&
            certainly_less(deviation, Ball::decimal("1e-12", kTheorem32Bits));
    if (certainly_less(worst_deviation, deviation)) worst_deviation = deviation;
    // |E| <= |Phi_1|, and the proof bounds |Phi_1|
    const Ball bound = bias_bound_ball(model, point.distance, scale_factor, kTheorem32Bits);
    const Ball ratio = ball.envelope / bound;
    below = below && certainly_less(abs(ball.mean), bound) &&
            certainly_less(ratio, Ball(1, kTheorem32Bits));
    rising = rising && !certainly_less(ratio, worst_ratio);
    if (certainly_less(worst_ratio, ratio)) worst_ratio = ratio;
  }
  rows.push_back({"exact", "|mean - ball|/envelope, largest" + where,
                  "<= 1e-12, within the engine's own error", worst_deviation.midpoint(3),
                  error_text(worst_deviation), agree});
  const bool sharp = certainly_less(Ball::decimal("0.5", kTheorem32Bits), worst_ratio);
  rows.push_back({"ball", "envelope/(l^-dP ||w^||_1), largest" + where,
                  "< 1, rising, and above 1/2 at the end", worst_ratio.midpoint(),
                  error_text(worst_ratio), below && rising && sharp});
}

/// At s = 3 (distance 3^10) the independent Gaussian's mean is far above the bound that the printed
/// proof, whose phase turns twice as fast, would give.
void check_printed_constant(std::vector<Evidence>& rows, std::vector<WitnessField>& witness) {
  const std::uint64_t distance = 59049;
  const CurveTask task = make_task(kIndependent, std::to_string(distance));
  const SplitGaussian model = make_model(task);
  const Ball mean = split_gaussian_ball(model, distance, kTheorem32Bits).mean;
  const Ball printed = bias_bound_ball(model, distance, 2, kTheorem32Bits);
  const std::string quantity = "mean, " + describe(kIndependent) +
                               ", distance 59049 (s = 3), against the constant of the "
                               "printed proof (l = 2 s/sqrt(dP))";
  rows.push_back(ball_greater(quantity, mean, printed, printed.midpoint()));
  const Quantity exact = *exact_gaussian_curve(task).points.at(0).mean;
  rows.push_back(
      {"exact", quantity, "> " + printed.midpoint(), exact.estimate.decimal(), error_text(exact),
       certainly_less(printed, Ball::exactly(exact.error.lower.wide(), kTheorem32Bits))});
  witness = {scalar("density", kIndependent.density),
             scalar("head_dim", std::to_string(kIndependent.head_dim)),
             scalar("distance", std::to_string(distance)), scalar("mean", mean.midpoint()),
             scalar("printed_bound", printed.midpoint())};
}

/// -d ln|E|/d ln s = dP t^2/(1 + t^2) for independent Gaussians: far below dP where t < 1.
void check_local_exponent(std::vector<Evidence>& rows) {
  for (const std::uint32_t phase_dim : {2u, 8u, 32u, 64u}) {
    // distances 1, 2, 4 lie at ln s = 0, h, 2 h with h = ln(2)/1000
    CurveTask task = make_task({kIndependent.density, 2 * phase_dim}, "1,4");
    task.encoding = parse_encoding("tapa:alpha=0.001");
    const DistanceCurve curve = exact_gaussian_curve(task);
    const double step = 2 * std::log(2.0) / 1000;
    const double exponent =
        (curve.points[0].mean->estimate.log10_abs() - curve.points[1].mean->estimate.log10_abs()) *
        std::log(10.0) / step;
    const double s = std::pow(2.0, 0.001), dP = phase_dim;
    const double t2 = 4 * std::acos(-1.0) * std::acos(-1.0) * s * s / dP;
    const double expected = dP * t2 / (1 + t2);
    rows.push_back({"exact",
                    "local exponent of the mean in s at s = 2^0.001, " +
                        describe({kIndependent.density, 2 * phase_dim}),
                    fmt::format("{:.8g} = dP t^2/(1 + t^2), within 1e-5 of it", expected),
                    fmt::format("{:.8g}", exponent), "1e-6 (central difference)",
                    std::abs(exponent / expected - 1) < 1e-5});
  }
}

/// A mean that sampling can resolve: two phase coordinates only.
void check_sampled(const ClaimContext& context, std::vector<Evidence>& rows) {
  const Setting& setting = kSettings.back();
  CurveTask task = sampled_task(make_task(setting, "1,10,100,1000"), context);
  task.sampling.samples = context.effort == Effort::quick    ? 400'000
                          : context.effort == Effort::normal ? 4'000'000
                                                             : 100'000'000;
  // all rows together miss with probability below 1e-5, whatever the seed
  task.sampling.confidence = 1 - 1e-6;
  const SplitGaussian model = make_model(task);
  for (const CurvePoint& point : monte_carlo_curve(task).points)
    rows.push_back(agrees_with_ball(
        sampling_engine(context),
        "mean, " + describe(setting) + ", distance " + std::to_string(point.distance) + ", " +
            std::to_string(task.sampling.samples) + " samples",
        *point.mean, split_gaussian_ball(model, point.distance, kTheorem32Bits).mean));
}

}  // namespace

ClaimResult check_theorem_3_2(const ClaimContext& context, const Theorem32Options& options) {
  ClaimResult result;
  for (const Setting& setting : kSettings)
    check_bound(setting, options.scale_factor, result.evidence);
  check_printed_constant(result.evidence, result.witness);
  check_local_exponent(result.evidence);
  check_sampled(context, result.evidence);
  check_shifted_phases(context, result.evidence);
  check_bound_over_ranges(result.evidence);
  check_control_densities(result.evidence);
  check_general_matrices(result.evidence);
  result.scope =
      "The statement (some constant C, every distance, every Schwartz density) rests on the proof "
      "in docs/theory/theorem-3.2.md, which gives C = dP^(dP/2) ||w^||_1; no finite table could. "
      "What the program certifies is that constant for Gaussian densities at every real scale from "
      "1 to 79, all distances below 2^63 at alpha = 0.1, with equality in the limit: the constant "
      "cannot be lowered. The exponent is asymptotic only: for independent Gaussians the local "
      "exponent in s is dP t^2/(1+t^2), t = 2 pi s/sqrt(dP). Schwartz is sufficient, not "
      "necessary: laplace and student-t keep the bound, uniform the exponent; singular keeps dP/2, "
      "rademacher nothing. A density that vanishes at 0 decays faster (hermite2: 3 dP). "
      "tapa-general decays with rank N, and where that is D with D + 2 while its envelope has D + "
      "1. Controls and matrices are observed at the scales listed. Not covered: tapa-linear.";
  result.correction =
      "The statement stands; the constant of its printed proof does not. There the phase turns "
      "twice "
      "too fast (x^T J x = 2 q.k): the scale is l = s/sqrt(dP), not 2 s/sqrt(dP), and |E TAPA| <= "
      "l^-dP ||w^||_1 with w(x_P) the integral of a rho over x_A. The witness exceeds the printed "
      "proof's bound.";
  decide(result, Verdict::confirmed, Rigor::proved);
  return result;
}

}  // namespace tapalab
