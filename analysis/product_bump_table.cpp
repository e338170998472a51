#include "analysis/product_bump_table.hpp"

#include <algorithm>
#include <cmath>

#include "sim/chebyshev_piece.hpp"
#include "sim/marginal_special.hpp"
#include "sim/marginal_table.hpp"

namespace tapalab {
namespace {

constexpr int kPairDegree = 19;
constexpr double kPairSplit = 50;      // pieces in T below, in 1/T above
constexpr double kNearLength = 1.25;   // of T
constexpr double kFarLength = 2.5e-4;  // of 1/T
constexpr int kNearPieces = 40, kFarPieces = 80;

/// 2 pi/(T (v + B) + rest) of the sums in product_bump.cpp, as a step of z = T x, for v = 0: the
/// other terms of Poisson's formula are below e^-46/T then.
long double bump_pair_step(long double T) {
  const long double width = bump_half_width<long double>();
  const long double decay = 46 + std::max(0.0L, std::log(T));
  return 2 * 3.14159265358979323846264338327950288L / (width + decay * decay / (width * T));
}

}  // namespace

// The trapezoidal sums of band_limited_sum in long double: for the near pieces over fixed x, where
// the density keeps its values, for the far ones over fixed z = T x, where F does.
BumpPairTable::BumpPairTable() {
  const BumpTable& bump = BumpTable::instance();
  const long double width = bump_half_width<long double>();
  std::vector<long double> densities;
  const long double near_step = bump_pair_step(kPairSplit) / kPairSplit;
  for (int j = 0; j * near_step < width; ++j) {
    densities.push_back((j == 0 ? 1 : 2) * near_step * bump_density<long double>(j * near_step));
  }
  for (int piece = 0; piece < kNearPieces; ++piece) {
    append_chebyshev(
        kPairDegree,
        [&](long double y) {
          const long double step = near_step * kNearLength * (piece + (y + 1) / 2);
          long double sum = 0;
          for (std::size_t j = 0; j < densities.size(); ++j) {
            sum += densities[j] * bump.precise(static_cast<long double>(j) * step);
          }
          return sum;
        },
        near_);
  }

  std::vector<long double> transforms;
  const long double far_step = bump_pair_step(kPairSplit);
  for (int j = 0; j * far_step * width < BumpTable::kEnd; ++j) {
    transforms.push_back((j == 0 ? 1 : 2) * bump.precise(j * far_step));
  }
  for (int piece = 0; piece < kFarPieces; ++piece) {
    append_chebyshev(
        kPairDegree,
        [&](long double y) {
          const long double inverse = kFarLength * (piece + (y + 1) / 2);
          const auto stride = static_cast<std::size_t>(bump_pair_step(1 / inverse) / far_step);
          long double sum = 0;
          for (std::size_t j = 0; j < transforms.size(); j += stride) {
            const long double x = static_cast<long double>(j) * far_step * inverse;
            if (x >= width) break;
            sum += bump_density<long double>(x) * transforms[j];
          }
          return far_step * static_cast<long double>(stride) * sum;
        },
        far_);
  }
}

const BumpPairTable& BumpPairTable::instance() {
  static const BumpPairTable table;
  return table;
}

Wide BumpPairTable::transform(const Wide& T) const {
  const auto at = [](const std::vector<double>& coefficients, double position, int pieces) {
    const int piece = std::min(static_cast<int>(position), pieces - 1);
    const double* c = coefficients.data() + std::size_t(piece) * (kPairDegree + 1);
    return chebyshev_sum(c, kPairDegree, 2 * (position - piece) - 1);
  };
  if (T < kPairSplit) return at(near_, static_cast<double>(T) / kNearLength, kNearPieces);
  const Wide inverse = 1 / T;
  return at(far_, static_cast<double>(inverse) / kFarLength, kFarPieces) * inverse;
}

}  // namespace tapalab
