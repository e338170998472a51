// Covariances with rational entries, judged without rounding.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tapalab {

/// What exact rational arithmetic finds about a covariance of (q, k), `dim` coordinates each.
struct CovarianceFacts {
  bool symmetric = false;
  bool positive_definite = false;  ///< every leading principal minor is positive (Sylvester)
  std::string smallest_minor;      ///< "p/q", of the leading principal minors
  /// E (q_d k_d)^2 of each coordinate of a centred Gaussian, "p/q": 1 + 2 cov^2 at unit variances.
  std::vector<std::string> pair_squares;
  /// E (q.k)^2/dim of the centred Gaussian, by Isserlis: the E a^2 of eq. 12.
  std::string amplitude_square;
  /// E A_d^2 of the adjacent pairs, A_d = q_2d k_2d + q_2d+1 k_2d+1, "p/q" (dim even).
  std::vector<std::string> adjacent_squares;
  /// E q.k / sqrt(dim) is 0.
  bool amplitude_centred = false;
  /// E A_d and E B_d of the adjacent pairs (2d, 2d+1), "p/q" (dim even).
  std::vector<std::string> pair_cosine_means, pair_sine_means;
};

/// `rows`: 2 dim rows of 2 dim finite decimals, q first. Throws InputError for another shape or
/// text that is not a finite decimal.
CovarianceFacts rational_covariance_facts(const std::vector<std::vector<std::string>>& rows,
                                          std::size_t dim);

/// a < b for fractions "p/q" or integers. Throws InputError for other text.
bool fraction_less(const std::string& a, const std::string& b);
/// a/b as the nearest decimal with 17 digits.
std::string fraction_decimal(const std::string& fraction);

}  // namespace tapalab
