#include "analysis/crosscheck/phase_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/crosscheck/exact_sum.hpp"
#include "sim/errors.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/numbers/two_pi.hpp"
#include "sim/score.hpp"

namespace tapalab {
namespace {

constexpr double kSineError = 1.3e-16;      // sincos_2pi
constexpr double kReferenceCosine = 5e-16;  // sincos_2pi, and the products with the amplitude

// Turns: phase_turns, and the difference between the kernel's phase and it.
double reference_error(double scale, double phi) {
  return 3e-16 + 0x1p-101 * std::abs(scale * phi);
}

double distance_to(const Wide& exact, double value) {
  return std::abs(static_cast<double>(Wide(value) - exact));
}

// |cos(x + t) - cos x| for |t| <= 2 pi turns, from |sin t| <= |t| and 1 - cos t <= t^2/2.
double cosine_change(SinCos<double> wave, double turns) {
  const double t = kTwoPi * turns;
  const double sine = std::abs(wave.sin) + kSineError, cosine = std::abs(wave.cos) + kSineError;
  return std::min(1 + cosine, sine * t + cosine * (t * t / 2));
}

}  // namespace

PhaseKernel::PhaseKernel(const PhaseScore& score, const Precisions& precisions)
    : score_(score), precisions_(precisions) {
  if (score.amplitude_dim == 0) {
    throw InputError(
        "crosscheck: no kernel of tapa-general is emulated; accepted: tapa, tapa-linear and rotary "
        "encodings");
  }
  phase_weight_ = score.phase_linear.empty() ? score.phase_bilinear.front().weight
                                             : score.phase_linear.front().weight;
  amplitude_factor_ = factor(score.amplitude.front().weight);
  phase_factor_ = factor(phase_weight_);
}

PhaseKernel::Factor PhaseKernel::factor(const Wide& exact) const {
  const ExactPair pair = pair_of(exact);
  const RoundedFloat rounded = round_pair(precisions_.accum, pair);
  return {rounded.value, rounded.error, pair};
}

PhaseKernel::Sum PhaseKernel::dot(const std::vector<BilinearTerm>& terms, const double* q,
                                  const double* k) const {
  Sum sum{0, 0, {0, 0}, true};
  ExactSum exact;
  for (const BilinearTerm& term : terms) {
    const double query = q[term.query], key = k[term.key];
    exact.add_product(query, key);
    const RoundedFloat next = fused_multiply_add(precisions_.accum, query, key, sum.value);
    sum.value = next.value;
    sum.error += next.error;
  }
  sum.exact = exact.value();
  sum.exact_in_double = exact.exact_in_double();
  return sum;
}

PhaseKernel::Sum PhaseKernel::linear_sum(const double* q, const double* k) const {
  Sum sum{0, 0, {0, 0}, true};
  ExactSum exact;
  double part[2] = {0, 0};
  for (const LinearTerm& term : score_.phase_linear) {  // eq. 16
    const bool is_key = term.coordinate >= score_.head_dim;
    const double x = is_key ? k[term.coordinate - score_.head_dim] : q[term.coordinate];
    exact.add(x);
    const RoundedFloat next = add(precisions_.accum, part[is_key], x);
    part[is_key] = next.value;
    sum.error += next.error;
  }
  const RoundedFloat whole = add(precisions_.accum, part[0], part[1]);
  sum.value = whole.value;
  sum.error += whole.error;
  sum.exact = exact.value();
  sum.exact_in_double = exact.exact_in_double();
  return sum;
}

// value * factor against exact * exact factor: |f| e + (|value| + e) |f - F| and the rounding.
RoundedFloat PhaseKernel::times(const Sum& sum, const Factor& factor) const {
  const RoundedFloat product = multiply(precisions_.accum, sum.value, factor.value);
  return {product.value, std::abs(factor.value) * sum.error +
                             (std::abs(sum.value) + sum.error) * factor.error + product.error};
}

PhaseKernel::Features PhaseKernel::features(const double* q, const double* k) const {
  Features f{};
  const Sum amplitude = dot(score_.amplitude, q, k);
  const RoundedFloat a = times(amplitude, amplitude_factor_);
  f.amplitude = a.value;
  f.amplitude_error = a.error;
  f.exact_amplitude = multiply_pairs(amplitude.exact, amplitude_factor_.exact);
  const Sum phase =
      score_.phase_linear.empty() ? dot(score_.phase_bilinear, q, k) : linear_sum(q, k);
  const RoundedFloat phi = times(phase, phase_factor_);
  const RoundedFloat cast = convert(precisions_.phase, phi.value);
  f.phi = cast.value;
  f.phi_sum_error = phi.error;
  f.phi_cast_error = cast.error;
  f.exact_phi = phase.exact;
  f.exact_sums = amplitude.exact_in_double && phase.exact_in_double;
  return f;
}

PhaseKernel::Scale PhaseKernel::scale(std::uint64_t distance) const {
  const Wide exact = score_.phase_scale(distance);
  const double delta = from_integer(precisions_.phase, distance).value;
  const double alpha = round_pair(precisions_.phase, pair_of(score_.alpha.wide())).value;
  double value = delta;
  if (score_.law == PhaseLaw::linear) {
    value = multiply(precisions_.phase, alpha, delta).value;
  } else if (std::isfinite(delta) && delta > 0) {
    value = round_pair(precisions_.phase, pair_of(exp(Wide(alpha) * log(Wide(delta))))).value;
  }
  const double error =
      std::isfinite(value) ? distance_to(exact, value) : std::numeric_limits<double>::infinity();
  return {value, error, static_cast<double>(exact), pair_of(exact * phase_weight_)};
}

PhaseBatch PhaseKernel::batch(const Scale& scale, const KernelRows& rows) const {
  PhaseBatch batch;
  batch.rows = rows;
  batch.amplitude_dim = score_.amplitude_dim;
  batch.linear = !score_.phase_linear.empty();
  batch.amplitude_factor = amplitude_factor_.value;
  batch.phase_factor = phase_factor_.value;
  batch.scale = scale.value;
  return batch;
}

ScoreSample PhaseKernel::score(const Features& f, const Scale& s, const Observed* observed) const {
  ScoreSample sample;
  const double exact_turns = phase_turns<DoublePrecision>(
      TwoTerm<double>{f.exact_phi.hi, f.exact_phi.lo},
      TwoTerm<double>{s.exact_over_sqrt_dp.hi, s.exact_over_sqrt_dp.lo});
  const RoundedFloat p = multiply(precisions_.phase, s.value, f.phi);
  if (!std::isfinite(p.value)) {
    sample.value = sample.error = std::numeric_limits<double>::quiet_NaN();
    sample.budget[Stage::phase] = std::numeric_limits<double>::infinity();
    sample.phase_error = sample.phase_bound = 0.5;
    return sample;
  }
  // Turns. s phi - S Phi = s (phi - Phi) + Phi (s - S), |Phi| <= |phi| + its error.
  Budget turns;
  turns[Stage::scale] = (std::abs(f.phi) + f.phi_sum_error + f.phi_cast_error) * s.error;
  turns[Stage::accumulation] = std::abs(s.value) * f.phi_sum_error;
  turns[Stage::phase] = std::abs(s.value) * f.phi_cast_error + p.error;
  const RoundedFloat r = convert(precisions_.trig, p.value - round_even(p.value));
  turns[Stage::reduction] = r.error;
  const double difference = (observed != nullptr ? observed->turns : r.value) - exact_turns;
  sample.phase_error = std::abs(difference - round_even(difference));
  const double reference_turns = reference_error(s.exact, f.phi);
  sample.phase_bound = std::min(0.5, turns.total() + reference_turns);

  const SinCos<double> wave = sincos_2pi(r.value);
  const double cosine = observed != nullptr
                            ? observed->cosine
                            : round_to(precisions_.accum, round_to(precisions_.trig, wave.cos));
  double cosine_error = std::abs(cosine - wave.cos) + kSineError;
  if (observed != nullptr) {  // not whatever a wrong kernel took for a cosine
    cosine_error = std::min(cosine_error, device_cosine_error(precisions_));
  }
  const double change = cosine_change(wave, std::min(0.5, turns.total()));
  const double exact_cosine = cos_2pi(exact_turns);

  // a c - A C = c (a - A) + A (c - C), |A| <= |a| + its error.
  const double amplitude = std::abs(f.amplitude) + f.amplitude_error;
  const RoundedFloat score = multiply(precisions_.accum, f.amplitude, cosine);
  const double whole = turns.total();
  for (const Stage stage : {Stage::scale, Stage::phase, Stage::reduction, Stage::accumulation}) {
    sample.budget[stage] = whole > 0 ? amplitude * change * (turns[stage] / whole) : 0;
  }
  sample.budget[Stage::cosine] =
      amplitude * (cosine_error + kReferenceCosine + kTwoPi * reference_turns);
  sample.budget[Stage::accumulation] += std::abs(cosine) * f.amplitude_error + score.error;
  sample.value = observed != nullptr ? observed->score : score.value;
  const ExactPair reference = two_product(f.exact_amplitude.hi, exact_cosine);
  sample.error =
      (sample.value - reference.hi) - (reference.lo + f.exact_amplitude.lo * exact_cosine);
  return sample;
}

PhaseKernel::WorstScale PhaseKernel::worst_scale(std::uint64_t distance) const {
  const FloatFormat type = precisions_.phase;
  const double exact = static_cast<double>(score_.phase_scale(distance));
  const double alpha = score_.alpha.value();
  const double alpha_error = round_pair(type, pair_of(score_.alpha.wide())).error;
  const double delta = static_cast<double>(distance);
  const double u = unit_roundoff(type);
  if (delta > limits_of(type).largest || exact > limits_of(type).largest) {
    return {exact, std::numeric_limits<double>::infinity()};
  }
  // Integers up to 2^p have a place in the type.
  const double cast = delta <= power_of_two(limits_of(type).digits) ? 0 : u;
  double relative = 0;
  if (score_.law == PhaseLaw::linear) {
    relative = (1 + cast) * (1 + alpha_error / alpha) - 1;
  } else if (distance > 1) {
    relative = std::expm1((alpha + alpha_error) * std::log1p(cast) + alpha_error * std::log(delta));
  }
  const double inexact = distance <= 1 && score_.law == PhaseLaw::power
                             ? 0
                             : rounding_bound(type, exact * (1 + relative));
  return {exact, exact * relative + inexact};
}

double PhaseKernel::worst_phase(const Features& f, const WorstScale& s) const {
  const double phi_error = f.phi_sum_error + f.phi_cast_error;
  const double product = (s.exact + s.error) * std::abs(f.phi);
  const double error = (std::abs(f.phi) + phi_error) * s.error + (s.exact + s.error) * phi_error +
                       rounding_bound(precisions_.phase, product) +
                       rounding_bound(precisions_.trig, std::min(0.5, product));
  const bool finite = std::isfinite(error) && product <= limits_of(precisions_.phase).largest;
  return finite ? std::min(0.5, error * (1 + 1e-12)) : 0.5;
}

}  // namespace tapalab
