#include "analysis/experiment.hpp"

#include <fmt/format.h>

#include "analysis/conditional/device_conditional.hpp"
#include "analysis/conditional/phase_pair.hpp"
#include "analysis/empirical.hpp"
#include "analysis/product_curve.hpp"
#include "sim/errors.hpp"
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
  throw InputError(fmt::format("--engine: {} does not apply to {} under {}{}; accepted: {}",
                               to_string(task.engine), printable(task.encoding.spec),
                               printable(task.density.spec),
                               none ? ", whose matrices couple all coordinates" : "",
                               none                              ? "mc, gpu"
                               : method == ProductMethod::closed ? "auto, exact, mc, gpu"
                                                                 : "auto, quadrature, mc, gpu"));
}

std::string exact_reason(const CurveTask& task) {
  if (is_empirical(task)) return "the pairs of the file can be summed one by one";
  if (is_rotary(task)) {
    return "a quadratic score of a joint Gaussian has closed moments";
  }
  return "the characteristic function of a quadratic form in a joint Gaussian is closed";
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
  if (task.engine == Engine::mc) return monte_carlo_curve(task);
  if (task.engine == Engine::gpu) {
    return is_conditional(task.sampling.estimator) ? device_conditional_curve(task)
                                                   : device_curve(task);
  }
  if (task.engine == Engine::conditional) return conditional_curve(task);
  if (is_product(task) && !is_rotary(task)) return product_curve(task);
  return is_empirical(task) ? empirical_curve(task) : exact_gaussian_curve(task);
}

}  // namespace

const std::vector<NamedEntry>& engine_catalogue() {
  static const std::vector<NamedEntry> catalogue{
      {"auto", "the most exact engine that applies; depends on the specification alone", {}},
      {"exact",
       "closed forms: joint Gaussians, linear phases, second moments; sums over the pairs of a "
       "file",
       {}},
      {"quadrature",
       "independent coordinates: integrals by characteristic function, raised to their number",
       {}},
      {"mc",
       "plain Monte Carlo: one draw serves all distances; intervals for mean and variance",
       {}},
      {"conditional",
       "sampling with the phase part of the key integrated in closed form, in log space: means of "
       "tapa of any size under independent pairs of coordinates (--estimator)",
       {}},
      {"gpu",
       "the samples of mc drawn and summed by a CUDA device (tapa, tapa-linear and rotary scores "
       "under Gaussians), or only scored there (all else); with --estimator zero-variance or "
       "importance the means of tapa under Gaussians, of any size",
       {}},
  };
  return catalogue;
}

EngineChoice choose_engine(const CurveTask& task) {
  const bool samples = task.engine == Engine::mc || task.engine == Engine::gpu;
  const Estimator estimator = task.sampling.estimator;
  if (task.engine == Engine::conditional ||
      (task.engine == Engine::automatic && is_conditional(estimator))) {
    if (estimator == Estimator::plain) {
      throw InputError(
          "--estimator: plain is that of --engine mc; accepted with conditional: "
          "auto, conditional, zero-variance, importance");
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
  if (is_conditional(estimator)) {
    throw InputError(
        fmt::format("--estimator: {} belongs to --engine conditional; accepted with "
                    "--engine {}: auto, plain",
                    to_string(estimator), to_string(task.engine)));
  }
  if (task.engine == Engine::automatic && estimator == Estimator::plain) {
    return {Engine::mc, "--estimator plain asked for"};
  }
  if (is_product(task) && !samples) return choose_for_product(task);
  switch (task.engine) {
    case Engine::automatic:
      if (empirical_cost(task) > kMostEmpiricalCost) {
        return {Engine::mc, "the file has too many pairs to sum one by one at these distances"};
      }
      return {Engine::exact, "auto takes the most exact that applies: " + exact_reason(task)};
    case Engine::exact:
      return {Engine::exact, "asked for; " + exact_reason(task)};
    case Engine::mc:
      return {Engine::mc, "asked for; plain sampling applies to every density"};
    case Engine::gpu:
      return {Engine::gpu, "asked for; plain sampling on the device"};
    default:
      break;
  }
  throw InputError(fmt::format(
      "--engine: {} does not apply to {} under {}; accepted: auto, exact, mc, gpu",
      to_string(task.engine), printable(task.encoding.spec), printable(task.density.spec)));
}

DistanceCurve compute_curve(const CurveTask& task) {
  CurveTask chosen = task;
  chosen.engine = choose_engine(task).engine;
  check_pair_distances(chosen);
  DistanceCurve curve = run_engine(chosen);
  judge_tolerances(chosen.sampling, curve);
  return curve;
}

}  // namespace tapalab
