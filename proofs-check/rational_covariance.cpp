#include "proofs-check/rational_covariance.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include "analysis/log_number.hpp"
#include "sim/errors.hpp"
#include "sim/mutants.hpp"
#include "sim/numbers/exact_decimal.hpp"

namespace tapalab {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Integer = boost::multiprecision::cpp_int;
using Matrix = std::vector<std::vector<Rational>>;

Rational parse(const std::string& text) {
  ExactDecimal::parse(text, "covariance entry");  // one grammar for decimals
  std::string digits;
  bool negative = false;
  long exponent = 0;
  bool after_point = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-') negative = true;
    if (c == '.') after_point = true;
    if (c == 'e' || c == 'E') {
      exponent += std::stol(text.substr(i + 1));
      break;
    }
    if (c < '0' || c > '9') continue;
    digits += c;
    exponent -= after_point;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  Integer numerator(digits.empty() ? "0" : digits), denominator(1);
  Integer& scaled = exponent < 0 ? denominator : numerator;
  scaled *= boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  const Rational value(numerator, denominator);
  return negative ? Rational(-value) : value;
}

/// Leading principal minors by elimination; those after the first one <= 0 are left out.
std::vector<Rational> leading_minors(Matrix m) {
  std::vector<Rational> minors;
  Rational minor = 1;
  for (std::size_t k = 0; k < m.size(); ++k) {
    minor *= m[k][k];
    minors.push_back(minor);
    if (minor <= 0) break;
    for (std::size_t i = k + 1; i < m.size(); ++i) {
      const Rational factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < m.size(); ++j) m[i][j] -= factor * m[k][j];
    }
  }
  return minors;
}

}  // namespace

CovarianceFacts rational_covariance_facts(const std::vector<std::vector<std::string>>& rows,
                                          std::size_t dim) {
  const std::size_t n = 2 * dim;
  if (dim == 0 || rows.size() != n)
    throw InputError("covariance: accepted are 2 dim rows for dim coordinates of query and key");
  Matrix c;
  for (const auto& row : rows) {
    if (row.size() != n) throw InputError("covariance: accepted are rows of 2 dim entries");
    c.emplace_back();
    for (const std::string& entry : row) c.back().push_back(parse(entry));
  }

  CovarianceFacts facts;
  facts.symmetric = true;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) facts.symmetric &= c[i][j] == c[j][i];
  const std::vector<Rational> minors = leading_minors(c);
  facts.positive_definite = facts.symmetric && minors.size() == n && minors.back() > 0;
  facts.smallest_minor = std::min_element(minors.begin(), minors.end())->str();

  const auto qk = [&](std::size_t i, std::size_t j) { return c[i][dim + j]; };
  for (std::size_t d = 0; d < dim; ++d)
    facts.pair_squares.push_back(
        Rational(c[d][d] * c[dim + d][dim + d] + 2 * qk(d, d) * qk(d, d)).str());
  // Isserlis: E q_i k_i q_j k_j = E q_i k_i E q_j k_j + E q_i q_j E k_i k_j + E q_i k_j E k_i q_j
  const auto product_mean = [&](std::size_t i, std::size_t j) {
    return Rational(qk(i, i) * qk(j, j) +
                    mutated("isserlis-sign", 1, -1) * c[i][j] * c[dim + i][dim + j] +
                    qk(i, j) * qk(j, i));
  };
  Rational square = 0, mean = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    mean += qk(i, i);
    for (std::size_t j = 0; j < dim; ++j) square += product_mean(i, j);
  }
  for (std::size_t i = 0; i + 1 < dim; i += 2)
    facts.adjacent_squares.push_back(
        Rational(product_mean(i, i) + product_mean(i + 1, i + 1) + 2 * product_mean(i, i + 1))
            .str());
  facts.amplitude_square = Rational(square / static_cast<long>(dim)).str();
  facts.amplitude_centred = mean == 0;
  for (std::size_t d = 0; d + 1 < dim; d += 2) {
    facts.pair_cosine_means.push_back(Rational(qk(d, d) + qk(d + 1, d + 1)).str());
    facts.pair_sine_means.push_back(Rational(qk(d, d + 1) - qk(d + 1, d)).str());
  }
  return facts;
}

namespace {

Rational parse_fraction(const std::string& text) {
  try {
    return Rational(text);
  } catch (const std::exception&) {
    throw InputError("fraction '" + text + "': accepted are p/q and integers");
  }
}

}  // namespace

bool fraction_less(const std::string& a, const std::string& b) {
  return parse_fraction(a) < parse_fraction(b);
}

std::string fraction_decimal(const std::string& fraction) {
  const Rational value = parse_fraction(fraction);
  return LogNumber(Wide(numerator(value)) / Wide(denominator(value))).decimal();
}

}  // namespace tapalab
