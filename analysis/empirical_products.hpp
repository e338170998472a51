// Matrix products and sums whose bits do not depend on processor, vector width or thread count.
// Eigen's products do: their blocking follows the caches and the threads of the machine.
#pragma once

#include <cstddef>
#include <vector>

namespace tapalab::empirical {

/// c = a b, all row by row: a is rows x inner, b inner x cols, c rows x cols. Every entry adds its
/// products in the order of the inner index, without fused multiply-add.
void product(const double* a, const double* b, double* c, std::size_t rows, std::size_t inner,
             std::size_t cols);

/// The same for a part of wider matrices: `a_stride`, `b_stride`, `c_stride` are the distances
/// between rows.
void product(const double* a, std::size_t a_stride, const double* b, std::size_t b_stride,
             double* c, std::size_t c_stride, std::size_t rows, std::size_t inner,
             std::size_t cols);

/// Pairwise sum of x[0], x[stride], ...: error at most about log2(count) 2^-53 sum |x|.
double pairwise_sum(const double* x, std::size_t count, std::size_t stride = 1);

/// The transpose of a rows x cols matrix.
std::vector<double> transposed(const std::vector<double>& a, std::size_t rows, std::size_t cols);

}  // namespace tapalab::empirical
