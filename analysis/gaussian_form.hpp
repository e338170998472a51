// Quadratic forms of a joint Gaussian: moments, and the transform E[a^j e^(i t phi)] that every
// closed form of a phase score follows from. Proofs: docs/theory/gaussian.md.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/density.hpp"
#include "sim/numbers/wide.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// sum of weight q[query] k[key] plus sum of weight x[coordinate]; x = (q, k).
struct SparseForm {
  std::vector<BilinearTerm> bilinear;
  std::vector<LinearTerm> linear;
};

/// Mean and variance of a form, with bounds of their rounding errors.
struct FormMoments {
  Wide mean{0};
  Wide variance{0};
  Wide mean_error{0};
  Wide variance_error{0};
};

/// E f = tr(A Sigma) + mu^T A mu + l^T mu,
/// Var f = 2 tr(A Sigma A Sigma) + (2 A mu + l)^T Sigma (2 A mu + l).
/// Dense coupled blocks of n coordinates cost O(n * terms).
class GaussianMoments {
 public:
  explicit GaussianMoments(const GaussianModel& model);
  FormMoments of(const SparseForm& form) const;

 private:
  std::uint32_t head_dim_;
  std::vector<Wide> mean_;
  /// Row-wise non-zero entries of the covariance, both triangles.
  std::vector<std::vector<std::pair<std::uint32_t, Wide>>> rows_;
  Wide covariance_at(std::uint32_t i, std::uint32_t j) const;
};

/// Phi_j(t) = E[a^j e^(i t phi)], j = 0, 1, 2, with bounds of their rounding errors. `underflow`:
/// |Phi_0| is below 2^-(2^58), so that its square is near the end of Wide; the values are then as
/// large as that bound allows, and the errors reach from them to it on the other side of 0. Where
/// no digit of the phase is left the values are 0 and the errors 1, 2^(2^58) and 2^(2^58): a caller
/// knows better bounds of |Phi_1| and |Phi_2|.
struct Transform {
  WideComplex phi0, phi1, phi2;
  Wide error0{0}, error1{0}, error2{0};
  bool underflow = false;
};

/// The transform of an amplitude a and a phase phi (in radians per unit of t) under a joint
/// Gaussian. Coordinates that neither the covariance nor a form couples are independent: their
/// blocks are treated apart, equal blocks once. Setting up costs O(n^3) for a block of n
/// coordinates, each t O(n^2); a split TAPA score has two kinds of blocks of two coordinates.
class GaussianTransform {
 public:
  GaussianTransform(const GaussianModel& model, const SparseForm& amplitude,
                    const SparseForm& phase);
  Transform at(const Wide& t) const;

  /// A block in the coordinates y ~ N(0, I) that diagonalise its phase:
  /// phi = phase0 + sum_j (phase1[j] y_j + eigenvalue[j] y_j^2),
  /// a = amplitude0 + amplitude1.y + y^T amplitude2 y.
  struct Block {
    std::uint64_t multiplicity = 1;
    Wide phase0{0};
    std::vector<Wide> phase1, eigenvalue;
    Wide amplitude0{0};
    std::vector<Wide> amplitude1, amplitude2;  ///< amplitude2: n x n, row by row
    Wide phase_norm{0};                        ///< largest |eigenvalue|
    /// Sums of the moduli of the terms that the numbers above are sums of: rounding is relative to
    /// these, where terms cancel.
    Wide phase0_size{0}, amplitude0_size{0};
    std::vector<Wide> phase1_size, amplitude1_size, amplitude2_size;
    /// Reflecting some coordinates turns a into -a and leaves law and phase as they are: the block
    /// adds exactly 0 to Phi_1.
    bool odd_amplitude = false;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

  /// phi is 0, whatever x.
  bool phase_vanishes() const;
  /// x is its mean: a and phi do not vary.
  bool deterministic() const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace tapalab
