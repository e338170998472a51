#include "sim/marginal_table.hpp"

#include <algorithm>
#include <cmath>

#include "sim/chebyshev_piece.hpp"
#include "sim/marginal_special.hpp"

namespace tapalab {
namespace {

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
  const bool upper = significand >= kRootHalf;
  const int piece = std::max(2 * (exponent - 1) + (upper ? 1 : 0), kFirstPiece);
  // Both kinds of piece, [1/2, sqrt(1/2)] and [sqrt(1/2), 1] times a power of two.
  const double from = upper ? kRootHalf : 0.5, to = upper ? 1 : kRootHalf;
  const double y = (2 * significand - (from + to)) / (to - from);
  const double* c = coefficients_.data() + std::size_t(piece - kFirstPiece) * (degree_ + 1);
  return chebyshev_sum(c, degree_, y) * std::exp(-z);
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
        precise_);
  }
  coefficients_.assign(precise_.begin(), precise_.end());
}

const BumpTable& BumpTable::instance() {
  static const BumpTable table;
  return table;
}

namespace {

template <class Real>
Real bump_value(const std::vector<Real>& coefficients, Real w) {
  const Real frequency = w * bump_half_width<Real>();
  if (!(frequency < BumpTable::kEnd)) return 0;
  const int piece = static_cast<int>(frequency / Real(kBumpPiece));
  const Real y = frequency * Real(2 / kBumpPiece) - (2 * piece + 1);
  return chebyshev_sum(coefficients.data() + std::size_t(piece) * (kBumpDegree + 1), kBumpDegree,
                       y);
}

}  // namespace

double BumpTable::characteristic(double w) const { return bump_value(coefficients_, w); }
long double BumpTable::precise(long double w) const { return bump_value(precise_, w); }

}  // namespace tapalab
