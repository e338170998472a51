#include "analysis/radial_transform.hpp"

#include <algorithm>

#include "analysis/scaled_transform.hpp"
#include "sim/coupled_sampler.hpp"
#include "sim/errors.hpp"
#include "sim/marginal_special.hpp"

namespace tapalab {
namespace {

constexpr int kMostHalvings = 6;
constexpr int kMostNodes = 100'000;
constexpr int kQuietNodes = 4;  // in a row, before a side of the line is left
// Of the integral of the modulus, where a node no longer matters.
const Wide& quiet_level() {
  static const Wide level = ldexp(Wide(1), -120);
  return level;
}
const Wide& radial_target() {
  static const Wide target("1e-15");
  return target;
}

using RadialTerm = ScaledTransform::Value;

class LineSum {
 public:
  void add(const RadialTerm& term) {
    last = abs(term.value);
    value = value + term.value;
    absolute += last;
    rounding += term.size * std::min(term.relative, Wide(2));
    reached = reached || term.size > 0;
  }

  WideComplex value;
  Wide absolute{0}, rounding{0}, last{0};
  bool reached = false;
};

/// The trapezoidal rule over a line for term(x), from `start` to both sides until terms are quiet
/// and may_stop(x, sum of moduli) says that they fall from there on; the step is halved until two
/// sums agree.
template <class TermAt, class MayStop>
RadialIntegral line_integral(const Wide& start, const Wide& first_step, const TermAt& term,
                             const MayStop& may_stop) {
  LineSum sum;
  sum.add(term(start));
  long long ends[2] = {0, 0};
  bool whole = true;
  for (const int side : {-1, 1}) {
    int quiet = 0;
    long long k = 0;
    while (quiet < kQuietNodes || !may_stop(Wide(start + side * k * first_step), sum.absolute)) {
      if (++k > kMostNodes) {
        whole = false;
        break;
      }
      sum.add(term(Wide(start + side * k * first_step)));
      quiet = sum.last <= quiet_level() * sum.absolute ? quiet + 1 : 0;
    }
    ends[side == 1 ? 1 : 0] = side * k;
  }
  RadialIntegral result;
  if (!sum.reached) {
    result.underflow = true;
    result.value = {ldexp(Wide(1), -(1LL << 56)), Wide(0)};
    result.error = 2 * result.value.re;
    return result;
  }
  Wide step = first_step, difference = step * sum.absolute;
  WideComplex coarse = step * sum.value;
  for (int halving = 0; halving < kMostHalvings; ++halving) {
    const long long nodes = (ends[1] - ends[0]) << halving;
    if (nodes > kMostNodes) break;
    const long long low = ends[0] << halving;
    for (long long i = 0; i < nodes; ++i) {
      sum.add(term(Wide(start + (Wide(low + i) + Wide(0.5)) * step)));
    }
    step /= 2;
    const WideComplex fine = step * sum.value;
    difference = abs(fine - coarse);
    coarse = fine;
    if (difference <= radial_target() * abs(fine)) break;
  }
  result.value = coarse;
  result.absolute = step * sum.absolute;
  // What is left out beyond the ends, the rounding of the terms, and of their sum.
  result.error = difference + ldexp(result.absolute, -100) + step * sum.rounding;
  if (!whole) result.error += result.absolute;
  return result;
}

/// Where f is least (sign 1) or largest (sign -1) between low and high, to `width`; f has one such
/// place, or the place found is one of several.
template <class F>
Wide extreme_place(const F& f, int sign, Wide low, Wide high, const Wide& width) {
  while (high - low > width) {
    const Wide third = (high - low) / 3;
    if (sign * f(Wide(low + third)) < sign * f(Wide(high - third))) {
      high -= third;
    } else {
      low += third;
    }
  }
  return (low + high) / 2;
}

/// Of the size of an amplitude's coefficients, summed.
Wide term_amplitude(const GaussianTransform& gaussian) {
  Wide sum = 1;
  for (const GaussianTransform::Block& block : gaussian.blocks()) {
    const Wide copies(block.multiplicity);
    sum += copies * block.amplitude0_size;
    for (const Wide& size : block.amplitude1_size) sum += copies * size;
    for (const Wide& size : block.amplitude2_size) sum += copies * size;
  }
  return sum;
}

bool student(RadialShape shape) { return shape == RadialShape::student_t; }

}  // namespace

RadialTransform::RadialTransform(const RadialDensity& density, const GaussianModel& moments,
                                 const SparseForm& amplitude, const SparseForm& phase)
    : shape_(density.shape),
      coordinates_(2 * moments.head_dim),
      gaussian_(moments, amplitude, phase) {
  if (tapalab::student(shape_)) {
    half_nu_ = density.nu.wide() / 2;
    excess_ = student_excess(density.nu);
  } else {
    width_squared_ = quartic_width_squared(moments.head_dim);
  }
}

RadialIntegral RadialTransform::at(const Wide& t, int order) const {
  if (abs(t) > ldexp(Wide(1), 1'000'000)) {
    throw InputError(
        "--distances: the phase scale is beyond 2^1000000, and the integral over the scale of the "
        "density ends there; accepted: smaller distances or alpha");
  }
  if (order == 1 && ScaledTransform(gaussian_, t).odd_amplitude()) return {};
  return tapalab::student(shape_) ? student(t, order) : quartic(t, order);
}

// R^2 = (nu - 2)/W, W/2 = (nu/2) e^v: the density of v is e^(-k (e^v - 1 - v)) k^k e^-k/Gamma(k),
// k = nu/2.
RadialIntegral RadialTransform::student(const Wide& t, int order) const {
  const ScaledTransform transform(gaussian_, t);
  const Wide peak = log_gamma_peak(half_nu_), ratio = excess_ / (2 * half_nu_);
  const auto term = [&](const Wide& v) {
    const Wide exponent = peak - half_nu_ * exp_beyond_tangent(v);
    RadialTerm value = transform.at({ratio * exp(Wide(-v)), Wide(0)}, order, {exponent, Wide(0)});
    // The weight's own rounding: units of its exponent.
    value.relative += ldexp(wide_epsilon(), 8) * (1 + abs(exponent));
    return value;
  };
  // To the left R grows: a factor with a mean has its least at 2 t e R^2 = 1 and rises from there
  // like e^(-A/R^2), A = c^2/(8 e^2), against the fall of the others and of the density of v, whose
  // exponents in R^2 are rank/2 + k - order: the product falls for good beyond twice the place
  // where the two balance. To the right the density of v falls for good beyond e^v = 1 +
  // dimension/k.
  Wide falling = 0, rise = 0, rank = 0;
  for (const GaussianTransform::Block& block : gaussian_.blocks()) {
    for (std::size_t j = 0; j < block.eigenvalue.size(); ++j) {
      const Wide turn = abs(t * block.eigenvalue[j]);
      if (turn <= ldexp(block.phase_norm * abs(t), -150)) continue;
      const Wide copies(block.multiplicity);
      rank += copies;
      if (block.phase1[j] == 0) continue;
      falling = std::max(falling, Wide(4 / turn));
      const Wide center = block.phase1[j] / block.eigenvalue[j];
      rise += copies * center * center / 8;
    }
  }
  falling = std::max(falling, Wide(2 * rise / (half_nu_ + rank / 2 - order)));
  const Wide left =
      std::min(Wide(log(ratio)) - (falling > 0 ? Wide(log(falling)) : Wide(0)), Wide(0));
  const Wide spread = half_nu_ + Wide(coordinates_) / 2;
  const Wide step = std::min(Wide(0.25), Wide(Wide(0.75) / sqrt(spread)));
  // ln|Phi_0| is above -t^2 c^2 R^2/2 for terms with a mean, so the largest term has e^v below a
  // multiple of t, or of the dimension.
  const Wide size = log(2 + abs(t)) + log(Wide(coordinates_)) + 4;
  const Wide start = extreme_place([&](const Wide& v) { return term(v).log_size; }, -1,
                                   Wide(left - 8 - log(1 + abs(t))), size, step);
  // |Phi_order| is at most E|a|^order at that R, which the density of v outweighs far out on both
  // sides. Beside means there may be two peaks, where the phase's decay ends: to the left, large R,
  // and to the right, R beside 0. Each is searched for as far as that bound allows.
  const Wide log_amplitude = log(Wide(2 * term_amplitude(gaussian_)));
  const auto may_stop = [&](const Wide& v, const Wide& absolute) {
    if (v < left || v > 45) return true;  // at 45 the density of v is below the range of Wide
    const Wide bound = peak - half_nu_ * exp_beyond_tangent(v) +
                       order * (log_amplitude + std::max(Wide(log(ratio) - v), Wide(0)));
    return absolute > 0 && (v < 0 || v > start) && bound < log(absolute) - 84;
  };
  return line_integral(start, step, term, may_stop);
}

// e^(-r^4/b^4) = (2 sqrt(pi) i)^-1 int e^(zeta^2/4 - zeta r^2/b^2) d zeta over a line Re zeta = c >
// 0: Gaussians of variance b^2/(2 zeta) on each coordinate. With n coordinates Phi = 2
// Gamma(n/2)/Gamma(n/4) (2 sqrt(pi))^-1 int e^(zeta^2/4) zeta^(-n/2) Phi^(b^2/(2 zeta)) dy.
RadialIntegral RadialTransform::quartic(const Wide& t, int order) const {
  const ScaledTransform transform(gaussian_, t);
  const Wide half(Wide(coordinates_) / 2), quarter = half / 2;
  // ln of 2 Gamma(n/2)/(2 sqrt(pi) Gamma(n/4)), from ln Gamma(m) = m ln m - m - log_gamma_peak(m)
  const auto log_gamma = [](const Wide& m) { return Wide(m * log(m) - m - log_gamma_peak(m)); };
  const Wide norm = log_gamma(half) - log_gamma(quarter) - log(wide_pi()) / 2;
  const auto term_at = [&](const Wide& c, const Wide& y) {
    const Wide square = c * c + y * y;
    const WideComplex log_weight{(c * c - y * y) / 4 - half * log(square) / 2 + norm,
                                 c * y / 2 - half * atan2(y, c)};
    RadialTerm value = transform.at((width_squared_ / 2) * reciprocal({c, y}), order, log_weight);
    value.relative += ldexp(wide_epsilon(), 8) * (1 + half * (8 + abs(log(square))) + square);
    return value;
  };
  // Without phase the saddle is at sqrt(n); phases of degree two move it down, those of degree one
  // to zeta^3 = -2 T, T = t^2 b^2 |phase1|^2/4, off the real axis. Where a coordinate has both, the
  // turns of its square, |t e| b^2, hide its T beyond sqrt(n).
  Wide linear = 0;
  for (const GaussianTransform::Block& block : gaussian_.blocks()) {
    for (std::size_t j = 0; j < block.phase1.size(); ++j) {
      const Wide hidden = abs(t * block.eigenvalue[j]) * width_squared_ / sqrt(2 * half);
      const Wide part = block.phase1[j] / std::max(hidden, Wide(1));
      linear += Wide(block.multiplicity) * part * part;
    }
  }
  const Wide highest = 2 * sqrt(half) + 2 + 2 * cbrt(Wide(t * t * width_squared_ * linear));
  Wide c = highest;
  if (linear == 0) {
    // Through the least modulus on the real axis: there digits cancel least.
    c = exp(extreme_place([&](const Wide& log_c) { return term_at(exp(log_c), Wide(0)).log_size; },
                          1, Wide(log(Wide(sqrt(half) / 64))), Wide(log(highest)), Wide(1) / 64));
  } else {
    // The line whose largest term is least, through the saddle: a coarse grid, then steps that
    // shrink.
    const auto height = [&](const Wide& x, const Wide& y) { return term_at(x, y).log_size; };
    Wide peak_y = 0, least = 0;
    for (Wide candidate = highest; candidate > highest / 100; candidate *= Wide(0.6)) {
      Wide largest = height(candidate, Wide(0)), at = 0;
      for (const double part : {0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0}) {
        for (const double y : {part, -part}) {
          const Wide here = height(candidate, Wide(y * highest));
          if (here <= largest) continue;
          largest = here;
          at = y * highest;
        }
      }
      if (candidate < highest && largest >= least) continue;
      least = largest;
      c = candidate;
      peak_y = at;
    }
    // The largest term of a line, from a place near it.
    const auto climb = [&](const Wide& line, Wide y) {
      Wide largest = height(line, y);
      Wide step = highest / 16;
      for (int i = 0; i < 12; ++i) {
        const Wide up = height(line, Wide(y + step)), down = height(line, Wide(y - step));
        if (std::max(up, down) <= largest) {
          step /= 2;
          continue;
        }
        y += up > down ? step : Wide(-step);
        largest = std::max(up, down);
      }
      peak_y = y;
      return largest;
    };
    least = climb(c, peak_y);
    Wide ratio = Wide(1.25);
    for (int i = 0; i < 9; ++i) {
      const Wide above = climb(Wide(c * ratio), peak_y);
      const Wide below = climb(Wide(c / ratio), peak_y);
      if (std::min(above, below) >= least) {
        ratio = sqrt(ratio);
        continue;
      }
      c = above < below ? Wide(c * ratio) : Wide(c / ratio);
      least = std::min(above, below);
    }
  }
  // On the line |zeta - 2 i t e b^2| >= c: without the turns of the phase terms would be at most
  // this, and e^(-y^2/4) bounds them beyond any peak at y = t b^2 e.
  const Wide log_bound = c * c / 4 - half * log(c) + norm + 16 + 4 * abs(log(width_squared_ / c)) +
                         4 * abs(log(term_amplitude(gaussian_)));
  const auto may_stop = [&](const Wide& y, const Wide& absolute) {
    return absolute > 0 && y * y / 4 > 84 + log_bound - log(absolute);
  };
  // Singular at Re zeta = 0 alone: the sum of step h is right to e^(-2 pi c/h).
  const Wide step = std::min(Wide(0.5), Wide(c / 4));
  return line_integral(
      Wide(0), step, [&](const Wide& y) { return term_at(c, y); }, may_stop);
}

ScaleSpread scale_spread(const RadialDensity& density, std::uint32_t head_dim) {
  ScaleSpread spread;
  if (student(density.shape)) {
    const Wide rest = student_excess(density.nu) - 2;
    spread.value = 2 / rest;
    spread.error = 8 * wide_epsilon() * (spread.value + 4 / (rest * rest));
    return spread;
  }
  const Wide square = quartic_width_squared(head_dim);
  const Wide fourth = square * square / (8 * (Wide(head_dim) + 1));
  spread.value = fourth - 1;
  spread.error = ldexp(wide_epsilon(), 4) * (Wide(head_dim) + 4) * fourth;
  return spread;
}

bool has_second_moment(const RadialDensity& density) {
  return !student(density.shape) || density.nu.compare(4) > 0;
}

}  // namespace tapalab
