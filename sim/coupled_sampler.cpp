#include "sim/coupled_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/marginal_special.hpp"
#include "sim/random/normal.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {
namespace {

// A word as u in [2^-65, 1], as sim/marginal_sampler.hpp makes it.
double unit_word(std::uint32_t high, std::uint32_t low) {
  return (detail::word_value(high) * 4294967296.0 + (detail::word_value(low) + 0.5)) *
         5.421010862427522e-20;
}

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
  if (roots_.size() == 1) return 0;
  const PhiloxBlock block = philox(stream_counter(sample, 0, stream_tag(Stream::component)), key_);
  const std::uint64_t word = std::uint64_t{block.word[0]} << 32 | block.word[1];
  // The last component takes what is left, the largest word included.
  const auto found = std::upper_bound(below_.begin(), below_.end() - 1, word);
  return static_cast<std::size_t>(found - below_.begin());
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

double RadialSource::gamma(std::uint64_t sample) const {
  // Shape 1/2 is half the square of a normal; all others are 1 or more.
  const auto block = [&](std::uint32_t draw, std::uint32_t retry) {
    return philox(stream_counter(sample, draw, stream_tag(Stream::scale, retry)), key_);
  };
  if (gamma_shape_ < 1) {
    const double z = normal_pair(block(0, 0)).first;
    return 0.5 * z * z;
  }
  const double d = gamma_shape_ - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (std::uint32_t retry = 0; retry < 65536; ++retry) {
    const double z = normal_pair(block(0, retry)).first;
    const double root = detail::fused(c, z, 1.0);
    if (!(root > 0)) continue;
    const double v = root * root * root;
    const PhiloxBlock words = block(1, retry);
    const double u = unit_word(words.word[0], words.word[1]);
    if (natural_log(u) <= 0.5 * z * z + d * (1.0 - v + natural_log(v))) return d * v;
  }
  return d;
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
