#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>

#include "proofs-check/gaussian_transform_ball.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/decimal_parts.hpp"

namespace tapalab {
namespace {

using Fraction = boost::multiprecision::cpp_rational;

[[noreturn]] void refuse_covariance() {
  throw InputError(
      "--engine ball: the covariance, as its exact decimals stand, is not positive semidefinite; "
      "accepted: one that is");
}

Fraction fraction_of(const ExactDecimal& x) {
  const DecimalParts parts = parse_decimal_parts(x.text(), "covariance");
  Fraction value(parts.digits);
  const boost::multiprecision::cpp_int scale = boost::multiprecision::pow(
      boost::multiprecision::cpp_int(10), static_cast<unsigned>(std::abs(parts.exponent)));
  if (parts.negative) value = -value;
  if (parts.exponent < 0) return value / Fraction(scale);
  return value * Fraction(scale);
}

Ball ball_of(const Fraction& x, slong bits) {
  return Ball::decimal(numerator(x).str(), bits) / Ball::decimal(denominator(x).str(), bits);
}

/// Balls, while every pivot is certainly positive.
std::optional<std::vector<BallEntry>> in_balls(const DecimalMatrix& covariance, slong bits) {
  const std::size_t n = covariance.rows;
  std::vector<Ball> m;
  for (const ExactDecimal& x : covariance.entries) m.push_back(Ball::decimal(x.text(), bits));
  std::vector<BallEntry> factor;
  for (std::size_t k = 0; k < n; ++k) {
    if (!m[k * n + k].certainly_positive()) return std::nullopt;
    const Ball root = sqrt(m[k * n + k]);
    for (std::size_t i = k; i < n; ++i) {
      if (arb_is_zero(m[i * n + k].get())) continue;
      const Ball s = i == k ? root : m[i * n + k] / root;
      factor.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k), s});
      const Ball ratio = m[i * n + k] / m[k * n + k];
      if (i == k) continue;
      for (std::size_t j = k + 1; j <= i; ++j) {
        if (!arb_is_zero(m[j * n + k].get())) m[i * n + j] -= ratio * m[j * n + k];
      }
    }
  }
  return factor;
}

/// Rational numbers: a pivot of 0 is known to be 0.
std::vector<BallEntry> in_fractions(const DecimalMatrix& covariance, slong bits) {
  const std::size_t n = covariance.rows;
  std::vector<Fraction> m;
  for (const ExactDecimal& x : covariance.entries) m.push_back(fraction_of(x));
  std::vector<BallEntry> factor;
  for (std::size_t k = 0; k < n; ++k) {
    const Fraction pivot = m[k * n + k];
    if (pivot < 0) refuse_covariance();
    for (std::size_t i = k; i < n; ++i) {
      if (m[i * n + k] == 0) continue;
      if (pivot == 0) refuse_covariance();
      const Fraction ratio = m[i * n + k] / pivot;
      factor.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k),
                        ball_of(ratio, bits) * sqrt(ball_of(pivot, bits))});
      if (i == k) continue;
      for (std::size_t j = k + 1; j <= i; ++j) m[i * n + j] -= ratio * m[j * n + k];
    }
  }
  return factor;
}

}  // namespace

std::vector<BallEntry> covariance_factor_ball(const DecimalMatrix& covariance, slong bits) {
  const auto factor = in_balls(covariance, bits);
  return factor ? *factor : in_fractions(covariance, bits);
}

}  // namespace tapalab
