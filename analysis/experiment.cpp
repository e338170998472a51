#include "analysis/experiment.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/conditional/device_conditional.hpp"
#include "analysis/conditional/phase_pair.hpp"
#include "analysis/empirical.hpp"
#include "analysis/product_curve.hpp"
#include "analysis/radial_curve.hpp"
#include "analysis/score_estimator.hpp"
#include "analysis/smoothed_curve.hpp"
#include "sim/errors.hpp"
#include "sim/moment_order.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

bool is_empirical(const CurveTask& task) {
  return std::holds_alternative<EmpiricalDensity>(task.density.law);
}

bool is_rotary(const CurveTask& task) { return is_rotary(task.encoding.law); }

bool is_product(const CurveTask& task) {
  return std::holds_alternative<ProductDensity>(task.density.law);
}

EngineChoice choose_for_product(const CurveTask& task) {
  const bool automatic = task.engine == Engine::automatic;
  if (task.engine == Engine::ball && product_method(task) != ProductMethod::none) {
    return {Engine::ball,
            "asked for; closed forms and integrals over independent coordinates in "
            "ball arithmetic"};
  }
  const bool rotary = is_rotary(task);
  const std::string asked = automatic ? "auto takes the most exact that applies: " : "asked for; ";
  switch (product_method(task)) {
    case ProductMethod::closed:
      if (!automatic && task.engine != Engine::exact) break;
      return {Engine::exact,
              asked + (rotary ? "mean and variance of a bilinear score need second moments alone"
                              : "independent coordinates with closed characteristic functions")};
    case ProductMethod::quadrature:
      if (!automatic && task.engine != Engine::quadrature) break;
      return {Engine::quadrature,
              asked + "independent coordinates: one integral to the power of their number"};
    case ProductMethod::none:
      break;
  }
  const ProductMethod method = product_method(task);
  const bool none = method == ProductMethod::none;
  throw InputError(fmt::format(
      "--engine: {} does not apply to {} under {}{}; accepted: {}", to_string(task.engine),
      printable(task.encoding.spec), printable(task.density.spec),
      none ? ", whose matrices couple all coordinates" : "",
      none                              ? "mc, qmc, gpu"
      : method == ProductMethod::closed ? "auto, exact, ball, mc, qmc, gpu"
                                        : "auto, quadrature, ball, mc, qmc, gpu"));
}

bool is_radial(const CurveTask& task) {
  return std::holds_alternative<RadialDensity>(task.density.law);
}

EngineChoice choose_for_radial(const CurveTask& task) {
  const bool automatic = task.engine == Engine::automatic;
  const Engine engine = is_rotary(task) ? Engine::exact : Engine::quadrature;
  if (task.engine == Engine::ball) {
    return {Engine::ball, is_rotary(task)
                              ? "asked for; moments of the scale, here in ball arithmetic"
                              : "asked for; the integral over the scale, here in ball arithmetic"};
  }
  if (!automatic && task.engine != engine) {
    throw InputError(
        fmt::format("--engine: {} does not apply to {} under {}; accepted: auto, {}, ball, mc, gpu",
                    to_string(task.engine), printable(task.encoding.spec),
                    printable(task.density.spec), to_string(engine)));
  }
  return {
      engine,
      std::string(automatic ? "auto takes the most exact that applies: " : "asked for; ") +
          (is_rotary(task) ? "mean and variance of a bilinear score need moments of the scale alone"
                           : "one integral over the scale of a joint Gaussian")};
}

std::string exact_reason(const CurveTask& task) {
  if (is_smoothed(task)) {
    return "a Gaussian around every pair of tokens is a mixture with closed forms";
  }
  if (is_empirical(task)) return "the pairs of the file can be summed one by one";
  if (std::holds_alternative<MixtureDensity>(task.density.law)) {
    return "a mixture of joint Gaussians is a weighted sum of their closed forms";
  }
  if (is_rotary(task)) {
    return "a quadratic score of a joint Gaussian has closed moments";
  }
  return "the characteristic function of a quadratic form in a joint Gaussian is closed";
}

// Scores are drawn: mc and qmc.
EngineChoice choose_for_scores(const CurveTask& task) {
  check_sampled_mean(task.density.law,
                     task.engine == Engine::automatic ? "--estimator" : "--engine");
  const Estimator estimator = task.sampling.estimator;
  if (is_conditional(estimator)) {
    throw InputError(fmt::format(
        "--estimator: {} belongs to --engine conditional; accepted with --engine {}: {}",
        to_string(estimator), to_string(task.engine),
        task.engine == Engine::qmc ? "auto, qmc" : "auto, plain, antithetic, qmc"));
  }
  if (task.engine == Engine::qmc &&
      (estimator == Estimator::plain || estimator == Estimator::antithetic)) {
    throw InputError(
        fmt::format("--estimator: {} is one of --engine mc; accepted with --engine qmc: auto, qmc",
                    to_string(estimator)));
  }
  const bool sobol = task.engine == Engine::qmc || estimator == Estimator::qmc;
  check_score_estimator(task, sobol ? Estimator::qmc : estimator);
  return {sobol ? Engine::qmc : Engine::mc,
          task.engine == Engine::automatic
              ? fmt::format("--estimator {} asked for", to_string(estimator))
              : "asked for; sampling applies to every density"};
}

/// One pair allows no interval, and none no estimate.
void check_pair_distances(const CurveTask& task) {
  const auto* density = std::get_if<EmpiricalDensity>(&task.density.law);
  if (density == nullptr || density->pairs != PairRule::at_distance || !density->table) return;
  const std::uint64_t tokens = density->table->tokens;
  for (const std::uint64_t distance : task.distances.distances) {
    if (tokens >= 2 && distance <= tokens - 2) continue;
    throw InputError(fmt::format(
        "--distances: fewer than two token pairs of {} are at distance {}; accepted with "
        "pairs=at-distance: {}",
        printable(task.density.spec), distance,
        tokens < 2 ? "files of at least 2 tokens" : fmt::format("0 to {}", tokens - 2)));
  }
}

/// What was asked for, beside what each engine promises.
void judge_tolerances(const SamplingOptions& asked, DistanceCurve& curve) {
  for (CurvePoint& point : curve.points) {
    if (!point.mean) continue;
    const Wide error = point.mean->error.absolute.wide();
    const Wide size = abs(point.mean->estimate.wide());
    if ((asked.abs_tol && error > Wide(*asked.abs_tol)) ||
        (asked.rel_tol && error > Wide(*asked.rel_tol) * size)) {
      point.status = Status::target_not_met;
    }
  }
}

DistanceCurve run_engine(const CurveTask& task) {
  if (draws_scores(task.engine)) return monte_carlo_curve(task);
  if (task.engine == Engine::gpu) {
    return is_conditional(task.sampling.estimator) ? device_conditional_curve(task)
                                                   : device_curve(task);
  }
  if (task.engine == Engine::conditional) return conditional_curve(task);
  if (task.engine == Engine::asymptotic) return asymptotic_curve(task);
  if (task.engine == Engine::ball) {
    if (!task.certify) throw UnavailableError("--engine ball: this program has no ball arithmetic");
    return task.certify(task);
  }
  if (is_radial(task)) return radial_curve(task);
  if (is_product(task) && !is_rotary(task)) return product_curve(task);
  if (is_smoothed(task)) return smoothed_curve(task);
  return is_empirical(task) ? empirical_curve(task) : exact_gaussian_curve(task);
}

}  // namespace

const std::vector<NamedEntry>& engine_catalogue() {
  static const std::vector<NamedEntry> catalogue{
      {"auto", "the most exact engine that applies; depends on the specification alone", {}},
      {"exact",
       "closed forms: joint Gaussians and their mixtures, linear phases, second moments; sums over "
       "the pairs of a file",
       {}},
      {"quadrature",
       "independent coordinates: integrals by characteristic function, raised to their number; one "
       "random scale: an integral over it",
       {}},
      {"ball",
       "certified: the closed forms of joint Gaussians and mixtures, the integrals of independent "
       "coordinates and over one random scale, and sums over the pairs of a file in ball "
       "arithmetic, an interval that contains the truth",
       {}},
      {"asymptotic",
       "large distances: the stationary-phase expansion of tapa under analytic densities, twice "
       "the largest of its next four terms as error",
       {}},
      {"mc",
       "Monte Carlo: one draw serves all distances; intervals for mean and variance (--estimator "
       "plain, antithetic, or auto)",
       {}},
      {"qmc",
       "mc with Owen-scrambled Sobol points in 16 replicas, whose spread is the error; the same as "
       "--estimator qmc",
       {}},
      {"conditional",
       "sampling with the phase part of the key integrated in closed form, in log space: means of "
       "tapa of any size under independent pairs of coordinates (--estimator)",
       {}},
      {"gpu",
       "the samples of mc drawn, scored and summed by a CUDA device, any score and density "
       "(fastest: "
       "tapa, tapa-linear and rotary scores under Gaussians); with --estimator zero-variance or "
       "importance the means of tapa under Gaussians, of any size",
       {}},
  };
  return catalogue;
}

EngineChoice choose_engine(const CurveTask& task) {
  const Estimator estimator = task.sampling.estimator;
  if (draws_scores(task.engine) || (task.engine == Engine::automatic && draws_scores(estimator))) {
    return choose_for_scores(task);
  }
  if (task.engine == Engine::conditional ||
      (task.engine == Engine::automatic && is_conditional(estimator))) {
    if (draws_scores(estimator)) {
      throw InputError(
          fmt::format("--estimator: {} is one of scores; accepted with --engine conditional: auto, "
                      "conditional, zero-variance, importance",
                      to_string(estimator)));
    }
    split_problem(task);  // refuses what does not fit
    return {Engine::conditional, "asked for; the key's part of the phase is integrated"};
  }
  if (task.engine == Engine::gpu && is_conditional(estimator)) {
    const std::string refusal = device_conditional_refusal(task);
    if (refusal.empty()) {
      return {Engine::gpu, "asked for; the key's part of the phase is integrated, on the device"};
    }
    throw InputError(fmt::format(
        "--estimator: {} does not apply to {} under {} with --engine gpu: {}; accepted: tapa under "
        "gaussian with zero-variance or importance, or --engine conditional",
        to_string(estimator), printable(task.encoding.spec), printable(task.density.spec),
        refusal));
  }
  const bool none = estimator == Estimator::standard || estimator == Estimator::automatic;
  const bool device = task.engine == Engine::gpu;
  if (!none && !(device && estimator == Estimator::plain)) {
    throw InputError(
        fmt::format("--estimator: {} belongs to --engine {}; accepted with --engine {}: auto{}",
                    to_string(estimator),
                    is_conditional(estimator)     ? "conditional"
                    : estimator == Estimator::qmc ? "qmc"
                                                  : "mc",
                    to_string(task.engine),
                    device ? ", plain; under tapa and gaussian zero-variance and importance"
                           : ", which does nothing there: this engine does not sample"));
  }
  if (task.engine == Engine::asymptotic) {
    if (is_stationary(task)) {
      return {Engine::asymptotic,
              "asked for; the stationary-phase expansion, cut before its least term"};
    }
    throw InputError(fmt::format(
        "--engine: asymptotic does not apply to {} under {}; accepted: tapa under gaussian (|rho| "
        "< 1) or under sech, logistic, hermite2 or student-t, whose densities are analytic",
        printable(task.encoding.spec), printable(task.density.spec)));
  }
  if (device) check_sampled_mean(task.density.law, "--engine");
  if (is_product(task) && !device) return choose_for_product(task);
  if (is_radial(task) && !device) return choose_for_radial(task);
  switch (task.engine) {
    case Engine::automatic:
      if (is_smoothed(task) && std::isinf(smoothed_cost(task))) {
        return {Engine::mc, "the bandwidth moves coordinates that amplitude and phase share"};
      }
      if ((is_smoothed(task) ? smoothed_cost(task) : empirical_cost(task)) > kMostEmpiricalCost) {
        return {Engine::mc, "the file has too many pairs to sum one by one at these distances"};
      }
      return {Engine::exact, "auto takes the most exact that applies: " + exact_reason(task)};
    case Engine::exact:
      return {Engine::exact, "asked for; " + exact_reason(task)};
    case Engine::ball:
      return {Engine::ball, "asked for; " + exact_reason(task) + ", here in ball arithmetic"};
    case Engine::gpu:
      return {Engine::gpu, "asked for; plain sampling on the device"};
    default:
      break;
  }
  throw InputError(fmt::format(
      "--engine: {} does not apply to {} under {}; accepted: auto, exact, ball, mc, qmc, gpu",
      to_string(task.engine), printable(task.encoding.spec), printable(task.density.spec)));
}

EstimatorChoice choose_estimator(const CurveTask& task) {
  return task.engine == Engine::conditional ? choose_conditional_estimator(task)
                                            : choose_score_estimator(task);
}

CurveTask resolved(CurveTask task) {
  task.engine = choose_engine(task).engine;
  if (!draws_scores(task.engine)) return task;
  const Estimator estimator = choose_estimator(task).estimator;
  task.engine = estimator == Estimator::qmc ? Engine::qmc : Engine::mc;
  task.sampling.estimator = estimator;
  return task;
}

DistanceCurve compute_curve(const CurveTask& task) {
  const CurveTask chosen = resolved(task);
  check_pair_distances(chosen);
  DistanceCurve curve = run_engine(chosen);
  judge_tolerances(chosen.sampling, curve);
  return curve;
}

}  // namespace tapalab
