#include "sim/coupled_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/marginal_special.hpp"
#include "sim/pair_source.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {
namespace {

// Applies a root to one lane of normals, from the last row to the first, in place: the operations
// of BlockKernels::gaussian_lanes.
void apply_root(const SparseRoot& root, std::size_t lane, double* x) {
  for (std::size_t row = root.mean.size(); row-- > 0;) {
    double sum = root.mean[row];
    for (std::uint32_t e = root.begin[row]; e < root.begin[row + 1]; ++e) {
      const SparseRoot::Entry& entry = root.entries[e];
      sum = detail::fused(entry.weight, x[std::size_t{entry.column} * kLanes + lane], sum);
    }
    x[row * kLanes + lane] = sum;
  }
}

}  // namespace

MixtureSource::MixtureSource(const std::vector<WeightedGaussian>& components, std::uint64_t seed)
    : identity_(identity_root(components.front().model.head_dim)), key_(stream_key(seed)) {
  Wide total = 0;
  for (const WeightedGaussian& component : components) {
    roots_.push_back(covariance_root(component.model));
    total += component.weight;
    const Wide bound = floor(ldexp(total, 64) + Wide(0.5));
    below_.push_back(bound >= ldexp(Wide(1), 64) ? std::numeric_limits<std::uint64_t>::max()
                                                 : static_cast<std::uint64_t>(bound));
  }
}

std::size_t MixtureSource::component(std::uint64_t sample) const {
  return component_of(below_.data(), static_cast<std::uint32_t>(below_.size()), sample, key_);
}

DrawTables MixtureSource::tables() const {
  DrawTables tables;
  tables.kind = DrawKind::mixture;
  tables.head_dim = static_cast<std::uint32_t>(identity_.mean.size() / 2);
  tables.key = key_;
  for (const SparseRoot& root : roots_) add_root(root, tables);
  tables.below = below_;
  return tables;
}

void MixtureSource::lanes(const BlockKernels& kernels, std::uint64_t first, double* x) const {
  kernels.gaussian_lanes(identity_, key_, first, x);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    apply_root(roots_[component(first + lane)], lane, x);
  }
}

Wide quartic_width_squared(std::uint32_t head_dim) {
  // Gamma(h)/Gamma(h + 1/2), h = D/2, up from h = 1 or 1/2.
  const bool even = head_dim % 2 == 0;
  Wide h = even ? Wide(1) : Wide(0.5);
  Wide ratio = even ? Wide(2 / sqrt(wide_pi())) : Wide(sqrt(wide_pi()));
  for (; 2 * h < head_dim; h += 1) ratio *= h / (h + Wide(0.5));
  return 2 * Wide(head_dim) * ratio;
}

RadialModel lower(const RadialDensity& density, const Encoding& encoding, std::uint32_t head_dim) {
  RadialModel model;
  model.shape = density.shape;
  model.moments = moment_model(density, encoding, head_dim);
  if (density.shape == RadialShape::student_t) {
    model.nu = density.nu.value();
    model.excess = static_cast<double>(student_excess(density.nu));
  }
  return model;
}

RadialSource::RadialSource(const RadialModel& model, std::uint64_t seed)
    : shape_(model.shape),
      root_(covariance_root(model.moments)),
      identity_(identity_root(model.moments.head_dim)),
      key_(stream_key(seed)) {
  mean_ = root_.mean;
  std::fill(root_.mean.begin(), root_.mean.end(), 0.0);
  if (shape_ == RadialShape::student_t) {
    gamma_shape_ = model.nu / 2;
    factor_ = model.excess / 2;
  } else {
    gamma_shape_ = model.moments.head_dim / 2.0;
    factor_ = static_cast<double>(Wide(sqrt(quartic_width_squared(model.moments.head_dim))));
  }
}

DrawTables RadialSource::tables() const {
  DrawTables tables;
  tables.kind = shape_ == RadialShape::student_t ? DrawKind::student_t : DrawKind::quartic;
  tables.head_dim = static_cast<std::uint32_t>(mean_.size() / 2);
  tables.key = key_;
  add_root(root_, tables);
  tables.mean = mean_;
  tables.gamma_shape = gamma_shape_;
  tables.factor = factor_;
  return tables;
}

void RadialSource::lanes(const BlockKernels& kernels, std::uint64_t first, double* x) const {
  double scale[kLanes];
  if (shape_ == RadialShape::student_t) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      scale[lane] = std::sqrt(factor_ / gamma(first + lane));  // W = 2 Gamma
    }
    kernels.gaussian_lanes(root_, key_, first, x);
  } else {
    kernels.gaussian_lanes(identity_, key_, first, x);
    double square[kLanes] = {};
    for (std::size_t c = 0; c < mean_.size(); ++c) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double z = x[c * kLanes + lane];
        square[lane] = detail::fused(z, z, square[lane]);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      scale[lane] = factor_ * std::sqrt(std::sqrt(gamma(first + lane))) / std::sqrt(square[lane]);
      apply_root(root_, lane, x);
    }
  }
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double& value = x[c * kLanes + lane];
      value = detail::fused(scale[lane], value, mean_[c]);
    }
  }
}

}  // namespace tapalab
