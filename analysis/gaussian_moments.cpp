#include <algorithm>
#include <map>

#include "analysis/gaussian_form.hpp"
#include "sim/mutants.hpp"

namespace tapalab {

GaussianMoments::GaussianMoments(const GaussianModel& model)
    : head_dim_(model.head_dim), mean_(model.mean), rows_(2 * std::size_t{model.head_dim}) {
  for (const CovarianceTerm& term : model.covariance) {
    rows_[term.row].emplace_back(term.col, term.value);
    if (term.row != term.col) rows_[term.col].emplace_back(term.row, term.value);
  }
  for (auto& row : rows_) {
    std::sort(row.begin(), row.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }
}

Wide GaussianMoments::covariance_at(std::uint32_t i, std::uint32_t j) const {
  const auto& row = rows_[i];
  const auto found = std::lower_bound(
      row.begin(), row.end(), j, [](const auto& entry, auto col) { return entry.first < col; });
  return found != row.end() && found->first == j ? found->second : Wide(0);
}

FormMoments GaussianMoments::of(const SparseForm& form) const {
  FormMoments result;
  Wide mean_scale = 0;
  Wide variance_scale = 0;
  std::map<std::uint32_t, Wide> gradient;                                     // 2 A mu + l
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, Wide>>> rows;  // A, half weights
  for (const BilinearTerm& term : form.bilinear) {
    const std::uint32_t q = term.query;
    const std::uint32_t k = head_dim_ + term.key;
    const Wide expectation = covariance_at(q, k) + mean_[q] * mean_[k];
    result.mean += term.weight * expectation;
    mean_scale += abs(term.weight * covariance_at(q, k)) + abs(term.weight * mean_[q] * mean_[k]);
    gradient[q] += term.weight * mean_[k];
    gradient[k] += term.weight * mean_[q];
    rows[q].emplace_back(k, term.weight / 2);
    rows[k].emplace_back(q, term.weight / 2);
  }
  for (const LinearTerm& term : form.linear) {
    result.mean += term.weight * mean_[term.coordinate];
    mean_scale += abs(term.weight * mean_[term.coordinate]);
    gradient[term.coordinate] += term.weight;
  }
  // 2 tr(A Sigma A Sigma) = 2 sum_ij P_ij P_ji with P = A Sigma, kept row by row.
  std::map<std::uint32_t, std::map<std::uint32_t, Wide>> product;
  for (const auto& [i, entries] : rows) {
    auto& target = product[i];
    for (const auto& [j, weight] : entries) {
      for (const auto& [col, value] : rows_[j]) target[col] += weight * value;
    }
  }
  for (const auto& [i, entries] : product) {
    for (const auto& [j, value] : entries) {
      const auto other_row = product.find(j);
      if (other_row == product.end()) continue;
      const auto other = other_row->second.find(i);
      if (other == other_row->second.end()) continue;
      const Wide term = mutated("moments-trace-factor", 2, 1) * value * other->second;
      result.variance += term;
      variance_scale += abs(term);
    }
  }
  for (const auto& [i, gi] : gradient) {
    for (const auto& [j, value] : rows_[i]) {
      const auto gj = gradient.find(j);
      if (gj == gradient.end()) continue;
      const Wide term = gi * value * gj->second;
      result.variance += term;
      variance_scale += abs(term);
    }
  }
  // Each sum has fewer than 2^30 terms of relative error below 8 units: 2^40 units is a bound.
  const Wide unit = ldexp(wide_epsilon(), 40);
  result.mean_error = mean_scale * unit;
  result.variance_error = variance_scale * unit;
  return result;
}

}  // namespace tapalab
