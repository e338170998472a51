#include "analysis/scaled_transform.hpp"

#include <algorithm>

namespace tapalab {
namespace {

Wide modulus_bound(const WideComplex& z) { return abs(z.re) + abs(z.im); }

}  // namespace

ScaledTransform::Value ScaledTransform::at(const WideComplex& rho, int order,
                                           const WideComplex& log_weight) const {
  WideComplex factor{1, 0}, exponent = log_weight, mean, variance;
  Wide log_size = 0, mean_size = 0, variance_size = 0;
  const Wide t_size = abs(t_), rho_size = modulus_bound(rho);
  for (const GaussianTransform::Block& block : blocks_) {
    const std::size_t n = block.eigenvalue.size();
    const Wide copies(block.multiplicity);
    std::vector<WideComplex> g(n), y(n);  // 1/(1 - 2 i t e rho) and i t c g
    std::vector<Wide> g_size(n), y_size(n);
    WideComplex product{1, 0}, roots{1, 0}, block_exponent{0, t_ * block.phase0};
    Wide block_log = t_size * block.phase0_size + 1;
    for (std::size_t j = 0; j < n; ++j) {
      const WideComplex turn{0, Wide(-2 * t_ * block.eigenvalue[j])};
      const WideComplex pole = WideComplex{1, 0} + turn * rho;
      g[j] = reciprocal(pole);
      g_size[j] = modulus_bound(g[j]);
      const Wide first = t_ * block.phase1[j];
      y[j] = {-first * g[j].im, first * g[j].re};
      y_size[j] = t_size * block.phase1_size[j] * g_size[j];
      product = product * g[j];
      // Each factor's principal root is the branch that is 1 at t = 0, for Re zeta > 0 too.
      if (block.multiplicity % 2 == 1 && turn.im != 0) roots = roots * sqrt(g[j]);
      block_exponent = block_exponent - (first * first / 2) * (g[j] * rho);
      block_log += t_size * block.phase1_size[j] * y_size[j] * rho_size +
                   2 * t_size * block.phase_norm * rho_size * g_size[j];
    }
    factor = factor * pow(product, block.multiplicity / 2) * roots;
    exponent = exponent + copies * block_exponent;
    log_size += copies * block_log;
    if (order == 1 && block.odd_amplitude) continue;
    WideComplex block_mean{block.amplitude0, 0}, block_variance;
    Wide block_mean_size = block.amplitude0_size, block_variance_size = 0;
    for (std::size_t j = 0; j < n; ++j) {
      WideComplex gradient{block.amplitude1[j], 0};
      Wide gradient_size = block.amplitude1_size[j];
      block_mean = block_mean + block.amplitude1[j] * (rho * y[j]);
      block_mean_size += block.amplitude1_size[j] * rho_size * y_size[j];
      for (std::size_t k = 0; k < n; ++k) {
        const Wide& w = block.amplitude2[j * n + k];
        const Wide& w_size = block.amplitude2_size[j * n + k];
        if (w_size == 0) continue;
        const WideComplex wy = w * (rho * y[k]);
        const Wide wy_size = w_size * rho_size * y_size[k];
        block_mean = block_mean + wy * (rho * y[j]);
        block_mean_size += wy_size * rho_size * y_size[j];
        gradient = gradient + Wide(2) * wy;
        gradient_size += 2 * wy_size;
        const WideComplex spread = (rho * g[j]) * (rho * g[k]);
        block_variance = block_variance + (2 * w * w) * spread;
        block_variance_size += 2 * w_size * w_size * rho_size * rho_size * g_size[j] * g_size[k];
      }
      block_mean = block_mean + block.amplitude2[j * n + j] * (rho * g[j]);
      block_mean_size += block.amplitude2_size[j * n + j] * rho_size * g_size[j];
      block_variance = block_variance + gradient * gradient * (rho * g[j]);
      block_variance_size += gradient_size * gradient_size * rho_size * g_size[j];
    }
    if (block.odd_amplitude) {
      block_mean = {};
      block_mean_size = 0;
    }
    mean = mean + copies * block_mean;
    variance = variance + copies * block_variance;
    mean_size += copies * block_mean_size;
    variance_size += copies * block_variance_size;
  }
  const WideComplex amplitude = order == 1 ? mean : mean * mean + variance;
  const Wide amplitude_size = order == 1 ? mean_size : Wide(mean_size * mean_size + variance_size);
  Value result;
  result.relative = ldexp(wide_epsilon(), 12) * log_size;
  // An angle without digits: the caller sees from `relative` that nothing is known.
  if (result.relative >= 1) exponent.im = 0;
  const Wide unweighted = modulus_bound(factor) * amplitude_size;
  result.log_size = unweighted > 0 ? Wide(exponent.re + log(unweighted)) : -ldexp(Wide(1), 58);
  if (result.log_size < -ldexp(Wide(1), 57)) return result;
  if (result.log_size > ldexp(Wide(1), 57)) {  // no value: the error says so
    result.size = ldexp(Wide(1), 1LL << 58);
    result.relative = 2;
    return result;
  }
  const WideComplex phi0 = factor * exp(exponent);
  result.value = phi0 * amplitude;
  result.size = modulus_bound(phi0) * amplitude_size;
  return result;
}

bool ScaledTransform::odd_amplitude() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](const GaussianTransform::Block& block) { return block.odd_amplitude; });
}

}  // namespace tapalab
