// Mean and variance of rotary scores (eq. 2, 3) under a joint Gaussian at many distances. At
// distance delta a score is sum_b v_b f_b: f_b are fixed bilinear forms (A_d and B_d of each pair,
// and the part that is not rotated), v_b cosines and sines. Their means and covariances are
// computed once; a distance then costs its cosines. docs/theory/gaussian.md.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/phase_point.hpp"
#include "sim/density.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

class RotaryMoments {
 public:
  /// O(coordinates) for independent coordinate pairs, O(D^2) for a full covariance.
  RotaryMoments(const RotaryScore& score, const GaussianModel& model);

  struct Values {
    Estimate mean, variance;
  };
  /// Cosines and sums in long double, with errors of about D 2^-63 of the sums of moduli, where
  /// that is below 1e-14 of the envelope and of the variance; else in Wide.
  Values at(std::uint64_t distance) const;

  /// scale * sum_d w_d sqrt(mu_d^2 + nu_d^2) + |mean of the part that is not rotated|.
  Estimate envelope(std::uint64_t distance) const;
  /// The largest mean over distances under a mixture: the same with the weighted means of its
  /// components in place of mu_d and nu_d. Every component with the same score.
  struct Weighted;
  class Envelope;
  /// What no variance exceeds: the sum of the moduli of all covariances.
  const Wide& variance_bound() const { return variance_size_; }

 private:
  struct Covariance {
    std::uint32_t first, second;  ///< bases
    Wide value, size;             ///< twice the covariance where first != second
    long double quick;
  };
  /// frequency_turns mod 1, in units of 2^-128
  __extension__ using Fraction = unsigned __int128;

  void set_envelope();
  Values quick(std::uint64_t distance) const;
  Values wide(std::uint64_t distance) const;

  std::vector<RotaryPair> pairs_;
  std::vector<Fraction> fractions_;
  std::vector<Wide> means_, mean_sizes_;  // base 0: not rotated; 1 + 2d: A_d; 2 + 2d: B_d
  std::vector<long double> quick_means_;
  std::vector<Covariance> covariances_;
  Estimate envelope_;  // without decay
  Wide mean_size_{0}, variance_size_{0};
  bool decays_ = false;
  bool quick_allowed_ = false;
};

struct RotaryMoments::Weighted {
  Wide weight;
  RotaryMoments moments;
};

class RotaryMoments::Envelope {
 public:
  explicit Envelope(const std::vector<Weighted>& parts);
  Estimate at(std::uint64_t distance) const { return mean_.envelope(distance); }

 private:
  RotaryMoments mean_;  // its means alone are used
};

}  // namespace tapalab
