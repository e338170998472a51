// The one interface through which analysis reaches the GPU: gpu/ implements it, the program hands
// it on. It stands in sim so that gpu depends on sim alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/fused_plan.hpp"
#include "sim/kernel_batch.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/score_model.hpp"
#include "sim/score_tables.hpp"

namespace tapalab {

/// A batch of (query, key) pairs: `count` rows of head_dim values each, row by row.
struct PairBatch {
  std::size_t count = 0;
  std::uint32_t head_dim = 0;
  std::vector<double> queries;
  std::vector<double> keys;
};

/// Draws samples and reduces them to moments where it runs.
class DeviceSampler {
 public:
  virtual ~DeviceSampler() = default;
  /// Adds samples begin .. end-1 to the state as ScoreSampler::add does: the state depends on the
  /// set of samples alone. Throws Interrupted where a signal came, InputError where scores leave
  /// the range of a double, UnavailableError where the device has too little memory.
  virtual void add(std::uint64_t begin, std::uint64_t end, SamplingState& state) const = 0;
};

/// Scores samples one by one where it runs.
class DeviceDifferences {
 public:
  virtual ~DeviceDifferences() = default;
  /// differences[i]: the score of sample first + i at distance near[i] less that at far[i], both
  /// places in the tables; as many as near.size(). Sample and scores have the bits of the host's,
  /// normals in double. Throws UnavailableError.
  virtual void fill(std::uint64_t first, const std::vector<std::uint32_t>& near,
                    const std::vector<std::uint32_t>& far, double* differences) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// "cpu" or "cuda".
  virtual std::string name() const = 0;
  /// Empty where the backend can run here, else why not (one line).
  virtual std::string unavailable_reason() const = 0;
  /// Scores of each pair at each distance, pair by pair: count x distances.size() values.
  /// Throws UnavailableError where it cannot run, InputError for sizes that do not match.
  virtual std::vector<double> scores(const ScoreModel& model, const PairBatch& batch,
                                     const std::vector<std::uint64_t>& distances) const = 0;
  /// Samples of ScoreSampler, drawn here: sample i has the same random words, and its normals the
  /// same values but for rounding (in float at distances where ScoreSampler::draws_single, else the
  /// same bits). Nothing where this backend does not draw, or not for this score or density
  /// (sim/make_fused_plan.hpp). Throws as ScoreSampler's constructors, and UnavailableError.
  virtual std::unique_ptr<DeviceSampler> sampler(const ScoreModel&, const GaussianModel&,
                                                 const std::vector<std::uint64_t>&,
                                                 std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// Samples of ScoreSampler of any score under any density, drawn and scored in double here, or
  /// from normals in float where ScoreSampler::draws_single: each with the host's values to
  /// rounding of its sums. Slower than `sampler` where that applies. Nothing where this backend
  /// does not draw. Throws as `sampler`, and InputError where no pair of tokens is at a distance.
  virtual std::unique_ptr<DeviceSampler> drawn_sampler(const ScoreModel&, const DensityLaw&,
                                                       const Encoding&,
                                                       const std::vector<std::uint64_t>&,
                                                       std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// Differences of scores of those samples; the tables are copied. Nothing where this backend does
  /// not draw. pairs=at-distance is not taken (InputError). Throws UnavailableError.
  virtual std::unique_ptr<DeviceDifferences> differences(const ScoreTables&, const DensityLaw&,
                                                         const Encoding&,
                                                         std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// Samples of a plan whose kind is `conditional`: their moments stand in ScoreMoments as those of
  /// scores do, the real part as score, the imaginary one as sine. Nothing where this backend does
  /// not draw.
  virtual std::unique_ptr<DeviceSampler> conditional_sampler(const FusedPlan&) const {
    return nullptr;
  }
  /// Scores by this backend's own arithmetic in each format; nothing where it has none. Throw
  /// UnavailableError.
  virtual std::optional<PhaseOutputs> kernel_scores(const PhaseBatch&) const {
    return std::nullopt;
  }
  virtual std::optional<RotaryOutputs> kernel_scores(const RotaryBatch&) const {
    return std::nullopt;
  }
};

/// Throws InputError where the batch does not fit the model or its own count.
void check_batch(const ScoreModel& model, const PairBatch& batch);

/// The mandatory reference: the shared score function on the host.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace tapalab
