// Samples of x = (q, k) with independent coordinates.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/density.hpp"
#include "sim/draw_tables.hpp"
#include "sim/random/philox.hpp"

namespace tapalab {

/// Independent coordinates in numbers: coordinate c of x = (q, k) is mean[c] + scale[c] X, X with
/// the law `query` for c < head_dim and `key` above.
struct ProductModel {
  std::uint32_t head_dim = 0;
  Marginal query, key;
  std::vector<double> mean, scale;  ///< 2 head_dim
};

/// 2/nu and nu - 2 of student-t; 0 for other laws.
struct StudentShape {
  double exponent = 0, excess = 0;
};
StudentShape student_shape(const Marginal& law);

/// Throws InputError as moment_model does.
ProductModel lower(const ProductDensity& density, const Encoding& encoding, std::uint32_t head_dim);

/// Sample i has coordinate c from the words (i, 2c and 2c + 1) of the stream `product`.
class ProductSource {
 public:
  ProductSource(ProductModel model, std::uint64_t seed);
  /// Samples first .. first + kLanes - 1: x[c * kLanes + lane].
  void lanes(std::uint64_t first, double* x) const;
  /// Their mirror images (sim/arranged_source.hpp): k at 2 mean - k.
  void mirrored_lanes(std::uint64_t first, double* x) const;
  DrawTables tables() const;

 private:
  ProductModel model_;
  PhiloxKey key_;
  StudentShape query_student_, key_student_;
};

}  // namespace tapalab
