#include "analysis/asymptote.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "analysis/asymptote_coupled.hpp"
#include "analysis/asymptote_gaussian.hpp"
#include "analysis/asymptote_product.hpp"
#include "analysis/log_number.hpp"
#include "analysis/phase_scale.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/two_pi.hpp"
#include "sim/score_model.hpp"

namespace tapalab {
namespace {

Asymptote power(double exponent, std::string reason) {
  return {AsymptoteKind::power, exponent, std::nullopt, std::move(reason)};
}

/// Rank and Frobenius norm of the phase's matrix N, for the unit of t.
double t_per_scale(const PhaseScore& score) {
  if (score.amplitude_dim > 0) {
    return kTwoPi / std::sqrt(static_cast<double>(score.head_dim - score.amplitude_dim));
  }
  const Eigen::Index D = score.head_dim;
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(D, D);
  for (const BilinearTerm& term : score.phase_bilinear) {
    N(term.query, term.key) += static_cast<double>(term.weight);
  }
  const double norm = N.norm();
  if (norm == 0) {
    throw InputError(
        "fit: the matrix N of tapa-general is 0, so that its phase is 0 at every "
        "distance; accepted: a non-zero N");
  }
  const auto rank = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(N).rank();
  return kTwoPi * norm / std::sqrt(static_cast<double>(rank));
}

bool zero_mean_amplitude(const PairLaw& law) {
  return law.rho.wide() * law.scale_q.wide() * law.scale_k.wide() +
             law.mean_q.wide() * law.mean_k.wide() ==
         0;
}

constexpr const char* kNoAmplitude =
    "the amplitude has mean 0 and is independent of the phase, so that the mean is "
    "0 "
    "at every distance";

/// Split TAPA, pairs independent of each other: |Phi_1| = |E a| |g(tau)|^dP, one g for all pairs.
void fill_split(DecayLaw& law, const GaussianDensity& density, std::uint32_t amplitude_dim,
                std::uint32_t phase_dim) {
  const PairLaw& pair = density.phase;
  const double sq = pair.scale_q.value(), sk = pair.scale_k.value();
  const GaussianPair unit{pair.mean_q.value() / sq, pair.mean_k.value() / sk, pair.rho.value()};
  const double tau_per_scale = law.t_per_scale * sq * sk;
  const double dP = phase_dim;
  law.log_envelope = [=](double s) {
    const Rounded one = unit.log_modulus(tau_per_scale * s);
    return Rounded{dP * one.value, dP * one.error};
  };
  law.exponent_in_scale = [=](double s) {
    const Rounded one = unit.exponent(tau_per_scale * s);
    return Rounded{dP * one.value, dP * one.error};
  };
  const bool degenerate = abs(pair.rho.wide()) == 1;
  if (zero_mean_amplitude(density.amplitude)) {
    law.asymptote = not_predicted(kNoAmplitude);
  } else if (degenerate) {
    law.asymptote = power(-dP / 2, fmt::format("|rho| = 1: each phase coordinate is a square, and "
                                               "the envelope falls like s^-dP/2, dP = {}",
                                               phase_dim));
  } else {
    // theorem-3.2 with its constant: C = |E a| (2 pi sq sk)^-dP (1 - rho^2)^(-dP/2) dP^(dP/2)
    const PairLaw& a = density.amplitude;
    const Wide mean_a =
        sqrt(Wide(amplitude_dim)) *
        abs(a.rho.wide() * a.scale_q.wide() * a.scale_k.wide() + a.mean_q.wide() * a.mean_k.wide());
    const double rest = (1 - pair.rho.value()) * (1 + pair.rho.value());
    const double log10_constant =
        LogNumber(mean_a).log10_abs() +
        dP * (std::log10(dP) / 2 - std::log10(kTwoPi * sq * sk) - std::log10(rest) / 2);
    law.asymptote = power(
        -dP, fmt::format("stationary phase: the envelope falls like s^-dP, dP = {}; it is below C "
                         "s^-dP at every distance (theorem-3.2), log10 C = {:.6f}",
                         phase_dim, log10_constant));
  }
}

/// Linear phase: |Phi_1| = |E a| exp(-(2 pi s)^2 Var phi/2).
void fill_linear(DecayLaw& law, const GaussianDensity& density) {
  const PairLaw& pair = density.phase;
  const double sq = pair.scale_q.value(), sk = pair.scale_k.value();
  // phi = sum over dP coordinates of (q + k)/sqrt(dP)
  const double variance = sq * sq + sk * sk + 2 * pair.rho.value() * sq * sk;
  const double half = kTwoPi * kTwoPi * variance / 2;
  constexpr double kUlps = 1e-15;
  law.log_envelope = [=](double s) { return Rounded{-half * s * s, kUlps * half * s * s}; };
  law.exponent_in_scale = [=](double s) {
    return Rounded{-2 * half * s * s, 2 * kUlps * half * s * s};
  };
  if (zero_mean_amplitude(density.amplitude)) {
    law.asymptote = not_predicted(kNoAmplitude);
  } else if (variance <= 0) {
    law.asymptote = not_predicted("the phase is constant, and nothing decays");
  } else {
    law.asymptote = {
        AsymptoteKind::faster_than_power, std::nullopt, std::nullopt,
        "a linear phase has no critical point: the envelope falls like a Gaussian in s"};
  }
}

struct FillDecay {
  DecayLaw& law;
  const Encoding& encoding;
  const PhaseScore& score;

  void operator()(const GaussianDensity& density) const {
    if (std::holds_alternative<TapaEncoding>(encoding.law)) {
      fill_split(law, density, score.amplitude_dim, score.head_dim - score.amplitude_dim);
    } else if (std::holds_alternative<TapaLinearEncoding>(encoding.law)) {
      fill_linear(law, density);
    } else {
      fill_quadratic_decay(law, score, lower(density, encoding, score.head_dim));
    }
  }
  void operator()(const FullGaussianDensity& density) const {
    fill_quadratic_decay(law, score, lower(density, score.head_dim));
  }
  void operator()(const ProductDensity& density) const {
    const std::uint32_t phase_dim = score.head_dim - score.amplitude_dim;
    if (std::holds_alternative<TapaEncoding>(encoding.law)) {
      law.asymptote = split_product_asymptote(density, phase_dim);
      fill_split_product(law, density, phase_dim);
    } else if (std::holds_alternative<TapaLinearEncoding>(encoding.law)) {
      law.asymptote = linear_product_asymptote(density, phase_dim);
      fill_linear_product(law, density, phase_dim);
    } else {
      law.asymptote = not_predicted("general matrices couple coordinates that are not Gaussian");
    }
  }
  void operator()(const MixtureDensity& density) const {
    if (!split(law)) return;
    law.asymptote = split_mixture_asymptote(density, phase_dim());
  }
  void operator()(const RadialDensity& density) const {
    if (!split(law)) return;
    law.asymptote = split_radial_asymptote(density, phase_dim());
  }
  void operator()(const EmpiricalDensity& density) const {
    if (density.bandwidth.compare(0) > 0) {
      if (!split(law)) return;
      law.asymptote = split_smoothed_asymptote(density, score.amplitude_dim, phase_dim());
      return;
    }
    law.asymptote = not_predicted(
        "over finitely many tokens the mean is almost periodic in s and does not "
        "decay for ever");
  }

 private:
  std::uint32_t phase_dim() const { return score.head_dim - score.amplitude_dim; }
  /// Other encodings under laws that couple amplitude and phase: exponents are measured alone.
  bool split(DecayLaw& decay) const {
    if (std::holds_alternative<TapaEncoding>(encoding.law)) return true;
    decay.asymptote = not_predicted("no decay law is derived for this encoding and density");
    return false;
  }
};

}  // namespace

Asymptote not_predicted(std::string reason) {
  return {AsymptoteKind::not_predicted, std::nullopt, std::nullopt, std::move(reason)};
}

DecayLaw decay_law(const Encoding& encoding, const Density& density, std::uint32_t head_dim) {
  const ScoreModel model = lower(encoding, head_dim);
  const auto* score = std::get_if<PhaseScore>(&model);
  if (score == nullptr) {
    throw InputError(fmt::format(
        "fit: the mean of {} has no power law: it is a sum of cosines of the distance and does not "
        "decay for ever; accepted: tapa, tapa-linear, tapa-general",
        encoding_name(encoding.law)));
  }
  DecayLaw law;
  law.t_per_scale = t_per_scale(*score);
  const PhaseScaleDouble scale = PhaseScaleDouble::of(*score);
  if (!scale.linear) law.scale_exponent = scale.alpha;
  law.scale = [scale](std::uint64_t distance) { return scale(static_cast<double>(distance)); };
  std::visit(FillDecay{law, encoding, *score}, density.law);
  if (law.asymptote.exponent_in_scale) {
    law.asymptote.exponent_in_distance = *law.asymptote.exponent_in_scale * law.scale_exponent;
  }
  return law;
}

}  // namespace tapalab
