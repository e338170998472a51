#include "analysis/asymptote_gaussian.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>

#include "sim/numbers/two_pi.hpp"

namespace tapalab {
namespace {

using Complex = std::complex<double>;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// ---- one pair -------------------------------------------------------------------------------

struct PairTerms {
  Complex delta, delta_slope;  ///< Delta and tau dDelta/dtau
  Complex power, power_slope;  ///< P = i tau uv + tau^2 (r uv - (u^2+v^2)/2) and tau dP/dtau
};

PairTerms terms(const GaussianPair& pair, double tau) {
  const double quadratic = pair.r * pair.u * pair.v - (pair.u * pair.u + pair.v * pair.v) / 2;
  const double one_minus_r2 = (1 - pair.r) * (1 + pair.r);
  PairTerms t;
  t.delta = {1 + tau * tau * one_minus_r2, -2 * tau * pair.r};
  t.delta_slope = {2 * tau * tau * one_minus_r2, -2 * tau * pair.r};
  t.power = {tau * tau * quadratic, tau * pair.u * pair.v};
  t.power_slope = {2 * tau * tau * quadratic, tau * pair.u * pair.v};
  return t;
}

// ---- quadratic scores -----------------------------------------------------------------------

/// In y ~ N(0, I): phi = const + b.y + sum lambda_j y_j^2, a = a0 + g.y + y^T A y.
struct Diagonal {
  Eigen::VectorXd lambda, b, g;
  Eigen::MatrixXd A;
  double a0 = 0;
};

enum class Zero { yes, no, unclear };
Zero is_zero(double value, double scale, double n) {
  const double size = std::abs(value);
  if (size <= 16 * n * kEpsilon * scale) return Zero::yes;
  return size >= 1e-9 * scale ? Zero::no : Zero::unclear;
}

void clear_zeros(Eigen::VectorXd& values, double n) {
  const double scale = values.cwiseAbs().maxCoeff();
  for (double& value : values) {
    if (is_zero(value, scale, n) == Zero::yes) value = 0;
  }
}

Diagonal diagonalise(const PhaseScore& score, const GaussianModel& density) {
  const Eigen::Index D = score.head_dim;
  const Eigen::Index n = 2 * D;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), B = A, sigma = A;
  Eigen::VectorXd linear = Eigen::VectorXd::Zero(n), mean(n);
  const auto add = [D](Eigen::MatrixXd& form, const BilinearTerm& term) {
    const double half = static_cast<double>(term.weight) / 2;
    form(term.query, D + term.key) += half;
    form(D + term.key, term.query) += half;
  };
  for (const BilinearTerm& term : score.amplitude) add(A, term);
  for (const BilinearTerm& term : score.phase_bilinear) add(B, term);
  for (const LinearTerm& term : score.phase_linear) {
    linear(term.coordinate) += static_cast<double>(term.weight);
  }
  for (const CovarianceTerm& term : density.covariance) {
    sigma(term.row, term.col) = sigma(term.col, term.row) = static_cast<double>(term.value);
  }
  for (Eigen::Index i = 0; i < n; ++i) mean(i) = static_cast<double>(density.mean[i]);

  // x = mean + L z with L L^T = Sigma also where Sigma is singular.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> root(sigma);
  const double floor = kEpsilon * static_cast<double>(n) * root.eigenvalues().cwiseAbs().maxCoeff();
  const Eigen::VectorXd scale = root.eigenvalues().unaryExpr(
      [floor](double value) { return value > floor ? std::sqrt(value) : 0.0; });
  const Eigen::MatrixXd L = root.eigenvectors() * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> phase(L.transpose() * B * L);
  const Eigen::MatrixXd V = L * phase.eigenvectors();
  Diagonal d;
  d.lambda = phase.eigenvalues();
  d.b = V.transpose() * (2 * (B * mean) + linear);
  d.A = V.transpose() * A * V;
  d.g = 2 * (V.transpose() * (A * mean));
  d.a0 = mean.dot(A * mean);
  // Rounding leaves 1e-17 where a singular phase has 0; at t = 1e17 that would count.
  clear_zeros(d.lambda, static_cast<double>(n));
  clear_zeros(d.b, static_cast<double>(n));
  return d;
}

/// The amplitude's mean under the tilted law, its derivative by ln t, and the sizes of their terms.
struct Tilted {
  Complex amplitude, amplitude_slope;
  double amplitude_size = 0, slope_size = 0;
  double log_modulus = 0, log_slope = 0;  ///< ln|Z| and its derivative by ln t
};

Tilted tilt(const Diagonal& d, double t) {
  const Eigen::Index n = d.lambda.size();
  const Complex it(0, t);
  Eigen::VectorXcd y(n), y_slope(n), c(n), c_slope(n);
  Tilted out;
  for (Eigen::Index j = 0; j < n; ++j) {
    // Precision of y_j under the tilt: p = 1 - 2 i t lambda_j, so dp/dln t = p - 1.
    const Complex p = 1.0 - 2.0 * it * d.lambda(j);
    c(j) = 1.0 / p;
    c_slope(j) = -(p - 1.0) / (p * p);
    y(j) = it * d.b(j) / p;
    y_slope(j) = it * d.b(j) / (p * p);
    // ln|Z| = -sum_j [ln(w)/4 + t^2 b^2/(2 w)], w = |p|^2 = 1 + q^2, q = 2 t lambda; no term of it
    // or of its derivative (F2) cancels another.
    const double q = 2 * t * d.lambda(j), w = 1 + q * q, tb = t * d.b(j);
    out.log_modulus -= std::log1p(q * q) / 4 + tb * tb / (2 * w);
    out.log_slope -= q * q / (2 * w) + (tb / w) * (tb / w);
  }
  const Eigen::VectorXcd Ay = d.A * y;
  const Complex product = (y.transpose() * Ay)(0);
  const Complex product_slope = 2.0 * (y_slope.transpose() * Ay)(0);
  const Eigen::VectorXd diagonal = d.A.diagonal();
  out.amplitude = d.a0 + (d.g.transpose() * y)(0) + product + (diagonal.transpose() * c)(0);
  out.amplitude_slope =
      (d.g.transpose() * y_slope)(0) + product_slope + (diagonal.transpose() * c_slope)(0);
  const Eigen::VectorXd size_y = y.cwiseAbs(), size_slope = y_slope.cwiseAbs();
  const Eigen::MatrixXd size_A = d.A.cwiseAbs();
  out.amplitude_size = std::abs(d.a0) + d.g.cwiseAbs().dot(size_y) + size_y.dot(size_A * size_y) +
                       diagonal.cwiseAbs().dot(c.cwiseAbs());
  out.slope_size = d.g.cwiseAbs().dot(size_slope) + 2 * size_slope.dot(size_A * size_y) +
                   diagonal.cwiseAbs().dot(c_slope.cwiseAbs());
  return out;
}

/// Relative rounding error of a sum of n terms, the eigenvectors' included.
double unit(const Diagonal& d, double t) {
  const double n = static_cast<double>(d.lambda.size());
  return 4 * kEpsilon * n * (1 + std::log1p(t * d.lambda.cwiseAbs().maxCoeff()));
}

/// The limit t -> infinity (theory/fits.md, 4).
Asymptote limit_of(const Diagonal& d) {
  const Eigen::Index n = d.lambda.size();
  const double count = static_cast<double>(n);
  const double lambda_size = d.lambda.cwiseAbs().maxCoeff();
  const double b_size = d.b.cwiseAbs().maxCoeff();
  int rank = 0;
  double limit = d.a0, limit_size = std::abs(d.a0);
  double next = 0, next_size = 0;
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n), beta = y;
  for (Eigen::Index j = 0; j < n; ++j) {
    const Zero zero = lambda_size == 0 ? Zero::yes : is_zero(d.lambda(j), lambda_size, count);
    if (zero == Zero::unclear) {
      return not_predicted("the rank of the phase cannot be told in double precision");
    }
    if (zero == Zero::yes) {
      const Zero tilt = b_size == 0 ? Zero::yes : is_zero(d.b(j), b_size, count);
      if (tilt == Zero::unclear) {
        return not_predicted(
            "whether the phase has a linear part cannot be told in double "
            "precision");
      }
      if (tilt == Zero::no) {
        return {
            AsymptoteKind::faster_than_power, std::nullopt, std::nullopt,
            "the phase has a linear part along a direction without curvature: the envelope falls "
            "like a Gaussian in s"};
      }
      limit += d.A(j, j);
      limit_size += std::abs(d.A(j, j));
      continue;
    }
    ++rank;
    y(j) = -d.b(j) / (2 * d.lambda(j));
    beta(j) = d.b(j) / (4 * d.lambda(j) * d.lambda(j));
    next += d.A(j, j) / (2 * d.lambda(j));
    next_size += std::abs(d.A(j, j) / (2 * d.lambda(j)));
  }
  const Eigen::MatrixXd size_A = d.A.cwiseAbs();
  const Eigen::VectorXd size_y = y.cwiseAbs();
  limit += d.g.dot(y) + y.dot(d.A * y);
  limit_size += d.g.cwiseAbs().dot(size_y) + size_y.dot(size_A * size_y);
  next += d.g.dot(beta) + 2 * y.dot(d.A * beta);
  next_size += d.g.cwiseAbs().dot(beta.cwiseAbs()) + 2 * size_y.dot(size_A * beta.cwiseAbs());
  // A zero limit is told against the sizes of its own terms; with none of them it is exact.
  const Zero vanishes = limit_size == 0 ? Zero::yes : is_zero(limit, limit_size, count * count);
  if (vanishes == Zero::no) {
    return {AsymptoteKind::power, -rank / 2.0, std::nullopt,
            fmt::format("the phase has rank {} (N has {}) and the amplitude does not vanish where "
                        "the phase is critical: the envelope falls like s^-{:g}",
                        rank, rank / 2.0, rank / 2.0)};
  }
  if (vanishes == Zero::unclear || next_size == 0 ||
      is_zero(next, next_size, count * count) != Zero::no) {
    return not_predicted(
        "the leading coefficients at the critical point vanish or cannot be told "
        "from "
        "zero in double precision");
  }
  return {
      AsymptoteKind::power, -rank / 2.0 - 1, std::nullopt,
      fmt::format("the phase has rank {} (N has {:g}) and the amplitude vanishes where the phase "
                  "is critical: the next term is imaginary, and the envelope falls like s^-{:g}; "
                  "for zero means the mean itself falls like s^-{:g}",
                  rank, rank / 2.0, rank / 2.0 + 1, rank / 2.0 + 2)};
}

}  // namespace

Rounded GaussianPair::log_modulus(double tau) const {
  const PairTerms t = terms(*this, tau);
  const double first = -0.5 * std::log(std::abs(t.delta));
  const double second = (t.power / t.delta).real();
  return {first + second,
          8 * kEpsilon * (0.5 + std::abs(first) + std::abs(t.power) / std::abs(t.delta))};
}

Rounded GaussianPair::exponent(double tau) const {
  const PairTerms t = terms(*this, tau);
  const Complex first = -0.5 * t.delta_slope / t.delta;
  const Complex second = t.power_slope / t.delta;
  const Complex third = -t.power * t.delta_slope / (t.delta * t.delta);
  return {(first + second + third).real(),
          16 * kEpsilon * (std::abs(first) + std::abs(second) + std::abs(third))};
}

void fill_quadratic_decay(DecayLaw& law, const PhaseScore& score, const GaussianModel& density) {
  const auto diagonal = std::make_shared<const Diagonal>(diagonalise(score, density));
  law.log_envelope = [diagonal](double s) {
    const double t = kTwoPi * s;
    const Tilted tilted = tilt(*diagonal, t);
    const double size = std::abs(tilted.amplitude);
    return Rounded{
        tilted.log_modulus + std::log(size),
        unit(*diagonal, t) * (1 + std::abs(tilted.log_modulus) + tilted.amplitude_size / size)};
  };
  law.exponent_in_scale = [diagonal](double s) {
    const double t = kTwoPi * s;
    const Tilted tilted = tilt(*diagonal, t);
    const double size = std::abs(tilted.amplitude);
    const Complex ratio = tilted.amplitude_slope / tilted.amplitude;
    return Rounded{tilted.log_slope + ratio.real(),
                   unit(*diagonal, t) * (1 + std::abs(tilted.log_slope) + tilted.slope_size / size +
                                         std::abs(ratio) * tilted.amplitude_size / size)};
  };
  law.asymptote = limit_of(*diagonal);
}

}  // namespace tapalab
