// Samples of x = (q, k) whose amplitude and phase coordinates depend on each other beyond a
// correlation: mixtures of Gaussians, and laws with one random scale.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/block_kernels.hpp"
#include "sim/density.hpp"
#include "sim/draw_tables.hpp"
#include "sim/gaussian_sampler.hpp"
#include "sim/random/gamma.hpp"

namespace tapalab {

/// Sample i takes the component that its word of the stream `component` falls to: the weights are
/// rounded to multiples of 2^-64. x is that component's L z + mean with the normals of the stream
/// `gaussian`, so that a mixture of one component is that Gaussian, bit by bit.
class MixtureSource {
 public:
  MixtureSource(const std::vector<WeightedGaussian>& components, std::uint64_t seed);
  /// Samples first .. first + kLanes - 1: x[c * kLanes + lane].
  void lanes(const BlockKernels& kernels, std::uint64_t first, double* x) const;
  std::size_t component(std::uint64_t sample) const;
  DrawTables tables() const;

 private:
  std::vector<std::uint64_t> below_;  ///< a word below this and not below the one before
  std::vector<SparseRoot> roots_;
  SparseRoot identity_;
  PhiloxKey key_;
};

/// A radial density in numbers. x = mean + R L z: with z normal and R^2 = (nu - 2)/W, W chi-squared
/// with nu degrees of freedom (student_t), or with z/|z| uniform on the sphere and R |z| =
/// b G^(1/4), G with the Gamma law of shape D/2 (quartic).
struct RadialModel {
  RadialShape shape = RadialShape::student_t;
  GaussianModel moments;  ///< mean and covariance
  double nu = 0;
  double excess = 0;  ///< nu - 2
};
/// Throws InputError as moment_model does.
RadialModel lower(const RadialDensity& density, const Encoding& encoding, std::uint32_t head_dim);

/// b of exp(-|x|^4/b^4) with variance 1 on each of 2 head_dim coordinates, squared:
/// b^2 = 2D Gamma(D/2)/Gamma(D/2 + 1/2). Relative error below D 2^-188.
Wide quartic_width_squared(std::uint32_t head_dim);

/// z of sample i from the stream `gaussian`, its Gamma variate from the stream `scale`
/// (sim/random/gamma.hpp).
class RadialSource {
 public:
  RadialSource(const RadialModel& model, std::uint64_t seed);
  void lanes(const BlockKernels& kernels, std::uint64_t first, double* x) const;
  DrawTables tables() const;

 private:
  double gamma(std::uint64_t sample) const { return gamma_variate(gamma_shape_, sample, key_); }

  RadialShape shape_;
  std::vector<double> mean_;
  SparseRoot root_;      ///< without means
  SparseRoot identity_;  ///< for quartic: z itself, for its norm
  double gamma_shape_, factor_;
  PhiloxKey key_;
};

}  // namespace tapalab
