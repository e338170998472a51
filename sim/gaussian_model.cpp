// Joint Gaussians in numbers, and the check that a covariance is one.
#include <algorithm>
#include <string>
#include <utility>

#include "sim/density.hpp"
#include "sim/errors.hpp"
#include "sim/score_model.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint32_t kMaxHeadDim = 65536;

[[noreturn]] void refuse_covariance(const std::string& reason, const std::string& accepted) {
  throw InputError("density gaussian: covariance: " + reason + "; accepted: " + accepted);
}

std::string place(std::size_t row, std::size_t col) {
  return "(" + std::to_string(row) + ", " + std::to_string(col) + ")";
}

// A few digits for a message.
std::string brief(const Wide& x) { return x.str(6, std::ios_base::scientific); }

void check_symmetry(const DecimalMatrix& covariance) {
  for (std::size_t row = 0; row < covariance.rows; ++row) {
    for (std::size_t col = 0; col < row; ++col) {
      if (covariance(row, col) == covariance(col, row)) continue;
      refuse_covariance("entry " + place(row, col) + " is " +
                            printable(covariance(row, col).text()) + " and entry " +
                            place(col, row) + " is " + printable(covariance(col, row).text()),
                        "a symmetric matrix");
    }
  }
}

// The correlations r_ij = c_ij / sqrt(c_ii c_jj), so that one tolerance suits coordinates of any
// scale. Coordinates of variance 0 must not covary and are left out.
std::vector<std::vector<Wide>> correlations(const DecimalMatrix& covariance) {
  std::vector<std::size_t> kept;
  std::vector<Wide> scale(covariance.rows);
  for (std::size_t i = 0; i < covariance.rows; ++i) {
    const Wide variance = covariance(i, i).wide();
    if (variance < 0) {
      refuse_covariance("the variance " + place(i, i) + " is negative",
                        "a positive semidefinite matrix");
    }
    scale[i] = sqrt(variance);
    if (variance > 0) {
      kept.push_back(i);
      continue;
    }
    for (std::size_t j = 0; j < covariance.cols; ++j) {
      if (covariance(i, j).wide() != 0) {
        refuse_covariance("coordinate " + std::to_string(i) + " has variance 0 and covaries with " +
                              std::to_string(j),
                          "a positive semidefinite matrix");
      }
    }
  }
  std::vector<std::vector<Wide>> matrix(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      matrix[i].push_back(covariance(kept[i], kept[j]).wide() / scale[kept[i]] / scale[kept[j]]);
    }
    matrix[i].push_back(Wide(1));
  }
  return matrix;
}

// Pivoted LDL^T of the correlation matrix (lower triangle). With the largest diagonal entry as
// pivot no entry of a Schur complement of a semidefinite matrix exceeds 1, so rounding leaves it
// within n 2^-188 of the exact one (Higham, Accuracy and Stability, section 10.3): beyond that
// tolerance a negative pivot, or a remainder without a positive diagonal, is a true defect.
void check_semidefinite(std::vector<std::vector<Wide>> matrix) {
  const std::size_t n = matrix.size();
  const Wide tolerance = 8 * Wide(n) * wide_epsilon();
  const auto at = [&](std::size_t i, std::size_t j) -> Wide& {
    return i >= j ? matrix[i][j] : matrix[j][i];
  };
  std::vector<std::size_t> rest(n);
  for (std::size_t i = 0; i < n; ++i) rest[i] = i;
  const auto refuse = [&](const Wide& excess) {
    refuse_covariance(
        "not positive semidefinite: the correlation matrix has a pivot or remainder of " +
            brief(excess),
        "a positive semidefinite matrix (pivots down to -" + brief(tolerance) +
            " pass as rounding)");
  };
  std::vector<Wide> column(n);
  while (!rest.empty()) {
    const auto pivot =
        std::max_element(rest.begin(), rest.end(),
                         [&](std::size_t a, std::size_t b) { return at(a, a) < at(b, b); });
    const std::size_t p = *pivot;
    const Wide d = at(p, p);
    if (d <= tolerance) {
      for (const std::size_t i : rest) {
        if (at(i, i) < -tolerance) refuse(at(i, i));
        for (const std::size_t j : rest) {
          if (abs(at(i, j)) > tolerance) refuse(at(i, j));
        }
      }
      return;
    }
    rest.erase(pivot);
    std::vector<std::size_t> touched;
    for (const std::size_t i : rest) {
      column[i] = at(i, p);
      if (column[i] != 0) touched.push_back(i);
    }
    for (const std::size_t i : touched) {
      const Wide factor = column[i] / d;
      for (const std::size_t j : touched) {
        if (j <= i) matrix[i][j] -= factor * column[j];
      }
    }
  }
}

void check_size(const FullGaussianDensity& density, std::uint32_t head_dim) {
  const std::size_t wanted = 2 * static_cast<std::size_t>(head_dim);
  if (head_dim == 0 || head_dim > kMaxHeadDim) {
    throw InputError("head dimension " + std::to_string(head_dim) +
                     " is out of range; accepted: a number from 1 to 65536");
  }
  if (density.mean.size() != wanted) {
    throw InputError("density gaussian: mean has " + std::to_string(density.mean.size()) +
                     " entries; accepted: " + std::to_string(wanted) +
                     " (twice the head dimension, queries first)");
  }
  const DecimalMatrix& covariance = density.covariance;
  if (covariance.rows != wanted || covariance.cols != wanted ||
      covariance.entries.size() != wanted * wanted) {
    refuse_covariance(std::to_string(covariance.rows) + " x " + std::to_string(covariance.cols),
                      std::to_string(wanted) + " x " + std::to_string(wanted) +
                          " (twice the head dimension, queries first)");
  }
}

}  // namespace

void check_prefixes(std::string_view name, bool split, const Encoding& encoding) {
  if (!split || has_split(encoding.law)) return;
  throw InputError("density " + std::string(name) +
                   ": keys with the prefix a. or p. do not fit encoding " +
                   std::string(encoding_name(encoding.law)) +
                   ", which has no amplitude and phase coordinates; accepted: keys without prefix");
}

GaussianModel lower(const GaussianDensity& density, const Encoding& encoding,
                    std::uint32_t head_dim) {
  if (head_dim == 0 || head_dim > kMaxHeadDim) {
    throw InputError("head dimension " + std::to_string(head_dim) +
                     " is out of range; accepted: a number from 1 to 65536");
  }
  check_prefixes(GaussianDensity::name, density.split, encoding);
  const std::uint32_t split_at = std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.share; }) return amplitude_dim(law.share, head_dim);
        return head_dim;
      },
      encoding.law);
  GaussianModel model;
  model.head_dim = head_dim;
  model.mean.resize(2 * static_cast<std::size_t>(head_dim));
  for (std::uint32_t i = 0; i < head_dim; ++i) {
    const PairLaw& law = i < split_at ? density.amplitude : density.phase;
    const std::uint32_t key = head_dim + i;
    model.mean[i] = law.mean_q.wide();
    model.mean[key] = law.mean_k.wide();
    const Wide scale_q = law.scale_q.wide();
    const Wide scale_k = law.scale_k.wide();
    const Wide cross = law.rho.wide() * scale_q * scale_k;
    model.covariance.push_back({i, i, scale_q * scale_q});
    model.covariance.push_back({key, key, scale_k * scale_k});
    if (cross != 0) model.covariance.push_back({key, i, cross});
  }
  return model;
}

std::vector<WeightedGaussian> lower(const MixtureDensity& density, const Encoding& encoding,
                                    std::uint32_t head_dim) {
  std::vector<WeightedGaussian> components;
  const Wide equal = 1 / Wide(density.components.size());
  for (const MixtureComponent& component : density.components) {
    const Wide weight = component.weight ? component.weight->wide() : equal;
    if (const auto* full = std::get_if<FullGaussianDensity>(&component.law)) {
      components.push_back({weight, lower(*full, head_dim)});
    } else {
      components.push_back(
          {weight, lower(std::get<GaussianDensity>(component.law), encoding, head_dim)});
    }
  }
  return components;
}

GaussianModel moment_model(const RadialDensity& density, const Encoding& encoding,
                           std::uint32_t head_dim) {
  check_prefixes(density.name, density.split, encoding);
  return lower(GaussianDensity{density.amplitude, density.phase, density.split}, encoding,
               head_dim);
}

GaussianModel moment_model(const ProductDensity& density, const Encoding& encoding,
                           std::uint32_t head_dim) {
  check_prefixes(density.name, density.split, encoding);
  // Every law has variance 1 before its scale.
  return lower(GaussianDensity{density.amplitude, density.phase, density.split}, encoding,
               head_dim);
}

GaussianModel lower(const FullGaussianDensity& density, std::uint32_t head_dim) {
  check_size(density, head_dim);
  check_symmetry(density.covariance);
  check_semidefinite(correlations(density.covariance));
  GaussianModel model;
  model.head_dim = head_dim;
  for (const ExactDecimal& mean : density.mean) model.mean.push_back(mean.wide());
  for (std::uint32_t row = 0; row < 2 * head_dim; ++row) {
    for (std::uint32_t col = 0; col <= row; ++col) {
      const Wide value = density.covariance(row, col).wide();
      if (value != 0) model.covariance.push_back({row, col, value});
    }
  }
  return model;
}

}  // namespace tapalab
