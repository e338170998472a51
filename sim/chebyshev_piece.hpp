// Interpolation in Chebyshev points on [-1, 1]: the pieces of the tables of characteristic
// functions. How well an interpolant approximates is proved where a table is made.
#pragma once

#include <cmath>
#include <vector>

namespace tapalab {

/// Appends the degree + 1 coefficients of the interpolant of f in the Chebyshev points, rounded
/// from long double to Coefficient.
template <class Coefficient, class Function>
void append_chebyshev(int degree, const Function& f, std::vector<Coefficient>& coefficients) {
  const int count = degree + 1;
  const long double pi = 3.14159265358979323846264338327950288L;
  std::vector<long double> values(count);
  for (int j = 0; j < count; ++j) values[j] = f(std::cos(pi * (j + 0.5L) / count));
  for (int k = 0; k < count; ++k) {
    long double sum = 0;
    for (int j = 0; j < count; ++j) sum += values[j] * std::cos(pi * k * (j + 0.5L) / count);
    coefficients.push_back(static_cast<Coefficient>(sum * (k == 0 ? 1 : 2) / count));
  }
}

/// sum of c_k T_k(y), y in [-1, 1]. Clenshaw's recurrence for even and odd orders apart, which
/// halves the chain of dependent operations: T_2k(y) = T_k(t) and T_(2k+1)(y) = y V_k(t),
/// t = 2 y^2 - 1, where V_k follows the recurrence of T_k from V_0 = V_-1 = 1.
template <class Real>
Real chebyshev_sum(const Real* c, int degree, Real y) {
  const Real twice = 4 * y * y - 2;
  Real even1 = 0, even2 = 0, odd1 = 0, odd2 = 0;
  for (int k = degree / 2; k > 0; --k) {
    const Real even = c[2 * k] + (twice * even1 - even2);
    even2 = even1;
    even1 = even;
    const Real odd = (2 * k < degree ? c[2 * k + 1] : Real(0)) + (twice * odd1 - odd2);
    odd2 = odd1;
    odd1 = odd;
  }
  const Real even = c[0] + (twice / 2 * even1 - even2);
  const Real odd = (degree > 0 ? c[1] : Real(0)) + (twice * odd1 - odd2) - odd1;
  return even + y * odd;
}

}  // namespace tapalab
