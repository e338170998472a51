#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "analysis/gaussian_form.hpp"
#include "analysis/wide_eigen.hpp"

namespace tapalab {
namespace {

using Matrix = Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Wide, Eigen::Dynamic, 1>;

/// Disjoint sets of coordinates that something couples.
class Components {
 public:
  explicit Components(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    i = find(i);
    j = find(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// One block before any decomposition, in local coordinates.
struct LocalProblem {
  Vector mean;
  Matrix covariance;
  Matrix amplitude, phase;  // symmetric
  Vector amplitude_linear, phase_linear;
};

/// All numbers of a block: equal lists are equal blocks.
std::vector<Wide> fingerprint(const LocalProblem& p) {
  std::vector<Wide> key;
  const auto append = [&key](const auto& values) {
    key.insert(key.end(), values.data(), values.data() + values.size());
  };
  append(p.mean);
  append(p.covariance);
  append(p.amplitude);
  append(p.phase);
  append(p.amplitude_linear);
  append(p.phase_linear);
  return key;
}

/// S with S S^T = covariance: pivoted Cholesky of the correlations, so that scales of any ratio
/// keep their rank; columns of pivots that are zero to rounding are dropped.
Matrix covariance_root(Matrix c) {
  const Eigen::Index n = c.rows();
  Vector deviation(n);
  for (Eigen::Index i = 0; i < n; ++i) deviation[i] = sqrt(c(i, i));
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      if (c(i, j) != 0) c(i, j) /= deviation[i] * deviation[j];
    }
  }
  const Wide negligible = ldexp(wide_epsilon(), 20) * n;
  Matrix root(n, n);
  Eigen::Index rank = 0;
  for (; rank < n; ++rank) {
    Eigen::Index pivot = 0;
    for (Eigen::Index i = 1; i < n; ++i) {
      if (c(i, i) > c(pivot, pivot)) pivot = i;
    }
    if (c(pivot, pivot) <= negligible) break;
    const Wide diagonal = sqrt(c(pivot, pivot));
    for (Eigen::Index i = 0; i < n; ++i) root(i, rank) = c(i, pivot) / diagonal;
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) c(i, j) -= root(i, rank) * root(j, rank);
    }
    for (Eigen::Index i = 0; i < n; ++i) c(i, pivot) = c(pivot, i) = 0;
  }
  for (Eigen::Index i = 0; i < n; ++i) root.row(i) *= deviation[i];
  return root.leftCols(rank);
}

GaussianTransform::Block diagonalise(const LocalProblem& p) {
  const Matrix root = covariance_root(p.covariance);
  const Eigen::Index n = root.cols();
  Matrix basis = Matrix::Identity(n, n);
  Vector eigenvalues = Vector::Zero(n);
  const Matrix kernel = root.transpose() * p.phase * root;
  bool zero = true;
  for (Eigen::Index i = 0; i < kernel.size(); ++i) zero = zero && kernel.data()[i] == 0;
  if (!zero) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(kernel);
    if (solver.info() != Eigen::Success) {
      throw std::runtime_error("eigenvalues of the phase did not converge");
    }
    basis = solver.eigenvectors();
    eigenvalues = solver.eigenvalues();
  }
  const Matrix map = root * basis;  // x = mean + map y
  const Vector phase1 = map.transpose() * (2 * (p.phase * p.mean) + p.phase_linear);
  const Vector amplitude1 = map.transpose() * (2 * (p.amplitude * p.mean) + p.amplitude_linear);
  const Matrix amplitude2 = map.transpose() * (p.amplitude * map);

  GaussianTransform::Block block;
  block.phase0 = p.mean.dot(p.phase * p.mean) + p.phase_linear.dot(p.mean);
  block.amplitude0 = p.mean.dot(p.amplitude * p.mean) + p.amplitude_linear.dot(p.mean);
  block.phase1.assign(phase1.data(), phase1.data() + n);
  block.eigenvalue.assign(eigenvalues.data(), eigenvalues.data() + n);
  block.amplitude1.assign(amplitude1.data(), amplitude1.data() + n);
  block.amplitude2.assign(amplitude2.data(), amplitude2.data() + n * n);  // symmetric
  for (const Wide& e : block.eigenvalue)
    block.phase_norm = std::max(block.phase_norm, Wide(abs(e)));
  return block;
}

/// Value and rounding bound of one block's factor and cumulants of a under the tilted Gaussian.
struct BlockValue {
  WideComplex factor{1, 0};  // product of (1 - 2 i t e)^(-1/2), one copy
  WideComplex exponent;      // of the exponential factor, one copy
  Wide log_error{0};         // absolute error of ln of the whole factor, one copy
  WideComplex mean, variance;
  Wide mean_error{0}, variance_error{0};
};

BlockValue evaluate(const GaussianTransform::Block& block, const Wide& t) {
  const std::size_t n = block.eigenvalue.size();
  BlockValue value;
  std::vector<WideComplex> g(n), y(n);
  Wide log_scale = abs(t * block.phase0);
  value.exponent = {0, t * block.phase0};
  for (std::size_t j = 0; j < n; ++j) {
    const WideComplex pole{1, -2 * t * block.eigenvalue[j]};
    g[j] = reciprocal(pole);
    y[j] = (t * block.phase1[j]) * (WideComplex{0, 1} * g[j]);
    value.factor = value.factor * sqrt(g[j]);  // Re g > 0: the principal root keeps the branch
    const Wide half = t * t * block.phase1[j] * block.phase1[j] / 2;
    value.exponent = value.exponent - half * g[j];
    log_scale += half * abs(g[j]) + 1;
  }
  // Eigenvalues and rotated vectors carry a relative error of n units of the largest: it moves each
  // pole by up to 2 t n phase_norm units, the rest is a few units an operation.
  const Wide size(static_cast<unsigned long long>(n + 1));
  const Wide unit = ldexp(wide_epsilon(), 10) * size * (1 + abs(t) * block.phase_norm);
  value.log_error = unit * (log_scale + size);

  Wide mean_scale = abs(block.amplitude0);
  Wide variance_scale = 0;
  value.mean = {block.amplitude0, 0};
  for (std::size_t j = 0; j < n; ++j) {
    WideComplex gradient{block.amplitude1[j], 0};
    Wide gradient_scale = abs(block.amplitude1[j]);
    value.mean = value.mean + block.amplitude1[j] * y[j];
    mean_scale += abs(block.amplitude1[j]) * abs(y[j]);
    for (std::size_t k = 0; k < n; ++k) {
      const Wide& w = block.amplitude2[j * n + k];
      const WideComplex wy = w * y[k];
      value.mean = value.mean + wy * y[j];
      mean_scale += abs(wy) * abs(y[j]);
      gradient = gradient + Wide(2) * wy;
      gradient_scale += 2 * abs(wy);
      const WideComplex pair = (2 * w * w) * (g[j] * g[k]);
      value.variance = value.variance + pair;
      variance_scale += abs(pair);
    }
    const Wide& diagonal = block.amplitude2[j * n + j];
    value.mean = value.mean + diagonal * g[j];
    mean_scale += abs(diagonal) * abs(g[j]);
    value.variance = value.variance + gradient * gradient * g[j];
    variance_scale += gradient_scale * gradient_scale * abs(g[j]);
  }
  value.mean_error = unit * mean_scale;
  value.variance_error = unit * variance_scale;
  return value;
}

}  // namespace

GaussianTransform::GaussianTransform(const GaussianModel& model, const SparseForm& amplitude,
                                     const SparseForm& phase) {
  const std::size_t size = 2 * std::size_t{model.head_dim};
  Components components(size);
  std::vector<bool> used(size, false);
  for (const SparseForm* form : {&amplitude, &phase}) {
    for (const BilinearTerm& term : form->bilinear) {
      components.join(term.query, model.head_dim + term.key);
      used[term.query] = used[model.head_dim + term.key] = true;
    }
    for (const LinearTerm& term : form->linear) used[term.coordinate] = true;
  }
  for (const CovarianceTerm& term : model.covariance) {
    if (term.row != term.col && term.value != 0) components.join(term.row, term.col);
  }

  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < size; ++i) members[components.find(i)].push_back(i);

  std::vector<std::size_t> local(size);
  std::vector<LocalProblem> problems;
  std::vector<std::size_t> problem_of(size);
  for (const auto& [root, coordinates] : members) {
    const auto n = static_cast<Eigen::Index>(coordinates.size());
    LocalProblem p;
    p.mean = Vector::Zero(n);
    p.covariance = p.amplitude = p.phase = Matrix::Zero(n, n);
    p.amplitude_linear = p.phase_linear = Vector::Zero(n);
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      local[coordinates[i]] = i;
      problem_of[coordinates[i]] = problems.size();
      p.mean[static_cast<Eigen::Index>(i)] = model.mean[coordinates[i]];
    }
    problems.push_back(std::move(p));
  }
  const auto at = [&local](std::size_t i) { return static_cast<Eigen::Index>(local[i]); };
  for (const CovarianceTerm& term : model.covariance) {
    if (term.value == 0) continue;
    Matrix& c = problems[problem_of[term.row]].covariance;
    c(at(term.row), at(term.col)) = c(at(term.col), at(term.row)) = term.value;
  }
  const auto add_form = [&](const SparseForm& form, Matrix LocalProblem::*quadratic,
                            Vector LocalProblem::*linear) {
    for (const BilinearTerm& term : form.bilinear) {
      const std::size_t q = term.query;
      const std::size_t k = model.head_dim + term.key;
      Matrix& target = problems[problem_of[q]].*quadratic;
      target(at(q), at(k)) += term.weight / 2;
      target(at(k), at(q)) += term.weight / 2;
    }
    for (const LinearTerm& term : form.linear) {
      (problems[problem_of[term.coordinate]].*linear)[at(term.coordinate)] += term.weight;
    }
  };
  add_form(amplitude, &LocalProblem::amplitude, &LocalProblem::amplitude_linear);
  add_form(phase, &LocalProblem::phase, &LocalProblem::phase_linear);

  std::map<std::vector<Wide>, std::size_t> known;
  for (const auto& [root, coordinates] : members) {
    const bool matters = std::any_of(coordinates.begin(), coordinates.end(),
                                     [&used](std::size_t i) { return used[i]; });
    if (!matters) continue;  // integrates to one
    const LocalProblem& p = problems[problem_of[root]];
    const auto [entry, is_new] = known.try_emplace(fingerprint(p), blocks_.size());
    if (is_new) {
      blocks_.push_back(diagonalise(p));
    } else {
      ++blocks_[entry->second].multiplicity;
    }
  }
}

Transform GaussianTransform::at(const Wide& t) const {
  WideComplex factor{1, 0};
  WideComplex exponent, mean, variance;
  Wide log_error = 0, mean_error = 0, variance_error = 0;
  for (const Block& block : blocks_) {
    const BlockValue value = evaluate(block, t);
    const Wide copies(block.multiplicity);
    factor = factor * pow(value.factor, block.multiplicity);
    exponent = exponent + copies * value.exponent;
    mean = mean + copies * value.mean;
    variance = variance + copies * value.variance;
    log_error += copies * value.log_error;
    mean_error += copies * value.mean_error;
    variance_error += copies * value.variance_error;
  }
  Transform result;
  // The exponential is at least as small as e^Re(exponent); below 2^-(2^59) Wide may end.
  const Wide smallest = ldexp(Wide(-1), 59);
  if (exponent.re < smallest * Wide(0.69)) {
    result.underflow = true;
    result.error0 = ldexp(Wide(1), -(1LL << 59));
    const Wide amplitude = abs(mean) + mean_error;
    result.error1 = result.error0 * amplitude;
    result.error2 = result.error0 * (amplitude * amplitude + abs(variance) + variance_error);
    return result;
  }
  result.phi0 = factor * exp(exponent);
  result.phi1 = result.phi0 * mean;
  const WideComplex second = mean * mean + variance;
  result.phi2 = result.phi0 * second;
  const Wide size = abs(result.phi0);
  const Wide growth = 2 * log_error;  // |e^z - 1| <= 2 |z| for |z| <= 1
  const Wide second_error = (2 * abs(mean) + mean_error) * mean_error + variance_error;
  result.error0 = size * growth;
  result.error1 = size * (growth * (abs(mean) + mean_error) + mean_error);
  result.error2 = size * (growth * (abs(second) + second_error) + second_error);
  return result;
}

}  // namespace tapalab
