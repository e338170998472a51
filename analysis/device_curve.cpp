// The samples of the plain Monte Carlo engine from a device.
#include <optional>
#include <string>
#include <variant>

#include "analysis/conditional/phase_pair.hpp"
#include "analysis/experiment.hpp"
#include "analysis/sampling_run.hpp"
#include "sim/backend.hpp"
#include "sim/density_source.hpp"
#include "sim/errors.hpp"
#include "sim/make_fused_plan.hpp"

namespace tapalab {
namespace {

// The Gaussian that a device may draw from itself.
std::optional<GaussianModel> gaussian_model(const CurveTask& task) {
  const auto& law = task.density.law;
  if (const auto* full = std::get_if<FullGaussianDensity>(&law)) {
    return lower(*full, task.head_dim);
  }
  if (const auto* gaussian = std::get_if<GaussianDensity>(&law)) {
    return lower(*gaussian, task.encoding, task.head_dim);
  }
  return std::nullopt;
}

std::optional<FusedPlan> fused_plan(const CurveTask& task) {
  const auto gaussian = gaussian_model(task);
  if (!gaussian) return std::nullopt;
  return make_fused_plan(lower(task.encoding, task.head_dim), *gaussian, task.distances.distances,
                         task.sampling.seed);
}

}  // namespace

void check_samples(const CurveTask& planned) {
  const CurveTask task = resolved(planned);
  const std::vector<std::uint64_t>& distances = task.distances.distances;
  const bool device = task.engine == Engine::gpu;
  if (task.engine == Engine::conditional || (device && is_conditional(task.sampling.estimator))) {
    const SplitProblem problem = split_problem(task);
    for (const std::uint64_t distance : distances) problem.frequency(distance);
  }
  if (!draws_samples(task)) return;
  make_sampler(task);
  if (!device) return;
  require_pairs(
      make_density_source(task.density.law, task.encoding, task.head_dim, task.sampling.seed),
      distances);
}

AddSamples device_samples(const CurveTask& task) {
  const std::string missing =
      task.device == nullptr ? "no device was given" : task.device->unavailable_reason();
  if (!missing.empty()) throw UnavailableError("--engine gpu: " + missing);
  const ScoreModel score = lower(task.encoding, task.head_dim);
  const auto& distances = task.distances.distances;
  std::shared_ptr<const DeviceSampler> sampler;
  if (const auto gaussian = gaussian_model(task)) {
    sampler = task.device->sampler(score, *gaussian, distances, task.sampling.seed);
  }
  if (!sampler) {
    sampler = task.device->drawn_sampler(score, task.density.law, task.encoding, distances,
                                         task.sampling.seed);
  }
  if (!sampler) throw UnavailableError("--engine gpu: this device does not draw");
  return [sampler](std::uint64_t begin, std::uint64_t end, SamplingState& state) {
    sampler->add(begin, end, state);
  };
}

std::string device_kernel_text(const CurveTask& task) {
  const auto plan = fused_plan(task);
  if (!plan) {
    return "samples are drawn and scored in double by the kernel of all scores and densities; the "
           "host draws the first 1024, to centre the sums";
  }
  const bool rotary = plan->kind == FusedKind::adjacent || plan->kind == FusedKind::halves;
  return std::string("samples are drawn by the fused kernel of ") + (rotary ? "rotary" : "split") +
         " scores under Gaussians, normals in float where phases are of few turns; the host draws "
         "the first 1024, to centre the sums";
}

DistanceCurve device_curve(const CurveTask& task) { return monte_carlo_curve(task); }

}  // namespace tapalab
