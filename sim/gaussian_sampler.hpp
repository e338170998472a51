// x = (q, k) of a joint Gaussian from standard normals.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/density.hpp"

namespace tapalab {

/// x[row] = mean[row] + sum over entries begin[row] .. begin[row+1] - 1 of weight * z[column], with
/// column <= row ascending: z holds one normal a coordinate, and rows can be applied in place from
/// the last to the first. Light: .cu files include it through plain arrays.
struct SparseRoot {
  struct Entry {
    std::uint32_t column;
    std::uint32_t unused = 0;
    double weight;
  };
  std::vector<double> mean;          ///< 2 head_dim
  std::vector<std::uint32_t> begin;  ///< 2 head_dim + 1
  std::vector<Entry> entries;
};

/// The lower-triangular root L of the covariance, L L^T = covariance, one independent block of
/// coordinates at a time: factored in Wide, rounded once to double. Semidefinite covariances are
/// taken: a pivot of at most 2^-150 of its coordinate's variance counts as zero, with its column,
/// which is below the rounding of any double. Throws InputError where a pivot is negative beyond
/// that.
SparseRoot covariance_root(const GaussianModel& model);

/// That of independent normals with mean 0 and standard deviation `scale`.
SparseRoot identity_root(std::uint32_t head_dim, double scale = 1);

}  // namespace tapalab
