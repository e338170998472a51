// Histograms of score differences between two ranges of distance (the paper's Figure 1).
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/quantity.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace tapalab {

class Backend;

namespace plot {
struct Figure;
}

/// first <= distance <= last.
struct DistanceRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  /// last - first + 1; 2^63 at most.
  std::uint64_t size() const { return last - first + 1; }
};
/// "0:100", each end an integer from 0 to 2^63-1, or 2^k. Throws InputError that begins with
/// `name`.
DistanceRange parse_distance_range(std::string_view text, std::string_view name);

struct HistogramTask {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 128;
  DistanceRange near{0, 100};
  DistanceRange far{10000, 10100};
  std::uint64_t pairs = 10'000;  ///< 2 to kMostPairs
  std::size_t bins = 60;  ///< 1 to 10,000, of equal width from the least to the largest value
  std::uint64_t seed = 1;
  double confidence = 0.95;
  unsigned threads = 0;  ///< 0: all; never changes a bit of the result
  /// Where set, samples are drawn and scored there: the same bits.
  std::shared_ptr<const Backend> device{};
};
inline constexpr std::uint64_t kMostPairs = 100'000'000;

struct HistogramBin {
  double low = 0, high = 0;  ///< low <= value < high; the last holds its upper end too
  std::uint64_t count = 0;
};

/// Of score(near) - score(far), one pair (q, k) and two uniform distances a sample.
struct ScoreHistogram {
  HistogramTask task;
  Quantity mean;                ///< Student's interval
  Quantity standard_deviation;  ///< interval from the fourth moment
  /// Why that interval is not to be had (sim/moment_order.hpp); the writers then leave the standard
  /// deviation out. Empty where it stands.
  std::string spread_unavailable;
  /// The mean over all distances of both ranges by closed form or quadrature; unset where the
  /// density has none or the ranges hold more than 20,000 distances.
  std::optional<Quantity> expected_mean;
  double smallest = 0, largest = 0;
  std::vector<HistogramBin> bins;
};

/// Throws InputError as score_histogram does, before any sample is drawn.
void check_histogram(const HistogramTask& task);

/// For tokens of a file pairs are drawn with replacement: intervals are about the average over the
/// file's pairs. Throws InputError for ranges of more than 2^63 distances, for pairs or bins out of
/// range, and where the density does not fit (analysis/pair_draws.hpp); UnavailableError where the
/// task's device does not draw.
ScoreHistogram score_histogram(const HistogramTask& task);

/// The differences themselves, sample by sample.
std::vector<double> score_differences(const HistogramTask& task);

/// `tapalab/histogram/1`; `provenance` is placed as given.
nlohmann::ordered_json histograms_json(const std::vector<ScoreHistogram>& histograms,
                                       const nlohmann::ordered_json& provenance);
/// One row a histogram: mean, standard deviation, expected mean.
std::string histograms_table(const std::vector<ScoreHistogram>& histograms);
/// One row a bin.
std::string histograms_csv(const std::vector<ScoreHistogram>& histograms);
/// Densities with the interval of each bin.
plot::Figure histogram_figure(const std::vector<ScoreHistogram>& histograms,
                              const std::string& title);

}  // namespace tapalab
