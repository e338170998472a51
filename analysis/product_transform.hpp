// g(t) = E e^(i t x y) of one pair of independent coordinates, the factor that every mean of split
// TAPA under a product density is a power of. Formulas and proofs: docs/theory/product.md.
#pragma once

#include <memory>

#include "analysis/quantity.hpp"
#include "sim/density.hpp"
#include "sim/marginal.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// How a value of g was found: by a formula, or by quadrature in double or in Wide.
enum class PairMethod { closed, double_quadrature, wide_quadrature };

struct PairTransform {
  WideComplex value{Wide(1), Wide(0)};
  Wide error{0};  ///< bound (closed) or estimate (quadrature) of the absolute error
  PairMethod method = PairMethod::closed;
};

/// x = mean_q + scale_q X, y = mean_k + scale_k Y, X and Y independent with the laws `q` and `k`.
/// g(t) = int f(x - u) e^(iTvx) F(Tx) dx with T = t scale_q scale_k: f is the density of one
/// coordinate and F the characteristic function of the other; u and v are their means in units of
/// their scales. The side with the rougher law, and the larger mean, becomes f.
class ProductPair {
 public:
  ProductPair(const Marginal& q, const Marginal& k, const PairLaw& law);
  ~ProductPair();
  ProductPair(ProductPair&&) noexcept;
  ProductPair& operator=(ProductPair&&) noexcept;

  /// True where `at` needs no quadrature: a rademacher coordinate beside one with a closed
  /// characteristic function, or two uniform ones.
  static bool is_closed(const Marginal& q, const Marginal& k);

  /// g(t), any t. Quadrature runs in double (Boost.Math) and, where its error exceeds
  /// `target` |g|, again in Wide; the error says what was reached.

  PairTransform at(const Wide& t, double target) const;

  struct Plan;  ///< analysis/product_plan.hpp

 private:
  std::unique_ptr<const Plan> plan_;
};

/// E e^(iwx), x = mean + scale X: with its rounding error.
PairTransform marginal_transform(const Marginal& law, const Wide& mean, const Wide& scale,
                                 const Wide& w);

}  // namespace tapalab
