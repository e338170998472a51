// The laws of one coordinate: each symmetric about 0 and scaled to mean 0 and variance 1, before
// any shift and scale. Densities and characteristic functions: sim/marginal_law.hpp; samples:
// sim/marginal_sampler.hpp. Table with proofs: docs/theory/product.md.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {

enum class MarginalFamily {
  gaussian,
  sech,
  logistic,
  bump,
  hermite2,
  laplace,
  uniform,
  student_t,
  rademacher,
  singular
};

inline constexpr MarginalFamily kMarginalFamilies[] = {
    MarginalFamily::gaussian, MarginalFamily::sech,      MarginalFamily::logistic,
    MarginalFamily::bump,     MarginalFamily::hermite2,  MarginalFamily::laplace,
    MarginalFamily::uniform,  MarginalFamily::student_t, MarginalFamily::rademacher,
    MarginalFamily::singular};

/// One law. `nu`, the degrees of freedom, matters for student_t alone and is above 2 there: the
/// variance is infinite at 2 and below.
struct Marginal {
  MarginalFamily family = MarginalFamily::gaussian;
  ExactDecimal nu{0};
};

/// "gaussian", "student-t", ...
std::string_view marginal_name(MarginalFamily family);
std::optional<MarginalFamily> find_marginal(std::string_view name);

/// What is known of a law.
struct MarginalFacts {
  std::string_view density;  ///< the formula, before scaling to unit variance
  bool schwartz;             ///< smooth, and falling faster than any power with all derivatives
  std::string_view reason;   ///< why it is, or is not
  double fourth_moment;      ///< E X^4 at unit variance, infinite for student-t with nu <= 4
  double half_width;         ///< the support is [-half_width, half_width]; may be infinite
  /// The density behaves like |x|^order_at_zero at 0: positive where it vanishes, negative where it
  /// blows up. Unset for rademacher, which has no density.
  std::optional<double> order_at_zero;
  bool closed_characteristic;  ///< an elementary function (all but bump and student-t)
};
MarginalFacts facts(const Marginal& law);

}  // namespace tapalab
