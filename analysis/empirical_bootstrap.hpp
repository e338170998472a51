// Block bootstrap over the tokens of a file: the interval of every sum over its pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/empirical_pairs.hpp"
#include "analysis/quantity.hpp"

namespace tapalab::empirical {

/// Steele, Lea, Flood (2014): a 64-bit state advanced by the golden gamma.
struct SplitMix64 {
  std::uint64_t state;

  std::uint64_t next();
  /// Uniform on 0 .. range-1, up to a bias of range 2^-64.
  std::uint64_t below(std::uint64_t range);
};

/// The replicates. Each draws as many blocks as there are, with replacement, from splitmix64
/// started at `seed`; a pair of query block i and key block j then counts w_i w_j times, w the
/// draws of each block, because queries and keys are the same tokens; a pair of `at_distance`
/// counts w_b times. A statistic is a function of ratios of such weighted sums.
///
/// What it covers: dependence between tokens up to about a block length. For `shuffled`, where
/// cells hold less than a pair on average, the noise of single pairs counts up to three times in
/// the variance (Owen's pigeonhole bootstrap, Ann. Appl. Stat. 2007): the interval is then too
/// wide, never too narrow. For `at_distance` the blocks are of pairs, so that dependence through
/// tokens that occur in two distant pairs is left out.
/// Coverage counted on 200 files of 256 independent Gaussian tokens (16 blocks) at level 0.95:
/// means 97%, variances 94 to 95% (all, causal, at_distance); shuffled 99.5% and more.
class Bootstrap {
 public:
  static constexpr std::size_t kReplicates = 999;

  /// `level` strictly between 0 and 1.
  Bootstrap(const PairPlan& plan, std::uint64_t seed, double level);

  /// `sums` is cells x columns; the result kReplicates x columns: the weighted totals divided by
  /// the weighted number of pairs. Replicates without a pair are left out, so that fewer rows may
  /// return.
  std::vector<double> means(const std::vector<double>& sums, std::size_t columns,
                            unsigned threads) const;

  /// Basic interval from the replicates' deviations r - mean(r):
  /// [estimate - upper quantile, estimate - lower quantile], widened by `factor()`. Where fewer
  /// than ten replicates lie in a tail, their standard deviation and the normal quantile instead.
  /// `rounding` is added on both sides.
  Quantity interval(double estimate, const std::vector<double>& replicates, double rounding) const;

  /// For a variance: the interval of its logarithm, which puts the longer side above as the
  /// skewness of a second moment asks; `interval` where a replicate is not positive.
  Quantity interval_of_variance(double estimate, const std::vector<double>& replicates,
                                double rounding) const;

  /// For a quantity that cannot be negative and whose estimate noise pushes up: the interval above
  /// joined with its shift by the replicates' bias, ends below 0 set to 0.
  Quantity interval_of_norm(double estimate, const std::vector<double>& replicates,
                            double rounding) const;

  /// The modulus of a complex mean, from the disc around the estimate that holds `level` of the
  /// replicates' deviations: |estimate| +- radius, cut at 0.
  Quantity interval_of_modulus(double re, double im, const std::vector<double>& replicates_re,
                               const std::vector<double>& replicates_im, double rounding) const;

  /// Standard deviation of the replicates times sqrt(b / (b - 1)), b the number of blocks.
  double standard_error(const std::vector<double>& replicates) const;

  /// sqrt(b / (b - 1)) times the ratio of Student's t with b - 1 degrees of freedom to the normal
  /// quantile at this level: few blocks give wide intervals.
  double factor() const { return factor_; }

 private:
  const PairPlan& plan_;
  double level_;
  double factor_;
  std::vector<double> draws_;  ///< kReplicates x blocks
};

/// Column `column` of a rows x columns matrix.
std::vector<double> column_of(const std::vector<double>& matrix, std::size_t columns,
                              std::size_t column);

}  // namespace tapalab::empirical
