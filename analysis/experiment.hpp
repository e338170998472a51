// What one command computes: encodings x densities x distances, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/distance_curve.hpp"
#include "analysis/distance_grid.hpp"
#include "analysis/estimator.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

class Backend;       // sim/backend.hpp
struct SampleRange;  // analysis/sampling_run.hpp

/// Options of the sampling engines; the tolerances hold for every engine.
struct SamplingOptions {
  std::uint64_t samples = 1'000'000;
  std::uint64_t seed = 1;
  double confidence = 0.95;       ///< strictly between 0 and 1
  std::optional<double> rel_tol;  ///< of the mean's error, relative to the mean's absolute value
  std::optional<double> abs_tol;  ///< of the mean's error
  unsigned threads = 0;           ///< 0: all hardware threads
  Estimator estimator = Estimator::standard;
};

/// One curve to compute.
struct CurveTask {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 128;
  DistanceGrid distances;
  Engine engine = Engine::automatic;
  SamplingOptions sampling;
  std::function<void(double fraction)> progress;  ///< may be empty
  std::shared_ptr<const Backend> device{};        ///< what engine gpu runs on; unset: none
  /// Where mc gets its samples from (shards, a checkpoint, ranks); empty: it draws them all.
  std::function<SampleRange(const CurveTask&)> draw{};
  /// What runs the engine ball (proofs-check/ball_curve.hpp, a room above this one); empty: none.
  std::function<DistanceCurve(const CurveTask&)> certify{};
};

struct EngineChoice {
  Engine engine;
  std::string reason;  ///< one sentence, for --explain
};

/// The engines that this build has, for `tapalab list engines` and for messages.
const std::vector<NamedEntry>& engine_catalogue();

/// The engine that `automatic` stands for: the most exact that applies, from the specification
/// alone. Throws InputError where the named engine cannot compute this task, saying which can.
EngineChoice choose_engine(const CurveTask& task);

/// Whether the engine draws scores: mc or qmc, whose samples can be split, saved and merged.
inline bool draws_scores(Engine engine) { return engine == Engine::mc || engine == Engine::qmc; }

/// The task with the engine that choose_engine names and, where that draws scores, the estimator
/// that choose_estimator names: what such a run depends on. Every process finds the same.
CurveTask resolved(CurveTask task);

/// Runs the engine that choose_engine names. Points whose mean has an error above a tolerance asked
/// for are target_not_met, whatever the engine. Throws InputError for pairs=at-distance at a
/// distance with fewer than two pairs.
DistanceCurve compute_curve(const CurveTask& task);

// The engines, one file each. Each throws InputError where it does not apply.

/// Closed forms: joint Gaussians under every score, rotary scores under any density whose second
/// moments are known.
DistanceCurve exact_gaussian_curve(const CurveTask& task);
/// Sums over the token pairs of a file, with block-bootstrap intervals as their error.
DistanceCurve empirical_curve(const CurveTask& task);
/// Scores of samples, of a task that is `resolved`. plain: Student's interval for the mean,
/// fourth-moment interval for the variance. antithetic: the same over pairs. qmc: Student's
/// interval over the means of replicas.
DistanceCurve monte_carlo_curve(const CurveTask& task);
/// Means of the encoding tapa under independent pairs of coordinates, the phase part of the key
/// integrated in closed form: sampled in log space, with Student's interval. target_not_met where
/// one sample carries a tenth of the second moment, so that the interval cannot be trusted.
DistanceCurve conditional_curve(const CurveTask& task);
/// The estimator that the engine of the task, mc, qmc or conditional, uses: the one asked for, or
/// the one with the least variance times cost in a pilot run, whose samples are its own. Throws
/// InputError where the engine does not apply.
EstimatorChoice choose_estimator(const CurveTask& task);
EstimatorChoice choose_conditional_estimator(const CurveTask& task);
/// The samples of monte_carlo_curve drawn and summed on task.device, which gives what mc gives to
/// about a millionth of a standard deviation (sim/make_fused_plan.hpp) or to the rounding of sums
/// in double. Throws UnavailableError, with the reason, where there is no device.
DistanceCurve device_curve(const CurveTask& task);

}  // namespace tapalab
