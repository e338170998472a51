#include "sim/marginal_table.hpp"

#include <cmath>

#include "sim/marginal_special.hpp"

namespace tapalab {
namespace {

// Coefficients of the interpolant in the degree + 1 Chebyshev points of [-1, 1].
template <class Function>
void append_chebyshev(int degree, const Function& f, std::vector<double>& coefficients) {
  const int count = degree + 1;
  const long double pi = 3.14159265358979323846264338327950288L;
  std::vector<long double> values(count);
  for (int j = 0; j < count; ++j) values[j] = f(std::cos(pi * (j + 0.5L) / count));
  for (int k = 0; k < count; ++k) {
    long double sum = 0;
    for (int j = 0; j < count; ++j) sum += values[j] * std::cos(pi * k * (j + 0.5L) / count);
    coefficients.push_back(static_cast<double>(sum * (k == 0 ? 1 : 2) / count));
  }
}

// Clenshaw's recurrence, y in [-1, 1].
double chebyshev(const double* c, int degree, double y) {
  double b1 = 0, b2 = 0;
  const double twice = 2 * y;
  for (int k = degree; k > 0; --k) {
    const double b0 = c[k] + (twice * b1 - b2);
    b2 = b1;
    b1 = b0;
  }
  return c[0] + (y * b1 - b2);
}

// c = 2^(piece/2): from z = 2^-33, below which 1 - F <= z^2/2 (ln(2/z) + 1) < 2e-19 (F rises with
// nu, and zK_1(z), its limit at nu = 2, satisfies this)
constexpr int kFirstPiece = -66;
constexpr int kLastPiece = 19;  // to z = 2^10, beyond which e^-z is 0 in double
constexpr double kRootHalf = 0.7071067811865476;

double piece_start(int piece) {
  const double start = std::ldexp(1.0, piece >> 1);
  return (piece & 1) != 0 ? start * 1.4142135623730951 : start;
}

constexpr int kBumpDegree = 22;
constexpr double kBumpPiece = 4;

}  // namespace

StudentTable::StudentTable(const ExactDecimal& nu)
    : root_(static_cast<double>(Wide(sqrt(student_excess(nu))))),
      degree_(20 + static_cast<int>(0.55 * nu.value() / 2)) {
  const StudentT<long double> law(nu);
  const long double root = static_cast<long double>(Wide(sqrt(student_excess(nu))));
  for (int piece = kFirstPiece; piece <= kLastPiece; ++piece) {
    const long double from = piece_start(piece), to = piece_start(piece + 1);
    append_chebyshev(
        degree_,
        [&](long double y) {
          const long double z = (from + to) / 2 + y * (to - from) / 2;
          return law.scaled_characteristic(z / root);
        },
        coefficients_);
  }
}

double StudentTable::characteristic(double w) const {
  const double z = w * root_;
  if (z < piece_start(kFirstPiece)) return 1;
  if (z >= 1024) return 0;
  int exponent = 0;
  const double significand = std::frexp(z, &exponent);  // in [1/2, 1)
  int piece = 2 * (exponent - 1) + (significand >= kRootHalf ? 1 : 0);
  if (piece < kFirstPiece) piece = kFirstPiece;
  const double from = piece_start(piece), to = piece_start(piece + 1);
  const double y = (2 * z - (from + to)) / (to - from);
  const double* c = coefficients_.data() + std::size_t(piece - kFirstPiece) * (degree_ + 1);
  return chebyshev(c, degree_, y) * std::exp(-z);
}

BumpTable::BumpTable() {
  const long double width = bump_half_width<long double>();
  const int pieces = static_cast<int>(kEnd / kBumpPiece);
  for (int piece = 0; piece < pieces; ++piece) {
    const long double middle = kBumpPiece * (piece + 0.5L);
    append_chebyshev(
        kBumpDegree,
        [&](long double y) {
          const long double w = (middle + y * (kBumpPiece / 2)) / width;
          return bump_characteristic<long double>(w);
        },
        coefficients_);
  }
}

const BumpTable& BumpTable::instance() {
  static const BumpTable table;
  return table;
}

double BumpTable::characteristic(double w) const {
  const double frequency = w * bump_half_width<double>();
  if (!(frequency < kEnd)) return 0;
  const int piece = static_cast<int>(frequency / kBumpPiece);
  const double y = frequency * (2 / kBumpPiece) - (2 * piece + 1);
  return chebyshev(coefficients_.data() + std::size_t(piece) * (kBumpDegree + 1), kBumpDegree, y);
}

}  // namespace tapalab
