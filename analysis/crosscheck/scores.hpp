// Scores of a kernel in low precision against exact ones, distance by distance.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/stages.hpp"
#include "analysis/distance_grid.hpp"
#include "sim/density.hpp"

namespace tapalab {

class Backend;  // sim/backend.hpp

struct CrosscheckTask {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 128;
  DistanceGrid distances;
  std::vector<std::uint64_t> offsets{0};  ///< c of score(n + distance + c, n + c), n = 0
  FloatFormat dtype = FloatFormat::f32;   ///< the preset's name
  Precisions precisions;
  std::size_t samples = 10000;
  std::uint64_t seed = 1;
  std::optional<double> horizon;  ///< turns
  unsigned threads = 0;           ///< 0: all; never changes a result
  std::function<void(double fraction)> progress{};
  /// Runs the kernel in its own arithmetic; unset: it is emulated.
  std::shared_ptr<const Backend> device{};
};

/// Errors of many values. Non-finite ones are counted, and take part in nothing else; with no
/// finite value all is 0.
struct ErrorSummary {
  double max = 0;    ///< of |error|
  double p9999 = 0;  ///< 99.99% of |errors| are at most this: the smallest such value among them
  double rms = 0;
  double mean = 0;        ///< signed
  std::size_t count = 0;  ///< finite
  std::size_t non_finite = 0;
  std::size_t worst = 0;  ///< the first index at which |error| is max
};
ErrorSummary summarise(const std::vector<double>& errors);

struct CrosscheckPoint {
  std::uint64_t distance = 0;
  std::uint64_t offset = 0;
  ErrorSummary score;
  /// Over the finite scores: the largest budget, stage by stage, and its total.
  Budget budget;
  double bound = 0;
  /// Turns, at most 1/2: the largest phase error, the largest bound of one, and the largest that
  /// the distance permits whatever its low bits (what the horizon is made of).
  double phase_error = 0, phase_bound = 0, phase_worst_case = 0;
  /// Rotary: coordinates of the pair with phase_error.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> phase_pair;
  /// max |score(m + c, n + c) - score(m, n)|, both the kernel's; unset where one was never finite.
  std::optional<double> shift;
  bool holds = true;  ///< no error above its own bound
};

/// The largest distance up to which the worst-case phase bound stays within `turns`.
struct Horizon {
  double turns = 0;
  std::optional<std::uint64_t> safe;  ///< unset: not even distance 1
  std::optional<std::uint64_t> next;  ///< safe + 1 where that breaks it; unset: beyond 2^63-1
};

struct ScoreCheck {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 0;
  FloatFormat dtype = FloatFormat::f32;
  Precisions precisions;
  std::size_t samples = 0;
  std::uint64_t seed = 0;
  std::size_t exact_sums = 0;           ///< samples whose reference sums one double would have held
  std::vector<CrosscheckPoint> points;  ///< offsets within distances
  std::optional<Horizon> horizon;
  bool holds = true;
};

/// Throws InputError as check_scores does for what the task itself says, before a device is asked
/// for.
void check_task(const CrosscheckTask& task);

/// Throws InputError where the encoding has no kernel here (tapa-general, xpos, alibi), where
/// distance + offset reaches 2^63, and as PairDrawer and `lower` do; UnavailableError where the
/// device has no arithmetic of its own.
ScoreCheck check_scores(const CrosscheckTask& task);

}  // namespace tapalab
