// An experiment as it is asked for: what flags and files fill, before defaults.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/experiment_values.hpp"

namespace tapalab {

struct ExperimentSpec {
  std::vector<Encoding> encodings;  ///< empty: tapa
  std::vector<Density> densities;   ///< empty: gaussian:rho=0.25
  std::optional<Sweep> sweep;
  std::optional<DistanceGrid> distances;  ///< unset: log:1:2^20:21
  std::optional<std::uint32_t> head_dim;  ///< unset: what file or matrices dictate, else 128
  std::optional<std::uint64_t> seq_len;   ///< unset: largest distance + 1
  std::optional<Engine> engine;
  std::optional<Estimator> estimator;
  std::optional<std::uint64_t> samples;
  std::optional<std::uint64_t> seed;
  std::optional<double> confidence;
  std::optional<double> rel_tol;
  std::optional<double> abs_tol;
};

/// `base` with everything that `flags` sets in its place.
ExperimentSpec overridden(ExperimentSpec base, const ExperimentSpec& flags);

/// `spec` with every default filled in, and the sweep carried out: its encodings and densities are
/// those of the curves. Throws InputError where the sweep's key belongs to none of them, or a value
/// is refused.
ExperimentSpec completed(ExperimentSpec spec);

/// One task for each encoding and density, encodings outermost, of a completed specification.
/// Throws InputError where an encoding or density does not fit the head dimension, or the engine
/// does not apply.
std::vector<CurveTask> plan_curves(const ExperimentSpec& completed, unsigned threads);

/// The part of a completed specification that curves do not hold, as `experiment` in results:
/// distances as given, seq_len, engine, confidence, tolerances, samples and seed.
nlohmann::ordered_json experiment_json(const ExperimentSpec& completed);

}  // namespace tapalab
