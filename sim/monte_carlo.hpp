// Plain Monte Carlo: one draw of x = (q, k) serves all distances.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/arranged_source.hpp"
#include "sim/density.hpp"
#include "sim/dyadic_sum.hpp"
#include "sim/moments.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

struct MonteCarloRequest {
  std::uint64_t samples = 1'000'000;  ///< at least 2
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: one per hardware thread; never changes a bit of the result
  /// Called now and then on the calling thread with the samples done so far, last with all of them;
  /// may be empty. An exception from it ends the run.
  std::function<void(std::uint64_t done)> progress{};
};

/// Moments of the score at each distance, in the order of `distances`. Sample i of seed s is the
/// same pair (q, k) at every distance and for every number of threads; blocks of samples are
/// merged in one fixed order, so equal requests give equal bits. Memory is O(distances) a thread
/// and a level of the dyadic sum. Throws InputError for fewer than 2 samples, for sizes that do not
/// match, where scores are so large or so small that their fourth powers leave the range of a
/// double, and where phases are so large that samples in double do not resolve them (ScoreSampler).
std::vector<Moments> sample_scores(const ScoreModel& score, const GaussianModel& density,
                                   const std::vector<std::uint64_t>& distances,
                                   const MonteCarloRequest& request);

/// The same over token pairs of a file, drawn with replacement under the density's pair rule.
/// For `at_distance` each distance has its own draws, and distances of at least the number of
/// tokens have no pair: their moments have count 0.
std::vector<Moments> sample_scores(const ScoreModel& score, const EmpiricalDensity& density,
                                   const std::vector<std::uint64_t>& distances,
                                   const MonteCarloRequest& request);

/// One ScoreMoments for each distance, in the order of the distances; empty before the first
/// sample. Arrangements other than independent have more points:
///   mirrored  samples are averages over a pair; point `distances + i` has the same `score`
///             as point i, and as its `excess` the averages of squared scores
///   sobol     point r distances + i is replica r at distance i
struct CurveMoments {
  std::vector<ScoreMoments> points;

  void merge(const CurveMoments& other);
};

/// Leaves are blocks of kBlockSamples samples (sim/block_kernels.hpp).
using SamplingState = DyadicSum<CurveMoments>;

/// Throws InputError where fourth powers of the scores left the range of a double, which would make
/// an interval silently wrong.
void check_range(const CurveMoments& total, const std::vector<std::uint64_t>& distances,
                 Arrangement arrangement = Arrangement::independent);

/// Samples in any number of ranges, on any number of threads: the state depends on the set of
/// samples taken alone.
///
/// Samples of Gaussians have normals in float (stream `gaussian_single`) at distances whose phases
/// are below 2^12 turns, and where scores are rotary; in double (stream `gaussian`) elsewhere. From
/// 2^22 turns on phi is a compensated sum in two doubles, and its product with s is reduced in
/// two terms, so that a sample's phase is that of its own q and k to 2^-28 turns up to 2^66. The
/// mean is then that of the density as long as products q k, about 106 bits, are random in their
/// fraction of a turn. Where phases are a sum of coordinates, of 53 bits, a coordinate hardly
/// varies beside its mean, or the weights of the encoding are not doubles, that holds below 2^42
/// turns alone. The constructors throw InputError beyond (judged by the root mean square of phi
/// over the first block), and where head dimensions differ.
///
/// Sobol points are in double everywhere. Tokens of a file have no arrangement but independent.
class ScoreSampler {
 public:
  ScoreSampler(const ScoreModel& score, const GaussianModel& density,
               std::vector<std::uint64_t> distances, std::uint64_t seed,
               Arrangement arrangement = Arrangement::independent);
  /// Any density; `encoding` is that of the score. Gaussians and products alone have mirror images
  /// and Sobol points (else InputError).
  ScoreSampler(const ScoreModel& score, const DensityLaw& density, const Encoding& encoding,
               std::vector<std::uint64_t> distances, std::uint64_t seed,
               Arrangement arrangement = Arrangement::independent);
  ScoreSampler(const ScoreModel& score, const EmpiricalDensity& density,
               std::vector<std::uint64_t> distances, std::uint64_t seed);

  /// Adds samples begin .. end-1 to the state. `begin` is a multiple of kBlockSamples; so is `end`,
  /// unless no sample after `end` will ever be added. `progress` gets the samples of this call done
  /// so far. Throws InputError as sample_scores does, and std::invalid_argument where samples are
  /// there already; the state is then unchanged.
  void add(std::uint64_t begin, std::uint64_t end, unsigned threads,
           const std::function<void(std::uint64_t)>& progress, SamplingState& state) const;

  /// Whether samples of that distance, by its place in `distances`, have normals in float.
  bool draws_single(std::size_t distance) const;

  struct Plan;

 private:
  std::shared_ptr<const Plan> plan_;
};

}  // namespace tapalab
