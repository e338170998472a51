#include "sim/moments.hpp"

namespace tapalab {

void Moments::add(double x) { merge({1, x, 0, 0, 0}); }

void Moments::merge(const Moments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  // Pebay, SAND2008-6212, eq. 3.1 for p = 2, 3, 4, with delta = mean_B - mean_A.
  const double na = static_cast<double>(count);
  const double nb = static_cast<double>(other.count);
  const double n = na + nb;
  const double delta = other.mean - mean;
  const double a = na / n;
  const double b = nb / n;
  const double delta2 = delta * delta;
  const double new_m4 = m4 + other.m4 + delta2 * delta2 * na * b * (a * a - a * b + b * b) +
                        6.0 * delta2 * (a * a * other.m2 + b * b * m2) +
                        4.0 * delta * (a * other.m3 - b * m3);
  const double new_m3 =
      m3 + other.m3 + delta2 * delta * na * b * (a - b) + 3.0 * delta * (a * other.m2 - b * m2);
  m2 = m2 + other.m2 + delta2 * na * b;
  m3 = new_m3;
  m4 = new_m4;
  mean = mean + delta * b;
  count += other.count;
}

CompanionMoments merged(const CompanionMoments& a, const CompanionMoments& b,
                        const Moments& beside_a, const Moments& beside_b) {
  if (beside_b.count == 0) return a;
  if (beside_a.count == 0) return b;
  // As above for p = 2, and the same for the product of two deviations.
  const double na = static_cast<double>(beside_a.count);
  const double nb = static_cast<double>(beside_b.count);
  const double n = na + nb;
  const double delta = b.mean - a.mean;
  const double weight = na * (nb / n);
  return {a.mean + delta * (nb / n), a.m2 + b.m2 + delta * delta * weight,
          a.cross + b.cross + delta * (beside_b.mean - beside_a.mean) * weight};
}

double sample_variance(const Moments& moments) {
  return moments.m2 / static_cast<double>(moments.count - 1);
}

}  // namespace tapalab
