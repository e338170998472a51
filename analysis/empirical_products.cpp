#include "analysis/empirical_products.hpp"

#include <algorithm>

namespace tapalab::empirical {
namespace {

constexpr std::size_t kRows = 2;  // kRows x kCols accumulators stay in registers
constexpr std::size_t kCols = 8;

template <std::size_t Rows>
void full_tile(const double* a, std::size_t a_stride, const double* b, std::size_t b_stride,
               double* c, std::size_t c_stride, std::size_t inner) {
  double sum[Rows][kCols] = {};
  for (std::size_t k = 0; k < inner; ++k) {
    for (std::size_t i = 0; i < Rows; ++i) {
      const double factor = a[i * a_stride + k];
      for (std::size_t j = 0; j < kCols; ++j) sum[i][j] += factor * b[k * b_stride + j];
    }
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < kCols; ++j) c[i * c_stride + j] = sum[i][j];
}

void partial_tile(const double* a, const double* b, std::size_t b_stride, double* c,
                  std::size_t inner, std::size_t cols) {
  double sum[kCols] = {};
  for (std::size_t k = 0; k < inner; ++k)
    for (std::size_t j = 0; j < cols; ++j) sum[j] += a[k] * b[k * b_stride + j];
  for (std::size_t j = 0; j < cols; ++j) c[j] = sum[j];
}

}  // namespace

void product(const double* a, const double* b, double* c, std::size_t rows, std::size_t inner,
             std::size_t cols) {
  product(a, inner, b, cols, c, cols, rows, inner, cols);
}

void product(const double* a, std::size_t a_stride, const double* b, std::size_t b_stride,
             double* c, std::size_t c_stride, std::size_t rows, std::size_t inner,
             std::size_t cols) {
  for (std::size_t j = 0; j < cols; j += kCols) {
    const std::size_t width = std::min(kCols, cols - j);
    std::size_t i = 0;
    if (width == kCols) {
      for (; i + kRows <= rows; i += kRows)
        full_tile<kRows>(a + i * a_stride, a_stride, b + j, b_stride, c + i * c_stride + j,
                         c_stride, inner);
      for (; i < rows; ++i)
        full_tile<1>(a + i * a_stride, a_stride, b + j, b_stride, c + i * c_stride + j, c_stride,
                     inner);
    }
    for (; i < rows; ++i)
      partial_tile(a + i * a_stride, b + j, b_stride, c + i * c_stride + j, inner, width);
  }
}

double pairwise_sum(const double* x, std::size_t count, std::size_t stride) {
  if (count > 16) {
    const std::size_t half = count / 2;
    return pairwise_sum(x, half, stride) + pairwise_sum(x + half * stride, count - half, stride);
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += x[i * stride];
  return sum;
}

std::vector<double> transposed(const std::vector<double>& a, std::size_t rows, std::size_t cols) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) result[j * rows + i] = a[i * cols + j];
  return result;
}

}  // namespace tapalab::empirical
