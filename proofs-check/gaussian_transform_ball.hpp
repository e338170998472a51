// The transform E[a^j e^(i t phi)] of two quadratic forms of a joint Gaussian in ball arithmetic,
// by elimination instead of the eigenvalues that the exact engine uses
// (analysis/gaussian_form.hpp), so that the two check each other. Proof: docs/theory/ball.md, 1.
#pragma once

#include <cstdint>
#include <vector>

#include "proofs-check/ball.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

/// value at (row, col) of a sparse matrix, or value x[row] x[col] of a form.
struct BallEntry {
  std::uint32_t row;
  std::uint32_t col;
  Ball value;
};

/// x = mean + S y, y ~ N(0, I); a = sum of amplitude terms, phi = sum of the phase terms and of
/// value x[row] over `phase_linear`. Indices are those of x = (q, k).
struct GaussianFormsBall {
  std::vector<Ball> mean;
  std::vector<BallEntry> factor;  ///< S
  std::vector<BallEntry> amplitude;
  std::vector<BallEntry> phase;
  std::vector<BallEntry> phase_linear;
};

/// S with S S^T = covariance (symmetric, exact decimals): by elimination in balls, in rational
/// arithmetic where that meets a pivot which may be 0. Throws InputError where the matrix is not
/// positive semidefinite.
std::vector<BallEntry> covariance_factor_ball(const DecimalMatrix& covariance, slong bits);

/// Phi_j(t) = E[a^j e^(i t phi)].
struct TransformBall {
  ComplexBall phi0, phi1, phi2;
};

class GaussianTransformBall {
 public:
  GaussianTransformBall(const GaussianFormsBall& forms, slong bits);
  TransformBall at(const Ball& t) const;
  /// The same where every y has the complex variance 1/zeta, Re zeta > 0: for real zeta x = mean +
  /// zeta^(-1/2) S y, and the analytic continuation of that (docs/theory/ball.md, 3).
  TransformBall at(const Ball& t, const ComplexBall& zeta) const;
  /// Every block with amplitude has no phase, no constant and no trace: Phi_1 is 0 at every zeta.
  bool amplitude_is_odd() const;
  Ball amplitude_mean() const;
  Ball amplitude_variance() const;

 private:
  /// Coordinates that law and forms couple, in terms of the block's own y:
  /// phi = phase0 + phase1.y + y^T phase2 y/2, a = amplitude0 + amplitude1.y + y^T amplitude2 y.
  struct Block {
    std::uint32_t multiplicity = 1;
    std::size_t n = 0;
    Ball phase0, amplitude0;
    std::vector<Ball> phase1, amplitude1;
    std::vector<Ball> phase2, amplitude2;  ///< n x n, row by row
    bool has_phase = false;
  };
  struct Cumulants {
    ComplexBall free;  ///< Phi_0 of the block
    ComplexBall first, second;
  };
  struct Coupled;
  Block reduce(const Coupled& coupled) const;
  Cumulants cumulants(const Block& block, const Ball& t, const ComplexBall* zeta) const;
  TransformBall transform(const Ball& t, const ComplexBall* zeta) const;

  slong bits_;
  std::vector<Block> blocks_;
};

}  // namespace tapalab
