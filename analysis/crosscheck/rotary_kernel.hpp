// A kernel of rotary encodings (eq. 2, 3) in given precisions, beside the exact score.
//
//   angle = position * frequency, both rounded to the phase type, position m = c + delta or n = c
//   r     = angle mod 2 pi, in [-pi, pi], rounded to the trigonometric type
//   table = cos r and sin r (times the attention factor), rounded to the trigonometric type, then
//           to the table's
//   q'    = (q1 cos - q2 sin, q2 cos + q1 sin): a product and a fused multiply-add in the
//           accumulation type, stored in the io type; k' likewise
//   score = (sum of q'_i k'_i, fused multiply-adds in the order of the coordinates) * scale
// docs/theory/crosscheck.md derives the bounds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/stages.hpp"
#include "sim/kernel_batch.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

class RotaryKernel {
 public:
  RotaryKernel(const RotaryScore& score, const Precisions& precisions);

  /// One pair at one position. Errors in radians: of the angle, of the frequency's rounding
  /// (scale), of position and product (phase), of the reduction; of the table against cosine and
  /// sine of r, times the attention factor.
  struct Angle {
    double r;
    double cos, sin;
    double scale_error, phase_error, reduction_error;
    double cos_error, sin_error;

    double error() const { return scale_error + phase_error + reduction_error; }
  };
  Angle angle(std::size_t pair, std::uint64_t position, bool device = false) const;

  /// Everything about positions offset + distance and offset.
  struct Place {
    std::uint64_t distance = 0;
    std::vector<Angle> query, key;
    std::vector<ExactPair> exact_cos, exact_sin;  ///< of distance * frequency, times the weight
    /// 2 sin(error/2) times the weight, by scale, phase and reduction.
    std::vector<std::array<double, 3>> chord;
    double phase_error = 0;  ///< turns: the largest over the pairs, at most 1/2
    double phase_bound = 0;
    std::size_t worst_pair = 0;  ///< of phase_error
    bool finite = true;
  };
  /// distance + offset < 2^64. `device`: with room for angles that a device's library reduced.
  Place place(std::uint64_t distance, std::uint64_t offset, bool device = false) const;

  /// Puts a backend's tables and phase errors in the place of the emulated ones. What they may be
  /// off by is bounded by device_cosine_error.
  void observe(const RotaryOutputs& outputs, Place& place) const;
  /// The same kernel for a backend, at positions offset + distance and offset.
  RotaryBatch batch(std::uint64_t distance, std::uint64_t offset, const KernelRows& rows) const;

  /// Arrays that one thread uses for score after score.
  struct Workspace {
    std::vector<double> rotated_q, rotated_k;
    std::vector<std::array<double, 3>> error_q, error_k;  ///< by cosine, accumulation, output
  };
  /// q and k: head_dim values of the io type each.
  /// `observed`: the score of a kernel that runs elsewhere, in the place of the emulated one.
  ScoreSample score(const double* q, const double* k, const Place& place, Workspace& work,
                    const double* observed = nullptr) const;
  /// True where all products q_i k_j of the score sum without rounding in one double.
  bool exact_sums(const double* q, const double* k) const;

  /// Of the phase error in turns at `distance`, whatever the low bits of the positions, at most
  /// 1/2: grows with the distance.
  double worst_phase(std::uint64_t distance, std::uint64_t offset) const;

  const RotaryScore& model() const { return score_; }

 private:
  struct Frequency {
    double value;  ///< radians per token, in the phase type
    double error;  ///< |value - exact|
    Wide exact_turns;
    double factor;  ///< attention factor in the trigonometric type
    double exact_factor;
    ExactPair weight;  ///< the exact factor's square
  };
  double worst_angle(const Frequency& f, std::uint64_t position) const;
  void rotate(const double* x, const std::vector<Angle>& angles, std::vector<double>& rotated,
              std::vector<std::array<double, 3>>& errors) const;

  const RotaryScore& score_;
  Precisions precisions_;
  std::vector<Frequency> frequencies_;
  double scale_ = 0, scale_error_ = 0;
  ExactPair exact_scale_{0, 0};
};

}  // namespace tapalab
