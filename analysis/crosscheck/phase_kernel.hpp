// A TAPA kernel (eq. 12 and 16) in given precisions, beside the exact score.
//
//   a   = (sum of q_i k_i over amplitude coordinates, fused multiply-adds in order) * 1/sqrt(dA)
//   phi = (the same over phase coordinates; eq. 16: sum of q, sum of k, their sum) * 1/sqrt(dP)
//   s   = delta^alpha or alpha * delta, of delta and alpha rounded to the phase type
//   p   = s * phi, phi rounded to the phase type
//   r   = p - round(p) in turns (exact), rounded to the trigonometric type
//   score = a * cos(2 pi r)
// a and phi in the accumulation type, s and p in the phase type, cos in the trigonometric type,
// score in the accumulation type. docs/theory/crosscheck.md derives the bounds.
#pragma once

#include <cstdint>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/stages.hpp"
#include "sim/kernel_batch.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

class PhaseKernel {
 public:
  /// Throws InputError for tapa-general: its kernels differ, and none is emulated.
  PhaseKernel(const PhaseScore& score, const Precisions& precisions);

  /// What does not depend on the distance. Errors are bounds of |value - exact|.
  struct Features {
    double amplitude;
    double amplitude_error;
    ExactPair exact_amplitude;
    double phi;             ///< in the phase type
    double phi_sum_error;   ///< of its sum in the accumulation type
    double phi_cast_error;  ///< of its rounding to the phase type
    ExactPair exact_phi;    ///< times sqrt(dP)
    bool exact_sums;        ///< both sums need no more than a double
  };
  /// q and k: head_dim values of the io type each.
  Features features(const double* q, const double* k) const;

  struct Scale {
    double value;                  ///< in the phase type
    double error;                  ///< |value - s|
    double exact;                  ///< s
    ExactPair exact_over_sqrt_dp;  ///< s / sqrt(dP)
  };
  Scale scale(std::uint64_t distance) const;

  /// What a kernel that runs elsewhere gave: its score, and the cosine in it.
  struct Observed {
    double score;
    double cosine;
    double turns;  ///< the reduced phase
  };
  /// `observed` takes the place of the emulated values, within the same bound: its cosine may be
  /// off by what device_cosine_error allows, and every other operation is correctly rounded.
  ScoreSample score(const Features& features, const Scale& scale,
                    const Observed* observed = nullptr) const;

  /// The same kernel for a backend, at this scale; rows as `features` takes them.
  PhaseBatch batch(const Scale& scale, const KernelRows& rows) const;

  /// Of |scale(distance).value - s| whatever the low bits of the distance: grows with it.
  struct WorstScale {
    double exact;
    double error;
  };
  WorstScale worst_scale(std::uint64_t distance) const;
  /// Of the phase error in turns, at most 1/2: grows with the distance.
  double worst_phase(const Features& features, const WorstScale& scale) const;

 private:
  struct Factor {
    double value;
    double error;
    ExactPair exact;
  };
  struct Sum {
    double value;
    double error;
    ExactPair exact;
    bool exact_in_double;
  };
  Factor factor(const Wide& exact) const;
  Sum dot(const std::vector<BilinearTerm>& terms, const double* q, const double* k) const;
  Sum linear_sum(const double* q, const double* k) const;
  RoundedFloat times(const Sum& sum, const Factor& factor) const;

  const PhaseScore& score_;
  Precisions precisions_;
  Factor amplitude_factor_{}, phase_factor_{};
  Wide phase_weight_;
};

}  // namespace tapalab
