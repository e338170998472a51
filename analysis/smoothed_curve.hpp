// Empirical densities with a bandwidth: a Gaussian of standard deviation h around every pair of
// tokens, which is a mixture of joint Gaussians with a closed form. Proofs:
// docs/theory/dependence.md.
//
// Cost of a distance:
//   tapa         one complex exponential and one cosine a pair (tokens^2 for pairs=all), about 0.6
//                us (docs/results/exact.md); pairs whose tokens weigh less than 1e-45 of the
//                heaviest are left out
//   tapa-linear  O(tokens dA^2) for pairs=all: phases of queries and keys add; else as tapa
//   rotary       no pairs for pairs=all: means and second moments of queries and keys once; else
//                O(pairs D)
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/experiment.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// The density is empirical with a bandwidth above 0.
bool is_smoothed(const CurveTask& task);

/// What smoothed_curve would compute, in the units of empirical_cost (cosines of 10 ns); infinite
/// for tapa-general, whose amplitude and phase share coordinates.
double smoothed_cost(const CurveTask& task);

/// Exact up to rounding: sums in long double, their errors bounded by running sums of moduli. The
/// density is the mixture itself, so no error speaks of other tokens than the file's. Throws
/// InputError for tapa-general and where the cost is beyond kMostEmpiricalCost.
DistanceCurve smoothed_curve(const CurveTask& task);

namespace empirical {

/// The keys that a rule pairs with query m: first, first + 1, .. first + count - 1, or partner[m].
class PairLists {
 public:
  PairLists(PairRule rule, std::size_t tokens, std::uint64_t distance);
  struct Keys {
    std::size_t first = 0, count = 0;
  };
  Keys of(std::size_t query) const;
  double pairs() const;

 private:
  PairRule rule_;
  std::size_t tokens_;
  std::uint64_t distance_;
  std::vector<std::uint32_t> partner_;
};

/// Points in the order of task.distances.
std::vector<CurvePoint> smoothed_phase_points(const CurveTask& task, const PhaseScore& score,
                                              const TokenTable& table, PairRule rule,
                                              const Wide& bandwidth);
std::vector<CurvePoint> smoothed_rotary_points(const CurveTask& task, const RotaryScore& score,
                                               const TokenTable& table, PairRule rule,
                                               const Wide& bandwidth);

}  // namespace empirical
}  // namespace tapalab
