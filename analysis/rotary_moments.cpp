#include "analysis/rotary_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tapalab {
namespace {

/// weight x_first x_second, a term of the form `base`.
struct Term {
  std::uint32_t base, first, second;
  Wide weight;
};

/// Fewer than 2^30 terms of relative error below 8 units: 2^40 units is a bound.
const Wide& sum_unit() {
  static const Wide unit = ldexp(wide_epsilon(), 40);
  return unit;
}

class Covariances {
 public:
  explicit Covariances(const GaussianModel& model) : rows_(2 * std::size_t{model.head_dim}) {
    for (const CovarianceTerm& term : model.covariance) {
      if (term.value == 0) continue;
      rows_[term.row].emplace_back(term.col, term.value);
      if (term.row != term.col) rows_[term.col].emplace_back(term.row, term.value);
    }
    for (auto& row : rows_) {
      std::sort(row.begin(), row.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    }
  }

  const std::vector<std::pair<std::uint32_t, Wide>>& row(std::uint32_t i) const { return rows_[i]; }

  const Wide& operator()(std::uint32_t i, std::uint32_t j) const {
    static const Wide zero(0);
    const auto& row = rows_[i];
    const auto found = std::lower_bound(
        row.begin(), row.end(), j, [](const auto& entry, auto col) { return entry.first < col; });
    return found != row.end() && found->first == j ? found->second : zero;
  }

 private:
  std::vector<std::vector<std::pair<std::uint32_t, Wide>>> rows_;
};

std::vector<Term> terms_of(const RotaryScore& score) {
  std::vector<Term> terms;
  const std::uint32_t dim = score.head_dim;
  for (const std::uint32_t i : score.plain) terms.push_back({0, i, dim + i, score.scale});
  for (std::uint32_t d = 0; d < score.pairs.size(); ++d) {
    const std::uint32_t a = score.pairs[d].first, b = score.pairs[d].second;
    const Wide weight = score.scale * score.pairs[d].weight;
    terms.push_back({1 + 2 * d, a, dim + a, weight});  // A_d
    terms.push_back({1 + 2 * d, b, dim + b, weight});
    terms.push_back({2 + 2 * d, a, dim + b, weight});  // B_d
    terms.push_back({2 + 2 * d, b, dim + a, -weight});
  }
  return terms;
}

/// Cov(X Y, Z W) of jointly Gaussian variables (Isserlis), added to `value`, its terms' moduli to
/// `size`.
void add_covariance(const Covariances& c, const std::vector<Wide>& mean, const Term& s,
                    const Term& t, Wide& value, Wide& size) {
  const Wide &xz = c(s.first, t.first), &xw = c(s.first, t.second);
  const Wide &yz = c(s.second, t.first), &yw = c(s.second, t.second);
  const Wide &x = mean[s.first], &y = mean[s.second], &z = mean[t.first], &w = mean[t.second];
  const Wide weight = s.weight * t.weight, modulus = abs(weight);
  const auto add = [&](const Wide& a, const Wide& b) {
    if (a == 0 || b == 0) return;
    const Wide product = a * b;
    value += weight * product;
    size += modulus * abs(product);
  };
  add(xz, yw);
  add(xw, yz);
  if (yw != 0) add(Wide(x * z), yw);
  if (yz != 0) add(Wide(x * w), yz);
  if (xw != 0) add(Wide(y * z), xw);
  if (xz != 0) add(Wide(y * w), xz);
}

bool fits_long_double(const Wide& x) {
  long long exponent = 0;
  if (x != 0) frexp(x, &exponent);
  return std::llabs(exponent) < std::numeric_limits<long double>::max_exponent / 4;
}

}  // namespace

RotaryMoments::RotaryMoments(const RotaryScore& score, const GaussianModel& model) {
  const Covariances covariance(model);
  const std::vector<Term> terms = terms_of(score);
  const std::size_t bases = 1 + 2 * score.pairs.size();
  means_.assign(bases, Wide(0));
  mean_sizes_.assign(bases, Wide(0));
  std::vector<std::vector<std::uint32_t>> holders(2 * std::size_t{score.head_dim});
  for (std::uint32_t i = 0; i < terms.size(); ++i) {
    const Term& t = terms[i];
    const Wide& joint = covariance(t.first, t.second);
    const Wide product = model.mean[t.first] * model.mean[t.second];
    means_[t.base] += t.weight * (joint + product);
    mean_sizes_[t.base] += abs(t.weight) * (abs(joint) + abs(product));
    holders[t.first].push_back(i);
    holders[t.second].push_back(i);
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<Wide, Wide>> sums;
  std::vector<std::uint32_t> partners;
  for (std::uint32_t i = 0; i < terms.size(); ++i) {
    // Only terms with a coordinate that covaries with one of these two.
    partners.clear();
    for (const std::uint32_t coordinate : {terms[i].first, terms[i].second}) {
      for (const auto& [other, value] : covariance.row(coordinate)) {
        partners.insert(partners.end(), holders[other].begin(), holders[other].end());
      }
    }
    std::sort(partners.begin(), partners.end());
    partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
    for (const std::uint32_t j : partners) {
      if (terms[j].base < terms[i].base) continue;  // the other triangle, by symmetry
      auto& [value, size] = sums[{terms[i].base, terms[j].base}];
      add_covariance(covariance, model.mean, terms[i], terms[j], value, size);
    }
  }
  bool fits = true;
  for (const auto& [place, sum] : sums) {
    const auto& [value, size] = sum;
    if (size == 0) continue;
    const int factor = place.first == place.second ? 1 : 2;
    fits = fits && fits_long_double(size);
    covariances_.push_back({place.first, place.second, factor * value, factor * size,
                            static_cast<long double>(Wide(factor * value))});
    variance_size_ += factor * size;
  }

  for (const RotaryPair& pair : score.pairs) {
    pairs_.push_back(pair);
    pairs_.back().weight = 1;  // in the terms
    decays_ = decays_ || pair.decay != 0;
    Wide rest = pair.frequency_turns - floor(pair.frequency_turns);
    Fraction fraction = 0;
    for (int word = 0; word < 2; ++word) {
      rest = ldexp(rest, 64);
      const auto high = static_cast<std::uint64_t>(Wide(floor(rest)));
      fraction = fraction << 64 | high;
      rest -= Wide(high);
    }
    fractions_.push_back(fraction);
  }
  for (std::size_t b = 0; b < bases; ++b) {
    fits = fits && fits_long_double(mean_sizes_[b]);
    quick_means_.push_back(static_cast<long double>(means_[b]));
  }
  set_envelope();
  quick_allowed_ = fits && !decays_;
}

void RotaryMoments::set_envelope() {
  mean_size_ = 0;
  for (const Wide& size : mean_sizes_) mean_size_ += size;
  envelope_.value = abs(means_[0]);
  for (std::size_t d = 0; d < pairs_.size(); ++d) {
    const Wide &mu = means_[1 + 2 * d], &nu = means_[2 + 2 * d];
    envelope_.value += sqrt(mu * mu + nu * nu);
  }
  envelope_.error = sum_unit() * mean_size_;
}

Estimate RotaryMoments::envelope(std::uint64_t distance) const {
  if (!decays_) return envelope_;
  Estimate envelope{abs(means_[0]), mean_sizes_[0]};
  for (std::size_t d = 0; d < pairs_.size(); ++d) {
    const Wide &mu = means_[1 + 2 * d], &nu = means_[2 + 2 * d];
    const Wide weight = pairs_[d].weight_at(distance);
    envelope.value += weight * sqrt(mu * mu + nu * nu);
    envelope.error += weight * (mean_sizes_[1 + 2 * d] + mean_sizes_[2 + 2 * d]);
  }
  envelope.error *= sum_unit();
  return envelope;
}

RotaryMoments::Envelope::Envelope(const std::vector<Weighted>& parts)
    : mean_(parts.front().moments) {
  if (parts.size() == 1) return;
  for (std::size_t b = 0; b < mean_.means_.size(); ++b) {
    mean_.means_[b] = mean_.mean_sizes_[b] = 0;
    for (const Weighted& part : parts) {
      mean_.means_[b] += part.weight * part.moments.means_[b];
      mean_.mean_sizes_[b] += part.weight * part.moments.mean_sizes_[b];
    }
  }
  mean_.set_envelope();
}

RotaryMoments::Values RotaryMoments::at(std::uint64_t distance) const {
  static const Wide enough("1e-14");
  if (quick_allowed_ && distance > 0 && !pairs_.empty()) {
    const Values values = quick(distance);
    if (values.mean.error <= enough * envelope_.value &&
        values.variance.error <= enough * values.variance.value) {
      return values;
    }
  }
  return wide(distance);
}

RotaryMoments::Values RotaryMoments::quick(std::uint64_t distance) const {
  constexpr long double unit = std::numeric_limits<long double>::epsilon();
  static const long double two_pi = static_cast<long double>(wide_two_pi());
  thread_local std::vector<long double> v;
  v.assign(means_.size(), 1.0L);
  for (std::size_t d = 0; d < fractions_.size(); ++d) {
    // The product wraps around at whole turns; its high word is the fraction, to 2^-64 turns.
    const auto turns =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(fractions_[d] * distance >> 64));
    const long double angle = two_pi * std::ldexp(static_cast<long double>(turns), -64);
    v[1 + 2 * d] = std::cos(angle);
    v[2 + 2 * d] = std::sin(angle);
  }
  long double mean = 0, variance = 0;
  for (std::size_t b = 0; b < v.size(); ++b) mean += quick_means_[b] * v[b];
  for (const Covariance& c : covariances_) variance += c.quick * v[c.first] * v[c.second];
  // Angles to 2^-61 and pi to half a unit, cosines to one; a sum of n terms to n units.
  const Wide cosines(20 * static_cast<double>(unit));
  const auto sum = [&](std::size_t n) {
    return Wide(static_cast<double>(unit) * static_cast<double>(n + 4));
  };
  return {{Wide(mean), mean_size_ * (cosines + sum(v.size()))},
          {Wide(variance), variance_size_ * (2 * cosines + sum(covariances_.size()))}};
}

RotaryMoments::Values RotaryMoments::wide(std::uint64_t distance) const {
  std::vector<Wide> v(means_.size(), Wide(1));
  Wide largest = decays_ ? Wide(0) : Wide(1);
  for (std::size_t d = 0; d < pairs_.size(); ++d) {
    const WideComplex rotation = pairs_[d].rotation_at(distance);
    v[1 + 2 * d] = rotation.re;
    v[2 + 2 * d] = rotation.im;
    if (decays_) largest = std::max(largest, pairs_[d].weight_at(distance));
  }
  Values values;
  Wide mean_size = 0, variance_size = 0;
  for (std::size_t b = 0; b < v.size(); ++b) {
    values.mean.value += means_[b] * v[b];
    mean_size += mean_sizes_[b] * abs(v[b]);
  }
  for (const Covariance& c : covariances_) {
    const Wide product = v[c.first] * v[c.second];
    values.variance.value += c.value * product;
    variance_size += c.size * abs(product);
  }
  // A relative error of 2^-190 of the frequencies, times 2 pi distance turns.
  const Wide angle =
      pairs_.empty() || distance == 0 ? Wide(0) : Wide(ldexp(Wide(distance), 4) * wide_epsilon());
  values.mean.error = sum_unit() * mean_size + angle * largest * mean_size_;
  values.variance.error = sum_unit() * variance_size + angle * largest * variance_size_;
  return values;
}

}  // namespace tapalab
