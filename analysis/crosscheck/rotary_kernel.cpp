#include "analysis/crosscheck/rotary_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/crosscheck/exact_sum.hpp"
#include "sim/errors.hpp"
#include "sim/make_score_tables.hpp"

namespace tapalab {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
// std::cos and std::sin of a double, and the product with the attention factor.
constexpr double kLibraryError = 3e-16;
// Radians: a device's atan2 of sine and cosine in double, 2 units in the last place of pi and one
// of each argument's.
constexpr double kDeviceReduction = 1.2e-15;

bool is_power_of_two(double x) {
  int exponent = 0;
  return std::frexp(std::abs(x), &exponent) == 0.5;
}

double length(const double* x, const RotaryPair& pair) {
  return std::sqrt(x[pair.first] * x[pair.first] + x[pair.second] * x[pair.second]);
}

}  // namespace

RotaryKernel::RotaryKernel(const RotaryScore& score, const Precisions& precisions)
    : score_(score), precisions_(precisions), exact_scale_(pair_of(score.scale)) {
  if (score.slope != 0) {
    throw InputError(
        "crosscheck: no kernel of alibi is emulated; accepted: tapa, tapa-linear and rotary "
        "encodings without decay");
  }
  const RoundedFloat scale = round_pair(precisions.accum, exact_scale_);
  scale_ = scale.value;
  scale_error_ = scale.error;
  for (const RotaryPair& pair : score.pairs) {
    if (pair.decay != 0) {
      throw InputError(
          "crosscheck: no kernel of xpos is emulated; accepted: tapa, tapa-linear and rotary "
          "encodings without decay");
    }
    const ExactPair factor = pair_of(Wide(sqrt(pair.weight)));
    const RoundedFloat stored = round_pair(precisions.trig, factor);
    const ExactPair radians = pair_of(wide_two_pi() * pair.frequency_turns);
    const RoundedFloat frequency = round_pair(precisions.phase, radians);
    frequencies_.push_back({frequency.value, frequency.error, pair.frequency_turns, stored.value,
                            factor.hi, pair_of(pair.weight)});
  }
}

RotaryKernel::Angle RotaryKernel::angle(std::size_t pair, std::uint64_t position,
                                        bool device) const {
  const Frequency& f = frequencies_[pair];
  Angle angle{};
  const RoundedFloat m = from_integer(precisions_.phase, position);
  const RoundedFloat product = multiply(precisions_.phase, m.value, f.value);
  if (!std::isfinite(product.value)) {
    angle.r = angle.cos = angle.sin = std::numeric_limits<double>::quiet_NaN();
    angle.phase_error = angle.cos_error = angle.sin_error = kNoBound;
    return angle;
  }
  // m f - M F = f (m - M) + M (f - F), M the exact position
  angle.scale_error = static_cast<double>(position) * f.error;
  angle.phase_error = std::abs(f.value) * m.error + product.error;
  RoundedFloat r = convert(precisions_.trig, product.value);
  if (std::abs(product.value) > 3.14) {
    const Wide turns = reduce_turns(Wide(product.value) / wide_two_pi());
    r = round_pair(precisions_.trig, pair_of(wide_two_pi() * turns));
  }
  angle.r = r.value;
  angle.reduction_error = r.error;
  if (device && std::abs(product.value) > 3.14) angle.reduction_error += kDeviceReduction;
  const auto stored = [&](double exact, double& error) {
    double value = round_to(precisions_.trig, exact);
    if (f.factor != 1) value = multiply(precisions_.trig, value, f.factor).value;
    value = round_to(precisions_.table, value);
    error = std::abs(value - f.exact_factor * exact) + kLibraryError * f.exact_factor;
    return value;
  };
  angle.cos = stored(std::cos(r.value), angle.cos_error);
  angle.sin = stored(std::sin(r.value), angle.sin_error);
  return angle;
}

RotaryKernel::Place RotaryKernel::place(std::uint64_t distance, std::uint64_t offset,
                                        bool device) const {
  Place place;
  place.distance = distance;
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const Frequency& f = frequencies_[i];
    const Angle query = angle(i, distance + offset, device), key = angle(i, offset, device);
    const Wide exact = reduce_turns(Wide(distance) * f.exact_turns);
    const Wide& weight = score_.pairs[i].weight;
    place.exact_cos.push_back(pair_of(weight * cos_turns(exact)));
    place.exact_sin.push_back(pair_of(weight * sin_turns(exact)));
    const double error = query.error() + key.error();
    double phase_error = 0.5;
    if (std::isfinite(error)) {
      const Wide turns = (Wide(query.r) - Wide(key.r)) / wide_two_pi() - exact;
      phase_error = std::abs(static_cast<double>(reduce_turns(turns)));
      const double whole = 2 * std::sin(std::min(error, kPi) / 2) * f.weight.hi * (1 + 1e-12);
      const double share = error > 0 ? whole / error : 0;
      place.chord.push_back({share * (query.scale_error + key.scale_error),
                             share * (query.phase_error + key.phase_error),
                             share * (query.reduction_error + key.reduction_error)});
    } else {
      place.finite = false;
      place.chord.push_back({0, kNoBound, 0});
    }
    const double bound = std::min(0.5, error / (2 * kPi) * (1 + 1e-12));
    place.phase_bound = std::max(place.phase_bound, bound);
    if (phase_error > place.phase_error || i == 0) {
      place.phase_error = phase_error;
      place.worst_pair = i;
    }
    place.query.push_back(query);
    place.key.push_back(key);
  }
  return place;
}

void RotaryKernel::rotate(const double* x, const std::vector<Angle>& angles,
                          std::vector<double>& rotated,
                          std::vector<std::array<double, 3>>& errors) const {
  rotated.resize(score_.head_dim);
  errors.resize(score_.head_dim);
  for (const std::uint32_t i : score_.plain) {
    rotated[i] = x[i];
    errors[i] = {0, 0, 0};
  }
  const auto coordinate = [&](double a, double c, double b, double s, double table_error,
                              std::uint32_t at) {
    const RoundedFloat second = multiply(precisions_.accum, b, s);
    const RoundedFloat sum = fused_multiply_add(precisions_.accum, a, c, second.value);
    const RoundedFloat stored = convert(precisions_.io, sum.value);
    rotated[at] = stored.value;
    errors[at] = {table_error, second.error + sum.error, stored.error};
  };
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const RotaryPair& pair = score_.pairs[i];
    const Angle& angle = angles[i];
    const double first = x[pair.first], second = x[pair.second];
    coordinate(first, angle.cos, -second, angle.sin,
               std::abs(first) * angle.cos_error + std::abs(second) * angle.sin_error, pair.first);
    coordinate(second, angle.cos, first, angle.sin,
               std::abs(second) * angle.cos_error + std::abs(first) * angle.sin_error, pair.second);
  }
}

RotaryBatch RotaryKernel::batch(std::uint64_t distance, std::uint64_t offset,
                                const KernelRows& rows) const {
  RotaryBatch batch;
  batch.rows = rows;
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const RotaryPair& pair = score_.pairs[i];
    batch.pairs.push_back({pair.first, pair.second, frequencies_[i].value, frequencies_[i].factor});
  }
  batch.query_position = offset + distance;
  batch.key_position = offset;
  batch.scale = scale_;
  return batch;
}

void RotaryKernel::observe(const RotaryOutputs& outputs, Place& place) const {
  const std::size_t pairs = frequencies_.size();
  for (std::size_t i = 0; i < 2 * pairs; ++i) {
    Angle& angle = i < pairs ? place.query[i] : place.key[i - pairs];
    if (!std::isfinite(angle.r)) continue;
    const Frequency& f = frequencies_[i % pairs];
    const double most = 2 * device_cosine_error(precisions_) * f.exact_factor;
    const auto error = [&](double value, double exact) {
      return std::min(std::abs(value - f.exact_factor * exact), most) +
             kLibraryError * f.exact_factor;
    };
    angle.cos = outputs.cosine[i];
    angle.sin = outputs.sine[i];
    angle.cos_error = error(angle.cos, std::cos(angle.r));
    angle.sin_error = error(angle.sin, std::sin(angle.r));
  }
  if (!place.finite) return;
  place.phase_error = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const Wide exact = reduce_turns(Wide(place.distance) * frequencies_[i].exact_turns);
    const Wide turns =
        (Wide(outputs.angle[i]) - Wide(outputs.angle[pairs + i])) / wide_two_pi() - exact;
    const double error = std::abs(static_cast<double>(reduce_turns(turns)));
    if (error <= place.phase_error && i != 0) continue;
    place.phase_error = error;
    place.worst_pair = i;
  }
}

ScoreSample RotaryKernel::score(const double* q, const double* k, const Place& place,
                                Workspace& work, const double* observed) const {
  rotate(q, place.query, work.rotated_q, work.error_q);
  rotate(k, place.key, work.rotated_k, work.error_k);
  Budget sum_bound;
  double sum = 0;
  constexpr std::array<Stage, 3> around{Stage::cosine, Stage::accumulation, Stage::output};
  for (std::uint32_t i = 0; i < score_.head_dim; ++i) {
    const double x = work.rotated_q[i], y = work.rotated_k[i];
    const auto& ex = work.error_q[i];
    const auto& ey = work.error_k[i];
    const RoundedFloat next = fused_multiply_add(precisions_.accum, x, y, sum);
    sum = next.value;
    sum_bound[Stage::accumulation] += next.error;
    // x y - X Y = (x - X) y + X (y - Y), |X| <= |x| + its error
    const double exact_x = std::abs(x) + (ex[0] + ex[1] + ex[2]);
    for (std::size_t s = 0; s < around.size(); ++s) {
      sum_bound[around[s]] += ex[s] * std::abs(y) + exact_x * ey[s];
    }
  }
  // A pair turned by an angle that is off by t moves its product by |q| |k| 2 sin(t/2).
  ExactPair exact{0, 0};
  for (const std::uint32_t i : score_.plain) {
    exact = add_pairs(exact, two_product(q[i], k[i]));
  }
  for (std::size_t i = 0; i < score_.pairs.size(); ++i) {
    const RotaryPair& pair = score_.pairs[i];
    const double q1 = q[pair.first], q2 = q[pair.second];
    const double k1 = k[pair.first], k2 = k[pair.second];
    const double size = length(q, pair) * length(k, pair);
    const auto& chord = place.chord[i];
    sum_bound[Stage::scale] += size * chord[0];
    sum_bound[Stage::phase] += size * chord[1];
    sum_bound[Stage::reduction] += size * chord[2];
    const ExactPair a = add_pairs(two_product(q1, k1), two_product(q2, k2));
    const ExactPair b = add_pairs(two_product(q1, k2), two_product(-q2, k1));
    exact = add_pairs(exact, multiply_pairs(a, place.exact_cos[i]));  // eq. 2
    exact = add_pairs(exact, multiply_pairs(b, place.exact_sin[i]));
  }
  ScoreSample sample;
  const RoundedFloat score = multiply(precisions_.accum, sum, scale_);
  const double exact_sum = std::abs(sum) + sum_bound.total();
  for (std::size_t s = 0; s < kStages; ++s) sample.budget.part[s] = scale_ * sum_bound.part[s];
  sample.budget[Stage::accumulation] += exact_sum * scale_error_ + score.error;
  sample.value = observed != nullptr ? *observed : score.value;
  const ExactPair reference = multiply_pairs(exact, exact_scale_);
  sample.error = (sample.value - reference.hi) - reference.lo;
  sample.phase_error = place.phase_error;
  sample.phase_bound = place.phase_bound;
  return sample;
}

bool RotaryKernel::exact_sums(const double* q, const double* k) const {
  ExactSum sum;
  for (const std::uint32_t i : score_.plain) sum.add_product(q[i], k[i]);
  for (const RotaryPair& pair : score_.pairs) {
    sum.add_product(q[pair.first], k[pair.first]);
    sum.add_product(q[pair.second], k[pair.second]);
    sum.add_product(q[pair.first], k[pair.second]);
    sum.add_product(q[pair.second], k[pair.first]);
  }
  return sum.exact_in_double();
}

double RotaryKernel::worst_angle(const Frequency& f, std::uint64_t position) const {
  const FormatLimits limits = limits_of(precisions_.phase);
  const double m = static_cast<double>(position);
  const double u = unit_roundoff(precisions_.phase);
  // Integers up to 2^p have a place in the type.
  const double cast = m <= power_of_two(limits.digits) ? 0 : u * m;
  const double product = (m + cast) * std::abs(f.value);
  if (m > limits.largest || product * (1 + u) > limits.largest) return kNoBound;
  double error = std::abs(f.value) * cast + m * f.error;
  if (position > 1 && !is_power_of_two(f.value)) {
    error += rounding_bound(precisions_.phase, product);
  }
  const FormatLimits trig = limits_of(precisions_.trig);
  const bool kept = trig.digits >= limits.digits && trig.min_exponent <= limits.min_exponent &&
                    product * (1 + 2 * u) < 3.14;
  if (!kept) error += rounding_bound(precisions_.trig, std::min(kPi, product * (1 + u)));
  return error;
}

double RotaryKernel::worst_phase(std::uint64_t distance, std::uint64_t offset) const {
  double worst = 0;
  for (const Frequency& f : frequencies_) {
    worst = std::max(worst, worst_angle(f, distance + offset) + worst_angle(f, offset));
  }
  return std::min(0.5, worst / (2 * kPi) * (1 + 1e-12));
}

}  // namespace tapalab
