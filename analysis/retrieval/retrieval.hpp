// The retrieval probe: does the key that was made for a query get the largest score among many?
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/quantity.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

namespace plot {
struct Figure;
}

/// A query looks back on `length` keys at the distances 1 .. length (tokens). One of them, the
/// needle, is mean_k + scale_k (rho z + sqrt(1 - rho^2) e) coordinate by coordinate, z the query's
/// standardised coordinate and e a key's; the others, the distractors, are keys that know nothing
/// of the query. Densities: gaussian without rho, or empirical, whose queries and keys are drawn
/// from all tokens of the file with replacement and standardised by its means and standard
/// deviations.
struct RetrievalTask {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 128;
  ExactDecimal needle_rho{0};          ///< from -1 to 1
  std::vector<std::uint64_t> lengths;  ///< ascending, each from 2 to kMostKeys
  std::vector<std::uint64_t>
      distances;                ///< of the needle, from 1; those above a length are left out
  std::uint64_t trials = 1000;  ///< 2 to kMostTrials
  std::uint64_t seed = 1;
  double confidence = 0.95;
  unsigned threads = 0;  ///< 0: all; never changes a bit of the result
  /// Without, Gaussian distractors are not drawn: most of the time.
  bool masses = true;
  std::function<void(double fraction)> progress{};  ///< may be empty
};
inline constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kMostTrials = 10'000'000;

struct RetrievalPoint {
  std::uint64_t length = 0;
  std::optional<std::uint64_t> distance;  ///< of the needle; unset: uniform on 1 .. length
  /// The probability that the needle has the largest score. For Gaussians each trial gives the
  /// probability given query and needle, its distractors integrated out; for a file's tokens each
  /// trial counts as 0 or 1 (Wilson's interval).
  Quantity largest;
  /// The needle's share of the softmax over all keys, scores as logits.
  std::optional<Quantity> mass;
  /// One trial carries a tenth of a second moment or more: Student's interval cannot be trusted,
  /// and the one given is bounded_mean_interval's.
  bool carried_by_one = false;
};

struct Retrieval {
  RetrievalTask task;
  bool integrated = false;             ///< `largest` is integrated over the distractors
  std::vector<RetrievalPoint> points;  ///< length by length: uniform, then the distances
};

/// Throws InputError for what the task may not hold, densities of another kind, and prefixed keys
/// that do not fit; Interrupted.
Retrieval retrieve(const RetrievalTask& task);

/// `tapalab/retrieve/1`; `provenance` is placed as given.
nlohmann::ordered_json retrievals_json(const std::vector<Retrieval>& retrievals,
                                       const nlohmann::ordered_json& provenance);
std::string retrievals_table(const std::vector<Retrieval>& retrievals);
std::string retrievals_csv(const std::vector<Retrieval>& retrievals);
/// Against the distance of the needle at the largest length where distances were asked for, else
/// against the length.
plot::Figure retrieval_figure(const std::vector<Retrieval>& retrievals);

}  // namespace tapalab
