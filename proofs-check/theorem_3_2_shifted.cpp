// Phases whose coordinates have means and scales of their own: a shift turns w^ by a unimodular
// factor, so that the bound's constant does not feel it, while the value does.
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/sampled.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"

namespace tapalab {
namespace {

constexpr slong kTheorem32ShiftedBits = 256;

struct ShiftedSetting {
  const char* density;
  std::uint32_t head_dim;
};

const std::vector<ShiftedSetting> kShiftedSettings = {
    {"gaussian:a.mean_q=0.5,a.mean_k=0.25,p.mean_q=0.3,p.mean_k=-0.2", 128},
    {"gaussian:rho=0.25,p.mean_q=0.5,p.scale_q=1.5", 16},
    {"gaussian:rho=-0.5,a.mean_q=2,a.mean_k=-1,p.mean_q=0.5,p.mean_k=0.25,p.scale_q=0.5,p.scale_k="
     "0.5",
     4}};

CurveTask make_task(const ShiftedSetting& setting, const std::string& alpha,
                    const std::string& distances) {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=" + alpha);
  task.density = parse_density(setting.density);
  task.head_dim = setting.head_dim;
  task.distances = parse_distances(distances);
  return task;
}

SplitGaussian make_model(const CurveTask& task, const std::string& alpha) {
  const auto& law = std::get<GaussianDensity>(task.density.law);
  return {task.head_dim / 2, task.head_dim / 2, alpha, law.amplitude, law.phase};
}

std::string describe_shifted(const ShiftedSetting& setting) {
  return std::string(", tapa, ") + setting.density + ", D = " + std::to_string(setting.head_dim);
}

/// exp(-dP (u^2 - 2 rho u v + v^2)/(2 (1 - rho^2))), u and v the means in standard deviations: what
/// the shift leaves of the density at the critical point.
Ball shift_factor(const SplitGaussian& model) {
  const auto ball = [](const ExactDecimal& x) {
    return Ball::decimal(x.text(), kTheorem32ShiftedBits);
  };
  const Ball u = ball(model.phase.mean_q) / ball(model.phase.scale_q);
  const Ball v = ball(model.phase.mean_k) / ball(model.phase.scale_k);
  const Ball rho = ball(model.phase.rho);
  const Ball square =
      (u * u - u * v * rho * 2 + v * v) / (Ball(1, kTheorem32ShiftedBits) - rho * rho);
  return exp(-(square * static_cast<slong>(model.phase_dim) / 2));
}

void check_setting(const ShiftedSetting& setting, std::vector<Evidence>& rows) {
  const CurveTask task = make_task(setting, "0.1", "log:1:2^62:12");
  const SplitGaussian model = make_model(task, "0.1");
  const DistanceCurve curve = exact_gaussian_curve(task);
  const std::string where = ", " + std::to_string(curve.points.size()) +
                            " distances from 1 to 2^62" + describe_shifted(setting);
  Ball worst_deviation(0, kTheorem32ShiftedBits), worst_ratio(0, kTheorem32ShiftedBits);
  bool agree = true, below = true;
  for (const CurvePoint& point : curve.points) {
    const ScoreBalls ball = split_gaussian_ball(model, point.distance, kTheorem32ShiftedBits);
    const Ball deviation =
        abs(Ball::exactly(point.mean->estimate.wide(), kTheorem32ShiftedBits) - ball.mean) /
        ball.envelope;
    agree = agree && interval_meets(*point.mean, ball.mean) &&
            interval_meets(*point.envelope, ball.envelope) &&
            certainly_less(deviation, Ball::decimal("1e-12", kTheorem32ShiftedBits));
    if (certainly_less(worst_deviation, deviation)) worst_deviation = deviation;
    const Ball ratio =
        ball.envelope / bias_bound_ball(model, point.distance, 1, kTheorem32ShiftedBits);
    below = below && certainly_less(ratio, Ball(1, kTheorem32ShiftedBits));
    if (certainly_less(worst_ratio, ratio)) worst_ratio = ratio;
  }
  rows.push_back({"exact", "|mean - ball|/envelope, largest, shifted phases" + where,
                  "<= 1e-12, within the engine's own error", worst_deviation.midpoint(3),
                  error_text(worst_deviation), agree});
  rows.push_back({"ball", "envelope/(l^-dP ||w^||_1), largest, shifted phases" + where, "< 1",
                  worst_ratio.midpoint(), error_text(worst_ratio), below});

  // 1/t^2 is below 1e-23 here
  const CurvePoint far = exact_gaussian_curve(make_task(setting, "1", "2^40")).points.at(0);
  Ball envelope = Ball::exactly(far.envelope->estimate.wide(), kTheorem32ShiftedBits);
  arb_add_error(envelope.get(),
                Ball::exactly(far.envelope->error.absolute.wide(), kTheorem32ShiftedBits).get());
  const Ball ratio =
      envelope / bias_bound_ball(make_model(task, "1"), far.distance, 1, kTheorem32ShiftedBits);
  const Ball limit = shift_factor(model);
  rows.push_back(
      {"exact", "envelope/(l^-dP ||w^||_1) at s = 2^40, shifted phases" + describe_shifted(setting),
       limit.midpoint() + " within 1e-12 of it: the density at the critical point",
       ratio.midpoint(), ratio.radius() + " (rounding)",
       certainly_less(abs(ratio / limit - Ball(1, kTheorem32ShiftedBits)),
                      Ball::decimal("1e-12", kTheorem32ShiftedBits))});
}

void check_shifted_samples(const ClaimContext& context, std::vector<Evidence>& rows) {
  const ShiftedSetting& setting = kShiftedSettings.back();
  CurveTask task = sampled_task(make_task(setting, "0.1", "1,100"), context);
  task.sampling.samples = context.effort == Effort::quick    ? 200'000
                          : context.effort == Effort::normal ? 4'000'000
                                                             : 100'000'000;
  task.sampling.confidence = 1 - 1e-6;
  const SplitGaussian model = make_model(task, "0.1");
  for (const CurvePoint& point : monte_carlo_curve(task).points)
    rows.push_back(agrees_with_ball(
        sampling_engine(context),
        "mean at distance " + std::to_string(point.distance) + ", " +
            std::to_string(task.sampling.samples) + " samples, shifted phases" +
            describe_shifted(setting),
        *point.mean, split_gaussian_ball(model, point.distance, kTheorem32ShiftedBits).mean));
}

}  // namespace

void check_shifted_phases(const ClaimContext& context, std::vector<Evidence>& rows) {
  for (const ShiftedSetting& setting : kShiftedSettings) check_setting(setting, rows);
  check_shifted_samples(context, rows);
}

}  // namespace tapalab
