#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "analysis/gaussian_form.hpp"
#include "analysis/wide_eigen.hpp"
#include "sim/mutants.hpp"

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

/// Signs of the coordinates under which covariance, means and phase are even and the amplitude is
/// odd, if there are any: a colouring of the graph of non-zero entries in two colours.
bool has_odd_reflection(const LocalProblem& p) {
  const Eigen::Index n = p.mean.size();
  std::vector<int> sign(static_cast<std::size_t>(n), 0);
  const auto at = [&sign](Eigen::Index i) -> int& { return sign[static_cast<std::size_t>(i)]; };
  std::vector<Eigen::Index> waiting;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (p.amplitude_linear[i] != 0) return false;
    if (p.mean[i] == 0 && p.phase_linear[i] == 0) continue;
    at(i) = 1;
    waiting.push_back(i);
  }
  for (Eigen::Index start = 0; start <= n; ++start) {
    while (!waiting.empty()) {
      const Eigen::Index i = waiting.back();
      waiting.pop_back();
      for (Eigen::Index j = 0; j < n; ++j) {
        const bool even = p.covariance(i, j) != 0 || p.phase(i, j) != 0;
        const bool odd = p.amplitude(i, j) != 0;
        if (even && odd) return false;
        if (!even && !odd) continue;
        const int wanted = odd ? -at(i) : at(i);
        if (at(j) == -wanted) return false;
        if (at(j) != 0) continue;
        at(j) = wanted;
        waiting.push_back(j);
      }
    }
    if (start < n && at(start) == 0) {
      at(start) = 1;
      waiting.push_back(start);
    }
  }
  return true;
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

  // The same with moduli.
  const Matrix map_size = map.cwiseAbs();
  const Vector mean_size = p.mean.cwiseAbs();
  const Matrix amplitude_size = p.amplitude.cwiseAbs(), phase_size = p.phase.cwiseAbs();
  const Vector phase1_size =
      map_size.transpose() * (2 * (phase_size * mean_size) + p.phase_linear.cwiseAbs());
  const Vector amplitude1_size =
      map_size.transpose() * (2 * (amplitude_size * mean_size) + p.amplitude_linear.cwiseAbs());
  const Matrix amplitude2_size = map_size.transpose() * (amplitude_size * map_size);

  GaussianTransform::Block block;
  block.phase0_size =
      mean_size.dot(phase_size * mean_size) + p.phase_linear.cwiseAbs().dot(mean_size);
  block.amplitude0_size =
      mean_size.dot(amplitude_size * mean_size) + p.amplitude_linear.cwiseAbs().dot(mean_size);
  block.phase1_size.assign(phase1_size.data(), phase1_size.data() + n);
  block.amplitude1_size.assign(amplitude1_size.data(), amplitude1_size.data() + n);
  block.amplitude2_size.assign(amplitude2_size.data(), amplitude2_size.data() + n * n);
  block.odd_amplitude = has_odd_reflection(p);
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

/// |z| to within a factor of 1.42, from above, without a root.
Wide size_of(const WideComplex& z) { return abs(z.re) + abs(z.im); }

/// Value and rounding bound of one block's factor and cumulants of a under the tilted Gaussian.
struct BlockValue {
  WideComplex product{1, 0};  // of g = 1/(1 - 2 i t e): the square of one copy's factor
  std::vector<WideComplex> g;
  WideComplex exponent;  // of the exponential factor, one copy
  Wide log_error{0};     // absolute error of ln of the whole factor, one copy
  WideComplex mean, variance;
  Wide mean_error{0}, variance_error{0};
};

BlockValue evaluate(const GaussianTransform::Block& block, const Wide& t) {
  const std::size_t n = block.eigenvalue.size();
  BlockValue value;
  value.g.resize(n);
  std::vector<WideComplex>& g = value.g;
  std::vector<WideComplex> y(n);
  std::vector<Wide> g_size(n), y_size(n);
  Wide largest = 0;                                 // |g|
  Wide log_scale = abs(t) * block.phase0_size + n;  // terms of the logarithm
  value.exponent = {0, t * block.phase0};
  for (std::size_t j = 0; j < n; ++j) {
    const WideComplex pole{1, mutated("transform-pole", -2, -1) * t * block.eigenvalue[j]};
    g[j] = reciprocal(pole);
    const Wide first = t * block.phase1[j], first_size = abs(t) * block.phase1_size[j];
    y[j] = {-first * g[j].im, first * g[j].re};  // i t c g
    value.product = value.product * g[j];
    value.exponent = value.exponent - (first * first / mutated("transform-mean-half", 2, 1)) * g[j];
    g_size[j] = size_of(g[j]);
    y_size[j] = first_size * g_size[j];
    log_scale += first_size * y_size[j];
    largest = std::max(largest, g_size[j]);
  }
  // Eigenvalues and rotated vectors carry a relative error of n units of the largest, which moves
  // 1 - 2ite by 2 t n phase_norm units, relative to its modulus at most `largest` times that; the
  // rest is a few units an operation.
  const Wide size(static_cast<unsigned long long>(n + 1));
  const Wide unit = ldexp(wide_epsilon(), 10) * size * (1 + abs(t) * block.phase_norm * largest);
  value.log_error = unit * log_scale;

  Wide mean_scale = block.amplitude0_size;
  Wide variance_scale = 0;
  value.mean = {block.amplitude0, 0};
  for (std::size_t j = 0; j < n; ++j) {
    WideComplex gradient{block.amplitude1[j], 0};
    Wide gradient_scale = block.amplitude1_size[j];
    value.mean = value.mean + block.amplitude1[j] * y[j];
    mean_scale += block.amplitude1_size[j] * y_size[j];
    for (std::size_t k = 0; k < n; ++k) {
      const Wide& w = block.amplitude2[j * n + k];
      const Wide& w_size = block.amplitude2_size[j * n + k];
      if (w_size == 0) continue;
      const WideComplex wy = w * y[k];
      const Wide wy_size = w_size * y_size[k];
      value.mean = value.mean + wy * y[j];
      mean_scale += wy_size * y_size[j];
      gradient = gradient + Wide(2) * wy;
      gradient_scale += 2 * wy_size;
      value.variance = value.variance + (2 * w * w) * (g[j] * g[k]);
      variance_scale += 2 * w_size * w_size * g_size[j] * g_size[k];
    }
    value.mean = value.mean + block.amplitude2[j * n + j] * g[j];
    mean_scale += block.amplitude2_size[j * n + j] * g_size[j];
    value.variance = value.variance + gradient * gradient * g[j];
    variance_scale += gradient_scale * gradient_scale * g_size[j];
  }
  if (block.odd_amplitude) {
    value.mean = {};
    mean_scale = 0;
  }
  value.mean_error = unit * mean_scale;
  value.variance_error = unit * variance_scale;
  return value;
}

/// prod_j (1 - 2 i t e_j)^(-copies/2). Re g > 0: principal roots keep the branch, each alone or of
/// two at a time; two copies need none.
WideComplex factor_of(const BlockValue& value, std::uint64_t copies) {
  WideComplex factor = pow(value.product, copies / 2);
  if (copies % 2 == 0) return factor;
  for (std::size_t j = 0; j < value.g.size(); j += 2) {
    const bool pair = j + 1 < value.g.size();
    const WideComplex g = pair ? value.g[j] * value.g[j + 1] : value.g[j];
    if (g.re != 1 || g.im != 0) factor = factor * sqrt(g);
  }
  return factor;
}

/// An integer not below log2 of the modulus.
Wide log2_above(const WideComplex& z) {
  long long exponent = 0;
  frexp(size_of(z), &exponent);
  return Wide(exponent);
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

bool GaussianTransform::phase_vanishes() const {
  const auto zero = [](const Wide& x) { return x == 0; };
  return std::all_of(blocks_.begin(), blocks_.end(), [&](const Block& block) {
    return block.phase0 == 0 && std::all_of(block.phase1.begin(), block.phase1.end(), zero) &&
           std::all_of(block.eigenvalue.begin(), block.eigenvalue.end(), zero);
  });
}

bool GaussianTransform::deterministic() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](const Block& block) { return block.eigenvalue.empty(); });
}

Transform GaussianTransform::at(const Wide& t) const {
  static const Wide least_log2 = -ldexp(Wide(1), 58);
  static const Wide log2_of_e = 1 / log(Wide(2));
  std::vector<BlockValue> values;
  WideComplex exponent, mean, variance;
  Wide log2_bound = 0, log_error = 0, mean_error = 0, variance_error = 0;
  for (const Block& block : blocks_) {
    const BlockValue& value = values.emplace_back(evaluate(block, t));
    const Wide copies(block.multiplicity);
    log2_bound += copies * log2_above(value.product) / 2;
    exponent = exponent + copies * value.exponent;
    mean = mean + copies * value.mean;
    variance = variance + copies * value.variance;
    log_error += copies * value.log_error;
    mean_error += copies * value.mean_error;
    variance_error += copies * value.variance_error;
  }
  log2_bound += (exponent.re + log_error) * log2_of_e;
  const WideComplex second = mean * mean + variance;
  const Wide second_error = (2 * size_of(mean) + mean_error) * mean_error + variance_error;

  Transform result;
  if (log2_bound < least_log2) {
    result.underflow = true;
    const Wide bound = ldexp(Wide(1), -(1LL << 58));
    const Wide first_bound = bound * (size_of(mean) + mean_error);
    const Wide second_bound = bound * (size_of(second) + second_error);
    result.phi0 = {bound, 0};
    result.phi1 = {first_bound, 0};
    result.phi2 = {second_bound, 0};
    result.error0 = 2 * bound;
    result.error1 = 2 * first_bound;
    result.error2 = 2 * second_bound;
    return result;
  }
  if (log_error > Wide(0.5)) {
    result.error0 = 1;
    if (size_of(mean) + mean_error > 0) result.error1 = ldexp(Wide(1), 1LL << 58);
    result.error2 = ldexp(Wide(1), 1LL << 58);
    return result;
  }
  if (exponent.re != 0 || exponent.im != 0) {
    result.phi0 = exp(exponent);
  } else {
    result.phi0 = {1, 0};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.phi0 = result.phi0 * factor_of(values[i], blocks_[i].multiplicity);
  }
  result.phi1 = result.phi0 * mean;
  result.phi2 = result.phi0 * second;
  const Wide size = size_of(result.phi0);
  const Wide growth = 2 * log_error;  // |e^z - 1| <= 2 |z| for |z| <= 1
  result.error0 = size * growth;
  result.error1 = size * (growth * (size_of(mean) + mean_error) + mean_error);
  result.error2 = size * (growth * (size_of(second) + second_error) + second_error);
  return result;
}

}  // namespace tapalab
