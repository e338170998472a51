// The one interface through which analysis reaches the GPU: gpu/ implements it, the program hands
// it on. It stands in sim so that gpu depends on sim alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/score_model.hpp"

namespace tapalab {

/// A batch of (query, key) pairs: `count` rows of head_dim values each, row by row.
struct PairBatch {
  std::size_t count = 0;
  std::uint32_t head_dim = 0;
  std::vector<double> queries;
  std::vector<double> keys;
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
};

/// Throws InputError where the batch does not fit the model or its own count.
void check_batch(const ScoreModel& model, const PairBatch& batch);

/// The mandatory reference: the shared score function on the host.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace tapalab
