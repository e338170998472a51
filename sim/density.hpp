// Joint densities of (query, key) as they are specified.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/encoding.hpp"
#include "sim/marginal.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

/// One coordinate of query and key: means, standard deviations, and their correlation.
/// Coordinates with different index are independent.
struct PairLaw {
  ExactDecimal mean_q{0}, mean_k{0};
  ExactDecimal scale_q{1}, scale_k{1};
  ExactDecimal rho{0};
};

/// gaussian:rho=0.25,a.mean_q=1,... ; `amplitude` and `phase` differ only where the prefixes
/// `a.` and `p.` were used, which needs an encoding with amplitude and phase coordinates.
struct GaussianDensity {
  static constexpr std::string_view name = "gaussian";
  PairLaw amplitude;
  PairLaw phase;
  bool split = false;  ///< a prefixed key was given
};

/// sech:mean_q=0.5,key=logistic,...: all coordinates independent; a query coordinate is mean_q +
/// scale_q X and its key coordinate mean_k + scale_k Y, X and Y with the laws `query` and `key`.
/// There is no rho: a correlation alone does not say how two such laws depend on each other.
struct ProductDensity {
  std::string_view name;  ///< that of `query`: "sech"
  Marginal query, key;
  PairLaw amplitude;
  PairLaw phase;
  bool split = false;  ///< a prefixed key was given
};

/// Full mean (2D) and covariance (2D x 2D) of x = (q, k), q first.
struct FullGaussianDensity {
  static constexpr std::string_view name = "gaussian";
  std::vector<ExactDecimal> mean;
  DecimalMatrix covariance;
};

/// mixture:weight=0.3,rho=0.9,a.mean_q=1;weight=0.7: a weighted sum of joint Gaussians. Amplitude
/// and phase coordinates depend on each other through the component they share.
struct MixtureComponent {
  std::optional<ExactDecimal> weight;  ///< unset in all: equal weights
  std::variant<GaussianDensity, FullGaussianDensity> law;
};
struct MixtureDensity {
  static constexpr std::string_view name = "mixture";
  std::vector<MixtureComponent> components;
};

/// Laws mean + scale Y of all coordinates of q and k together, where Y is elliptical: it depends on
/// x^T C^-1 x alone, C the correlations that `rho` says, and has variance 1 on every coordinate.
enum class RadialShape {
  student_t,  ///< student-t-joint: (1 + x^T C^-1 x/(nu - 2))^(-(nu + 2D)/2)
  quartic     ///< quartic: exp(-(x^T C^-1 x)^2/b^4)
};
struct RadialDensity {
  std::string_view name;
  RadialShape shape = RadialShape::student_t;
  ExactDecimal nu{0};  ///< degrees of freedom of student-t-joint
  PairLaw amplitude;
  PairLaw phase;
  bool split = false;  ///< a prefixed key was given
};

/// Which tokens are paired: a query comes after its key (m - n = +distance).
enum class PairRule { all, causal, shuffled, at_distance };

/// Queries and keys of one head: token by token, head_dim values each.
struct TokenTable {
  std::size_t tokens = 0;
  std::uint32_t head_dim = 0;
  std::vector<double> queries;  ///< tokens x head_dim, row by row
  std::vector<double> keys;
};

/// Tokens of a file.
struct EmpiricalDensity {
  static constexpr std::string_view name = "empirical";
  std::string file, query_tensor, key_tensor;
  std::uint32_t head = 0;
  PairRule pairs = PairRule::all;
  std::uint64_t skip = 0;  ///< first tokens left out
  /// Standard deviation of independent Gaussians added to every coordinate of q and k: the density
  /// is then a mixture over token pairs, and Schwartz. 0: the tokens themselves.
  ExactDecimal bandwidth{0};
  std::shared_ptr<const TokenTable> table;  ///< read once, when the specification is parsed
};

using DensityLaw = std::variant<GaussianDensity, FullGaussianDensity, EmpiricalDensity,
                                ProductDensity, MixtureDensity, RadialDensity>;

struct Density {
  std::string spec;
  DensityLaw law;
};

/// Reads `name` or `name:key=value,...`. Throws InputError for unknown names and keys, repeated
/// keys, |rho| > 1, scales <= 0, weights that are not positive or do not sum to 1, and for every
/// fault of an empirical file.
Density parse_density(std::string_view spec);

/// Every density that parse_density reads, with its keys.
const std::vector<NamedEntry>& density_catalogue();

std::string_view density_name(const DensityLaw& law);

/// The head dimension that a file or a covariance dictates; 0 where any is possible.
std::uint32_t dictated_head_dim(const DensityLaw& law);

/// A joint Gaussian in numbers: x = (q, k) has 2 head_dim coordinates, q first. `covariance` holds
/// the non-zero entries with row >= col.
struct CovarianceTerm {
  std::uint32_t row;
  std::uint32_t col;
  Wide value;
};
struct GaussianModel {
  std::uint32_t head_dim = 0;
  std::vector<Wide> mean;
  std::vector<CovarianceTerm> covariance;
};

/// Throws InputError where sizes do not match, the covariance is not symmetric or not positive
/// semidefinite, or prefixed keys meet an encoding without amplitude and phase coordinates.
GaussianModel lower(const GaussianDensity& density, const Encoding& encoding,
                    std::uint32_t head_dim);
GaussianModel lower(const FullGaussianDensity& density, std::uint32_t head_dim);

/// One joint Gaussian of a mixture, with its probability.
struct WeightedGaussian {
  Wide weight{1};
  GaussianModel model;
};
/// All of them; one with weight 1 for a Gaussian. Throws as above, and where components differ in
/// head dimension.
std::vector<WeightedGaussian> lower(const MixtureDensity& density, const Encoding& encoding,
                                    std::uint32_t head_dim);

/// The mean and covariance of a radial density, as a joint Gaussian.
GaussianModel moment_model(const RadialDensity& density, const Encoding& encoding,
                           std::uint32_t head_dim);

/// The joint Gaussian with the same means and variances, and no correlation: bilinear scores have
/// the same mean and variance under both. Throws as above.
GaussianModel moment_model(const ProductDensity& density, const Encoding& encoding,
                           std::uint32_t head_dim);

/// Throws InputError where prefixed keys meet an encoding without amplitude and phase coordinates.
void check_prefixes(std::string_view name, bool split, const Encoding& encoding);

}  // namespace tapalab
