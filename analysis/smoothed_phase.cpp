// Phase scores under a smoothed empirical density. Given a pair of tokens every coordinate is
// Gaussian with standard deviation h and independent of the others, so with t' = t/sqrt(dP),
// Delta = 1 + t'^2 h^4:
//   E[e^(i t phi) | pair] = Delta^(-dP/2) e^(-c (|q_P|^2 + |k_P|^2)) e^(i t' q_P.k_P/Delta),
//   c = t'^2 h^2/(2 Delta),
//   E[a | pair] = a, E[a^2 | pair] = a^2 + h^2 (|q_A|^2 + |k_A|^2)/dA + h^4.
// A linear phase has e^(-t^2 h^2) e^(i t phi) instead.
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "analysis/empirical.hpp"
#include "analysis/phase_point.hpp"
#include "analysis/smoothed_curve.hpp"
#include "analysis/smoothed_sums.hpp"
#include "sim/interrupt.hpp"

namespace tapalab::empirical {
namespace {

using Real = long double;
constexpr Real kUnit = std::numeric_limits<Real>::epsilon();
constexpr Real kNegligible = 1e-45L;  // of the heaviest pair of the rule
constexpr std::size_t kChunk = 64;    // tokens that are added before they join the sum of all

/// Tokens as the sums see them.
struct Sides {
  std::vector<Wide> norm_q, norm_k;            ///< |q_P|^2, |k_P|^2
  std::vector<Real> size_q, size_k;            ///< their roots
  std::vector<Real> amplitude_q, amplitude_k;  ///< |q_A|, |k_A|
  std::vector<RawPhase> linear_q, linear_k;    ///< sums of phase coordinates
  Wide least_q, least_k;                       ///< of the norms
  bool precise = true;                         ///< raw phases stay in the range of double
};

Sides make_sides(const TokenTable& table, std::size_t dA) {
  Sides sides;
  const std::size_t dim = table.head_dim;
  const auto fill = [&](const std::vector<double>& rows, std::vector<Wide>& norm,
                        std::vector<Real>& size, std::vector<Real>& amplitude,
                        std::vector<RawPhase>& linear, Wide& least) {
    for (std::size_t t = 0; t < table.tokens; ++t) {
      const double* row = &rows[t * dim];
      Wide sum = 0;
      for (std::size_t i = dA; i < dim; ++i) sum += Wide(row[i]) * Wide(row[i]);
      RawPhase line;
      for (std::size_t i = dA; i < dim; ++i) line.pair = add_pairs(line.pair, {row[i], 0});
      line.plain = lane_sum(dim - dA, [&](std::size_t i) { return Real(row[dA + i]); });
      norm.push_back(sum);
      size.push_back(std::sqrt(static_cast<Real>(sum)));
      amplitude.push_back(std::sqrt(dot(row, row, dA)));
      linear.push_back(line);
    }
    least = *std::min_element(norm.begin(), norm.end());
  };
  fill(table.queries, sides.norm_q, sides.size_q, sides.amplitude_q, sides.linear_q, sides.least_q);
  fill(table.keys, sides.norm_k, sides.size_k, sides.amplitude_k, sides.linear_k, sides.least_k);
  const auto largest = [](const std::vector<Real>& sizes) {
    return std::max(Real(1), *std::max_element(sizes.begin(), sizes.end()));
  };
  sides.precise = largest(sides.size_q) * largest(sides.size_k) < 1e150L;
  return sides;
}

using Angle = SmoothedAngle;

/// `gap`: by how much |q_P|^2 + |k_P|^2 of the rule's heaviest pair exceeds the least norms.
Angle make_angle(const Wide& t, const Wide& h, std::size_t dP, bool linear, const Sides& sides,
                 const Wide& gap) {
  Angle angle;
  const std::size_t tokens = sides.size_q.size();
  const Wide each = t / sqrt(Wide(dP));
  const auto set_turns = [&](const Wide& turn) {
    angle.turn = static_cast<Real>(turn);
    if (turn < Wide(1e150)) angle.turns = pair_of(turn / wide_two_pi());
  };
  if (linear) {
    set_turns(each);
    angle.log_factor = -t * t * h * h;
    angle.weight_q.assign(tokens, 1);
    angle.weight_k.assign(tokens, 1);
    angle.least_weight = kNegligible;
    return angle;
  }
  const Wide delta = 1 + each * each * h * h * h * h;
  const Wide c = each * each * h * h / (2 * delta);
  set_turns(each / delta);
  angle.log_factor = -Wide(dP) / 2 * log(delta) - c * (sides.least_q + sides.least_k);
  const auto weight = [](const Wide& exponent) {  // long double ends at e^-11355
    return exponent > 11000 ? Real(0) : static_cast<Real>(Wide(exp(Wide(-exponent))));
  };
  angle.least_weight = kNegligible * weight(c * gap);
  for (std::size_t i = 0; i < tokens; ++i) {
    angle.weight_q.push_back(weight(c * (sides.norm_q[i] - sides.least_q)));
    angle.weight_k.push_back(weight(c * (sides.norm_k[i] - sides.least_k)));
  }
  return angle;
}

/// Sums over pairs at one distance: of a e^(i t phi), of (a^2 + noise) cos(2 t phi), and the sums
/// of moduli that their rounding is relative to, without and with |q_P| |k_P|.
struct Sums {
  Compensated re, im, second;
  Real size1 = 0, phase1 = 0, size2 = 0, phase2 = 0;

  void add(const Sums& other) {
    for (const auto& [mine, its] : {std::pair{&re, &other.re}, std::pair{&im, &other.im},
                                    std::pair{&second, &other.second}}) {
      mine->add(its->sum);
      mine->add(its->low);
    }
    size1 += other.size1;
    phase1 += other.phase1;
    size2 += other.size2;
    phase2 += other.phase2;
  }
};

struct Distance {
  Angle first, second;  ///< at t and 2 t
};

class SmoothedPhase {
 public:
  SmoothedPhase(const CurveTask& task, const PhaseScore& score, const TokenTable& table,
                PairRule rule, const Wide& bandwidth)
      : task_(task),
        score_(score),
        table_(table),
        rule_(rule),
        h_(bandwidth),
        dA_(score.amplitude_dim),
        dP_(score.head_dim - score.amplitude_dim),
        linear_(score.phase_bilinear.empty()),
        sides_(make_sides(table, dA_)) {}

  std::vector<CurvePoint> points() const {
    const auto& distances = task_.distances.distances;
    const bool each = rule_ == PairRule::at_distance;
    const std::size_t together = each ? 1 : kDistancesTogether;
    std::vector<CurvePoint> points;
    for (std::size_t begin = 0; begin < distances.size(); begin += together) {
      const std::size_t end = std::min(begin + together, distances.size());
      const PairLists lists(rule_, table_.tokens, each ? distances[begin] : 0);
      const Wide gap = heaviest_gap(lists);
      std::vector<Distance> angles;
      for (std::size_t d = begin; d < end; ++d) {
        const Wide t = wide_two_pi() * score_.phase_scale(distances[d]);
        angles.push_back({make_angle(t, h_, dP_, linear_, sides_, gap),
                          make_angle(Wide(2 * t), h_, dP_, linear_, sides_, gap)});
      }
      const std::vector<Sums> sums =
          linear_ && rule_ == PairRule::all ? factored_sums(angles) : pair_sums(lists, angles);
      const Sums still = pair_free_amplitude(lists);
      for (std::size_t d = begin; d < end; ++d) {
        points.push_back(
            point(distances[d], lists.pairs(), angles[d - begin], sums[d - begin], still));
      }
      if (task_.progress) {
        task_.progress(static_cast<double>(end) / static_cast<double>(distances.size()));
      }
    }
    return points;
  }

 private:
  Real noise(std::size_t m, std::size_t n) const {
    const Real h = static_cast<Real>(h_), qa = sides_.amplitude_q[m], ka = sides_.amplitude_k[n];
    return h * h * (qa * qa + ka * ka) / Real(dA_) + h * h * h * h;
  }

  Wide heaviest_gap(const PairLists& lists) const {
    if (linear_ || rule_ == PairRule::all || lists.pairs() == 0) return Wide(0);
    Wide least = -1;
    for (std::size_t m = 0; m < table_.tokens; ++m) {
      const PairLists::Keys keys = lists.of(m);
      for (std::size_t n = keys.first; n < keys.first + keys.count; ++n) {
        const Wide norms = sides_.norm_q[m] + sides_.norm_k[n];
        if (least < 0 || norms < least) least = norms;
      }
    }
    return least - sides_.least_q - sides_.least_k;
  }
  /// Amplitude and raw phase of a pair.
  Real amplitude(std::size_t m, std::size_t n) const {
    const std::size_t dim = table_.head_dim;
    return dot(&table_.queries[m * dim], &table_.keys[n * dim], dA_) / std::sqrt(Real(dA_));
  }
  RawPhase phase(std::size_t m, std::size_t n) const {
    RawPhase sum;
    if (linear_) {
      const RawPhase &q = sides_.linear_q[m], &k = sides_.linear_k[n];
      sum.pair = add_pairs(q.pair, k.pair);
      sum.plain = q.plain + k.plain;
      return sum;
    }
    const std::size_t dim = table_.head_dim;
    const double* q = &table_.queries[m * dim + dA_];
    const double* k = &table_.keys[n * dim + dA_];
    if (sides_.precise) {
      for (std::size_t i = 0; i < dP_; ++i) {
        sum.pair = add_pairs(sum.pair, two_product(q[i], k[i]));
      }
    } else {
      sum.plain = dot(q, k, dP_);
    }
    return sum;
  }
  /// Phases in two doubles at this angle.
  bool precise(const Angle& angle) const { return sides_.precise && angle.turn < 1e150L; }
  /// A bound of |raw phase| and of the moduli of its terms.
  Real phase_size(std::size_t m, std::size_t n) const {
    if (!linear_) return sides_.size_q[m] * sides_.size_k[n];
    return std::sqrt(Real(dP_)) * (sides_.size_q[m] + sides_.size_k[n]);
  }

  /// Rows of queries on all threads, added in one order.
  template <class Row>
  std::vector<Sums> rows(std::size_t columns, const Row& row) const {
    std::vector<Sums> all(table_.tokens * columns);
    const auto queries = static_cast<std::int64_t>(table_.tokens);
#pragma omp parallel for schedule(dynamic, 4) num_threads(worker_count(task_))
    for (std::int64_t m = 0; m < queries; ++m) {
      if (interrupted()) continue;  // nothing may be thrown across threads
      row(static_cast<std::size_t>(m), &all[static_cast<std::size_t>(m) * columns]);
    }
    throw_if_interrupted();
    std::vector<Sums> total(columns);
    for (std::size_t m = 0; m < table_.tokens; ++m) {
      for (std::size_t d = 0; d < columns; ++d) total[d].add(all[m * columns + d]);
    }
    return total;
  }

  std::vector<Sums> pair_sums(const PairLists& lists, const std::vector<Distance>& angles) const {
    return rows(angles.size(), [&](std::size_t m, Sums* out) {
      const PairLists::Keys keys = lists.of(m);
      for (std::size_t n = keys.first; n < keys.first + keys.count; ++n) {
        const RawPhase phi = phase(m, n);
        const Real a = amplitude(m, n), reach = phase_size(m, n);
        const Real bound = sides_.amplitude_q[m] * sides_.amplitude_k[n] / std::sqrt(Real(dA_));
        const Real spread = noise(m, n);
        for (std::size_t d = 0; d < angles.size(); ++d) {
          const Angle &first = angles[d].first, &second = angles[d].second;
          Real cosine, sine;
          if (const Real w = first.weight_q[m] * first.weight_k[n]; w >= first.least_weight) {
            cosines(first, phi, precise(first), cosine, sine);
            out[d].re.add(w * a * cosine);
            out[d].im.add(w * a * sine);
            out[d].size1 += w * bound;
            out[d].phase1 += w * bound * reach;
          }
          if (const Real w = second.weight_q[m] * second.weight_k[n]; w >= second.least_weight) {
            cosines(second, phi, precise(second), cosine, sine);
            out[d].second.add(w * (a * a + spread) * cosine);
            out[d].size2 += w * (bound * bound + spread);
            out[d].phase2 += w * (bound * bound + spread) * reach;
          }
        }
      }
    });
  }

  /// E a and E a^2 at t = 0.
  Sums pair_free_amplitude(const PairLists& lists) const {
    if (rule_ == PairRule::all) return moment_sums(Angle{}, Angle{}, true);
    return rows(1,
                [&](std::size_t m, Sums* out) {
                  const PairLists::Keys keys = lists.of(m);
                  for (std::size_t n = keys.first; n < keys.first + keys.count; ++n) {
                    const Real a = amplitude(m, n), spread = noise(m, n);
                    const Real bound =
                        sides_.amplitude_q[m] * sides_.amplitude_k[n] / std::sqrt(Real(dA_));
                    out->re.add(a);
                    out->second.add(a * a + spread);
                    out->size1 += bound;
                    out->size2 += bound * bound + spread;
                  }
                })
        .front();
  }

  std::vector<Sums> factored_sums(const std::vector<Distance>& angles) const {
    std::vector<Sums> sums(angles.size());
    const auto count = static_cast<std::int64_t>(angles.size());
#pragma omp parallel for schedule(dynamic, 1) num_threads(worker_count(task_))
    for (std::int64_t d = 0; d < count; ++d) {
      if (interrupted()) continue;
      const auto i = static_cast<std::size_t>(d);
      sums[i] = moment_sums(angles[i].first, angles[i].second, false);
    }
    throw_if_interrupted();
    return sums;
  }

  /// For all pairs and a phase that is a sum of the query's and the key's (or none: `still`):
  /// sum a e^(i t phi) = sum_q q_A e^(i t phi_q) . sum_k k_A e^(i t phi_k)/sqrt(dA), and a^2 in the
  /// same way from sum q_A q_A^T e^(i t phi_q).
  Sums moment_sums(const Angle& first, const Angle& second, bool still) const {
    using Complex = std::complex<Real>;
    struct Side {
      std::vector<Complex> mean, square;  // sum x e, sum x x^T e
      Complex plain, norm;                // sum e, sum |x|^2 e
      Real size = 0, norm_size = 0, reach = 0, norm_reach = 0, count = 0, count_reach = 0;
    };
    const std::size_t dim = table_.head_dim;
    const auto side = [&](const std::vector<double>& values, const std::vector<RawPhase>& linear,
                          const std::vector<Real>& amplitude, const std::vector<Real>& size) {
      Side s;
      s.mean.assign(dA_, 0);
      s.square.assign(dA_ * dA_, 0);
      for (std::size_t begin = 0; begin < table_.tokens; begin += kChunk) {
        std::vector<Complex> mean(dA_), square(dA_ * dA_);
        Complex plain = 0, norms = 0;
        for (std::size_t t = begin; t < std::min(begin + kChunk, table_.tokens); ++t) {
          const double* row = &values[t * dim];
          Real cosine = 1, sine = 0;
          if (!still) cosines(first, linear[t], precise(first), cosine, sine);
          const Complex e1(cosine, sine);
          if (!still) cosines(second, linear[t], precise(second), cosine, sine);
          const Complex e2(cosine, sine);
          for (std::size_t i = 0; i < dA_; ++i) {
            mean[i] += e1 * Real(row[i]);
            for (std::size_t j = 0; j <= i; ++j) {
              square[i * dA_ + j] += e2 * (Real(row[i]) * Real(row[j]));
            }
          }
          const Real norm = amplitude[t] * amplitude[t], reach = std::sqrt(Real(dP_)) * size[t];
          plain += e2;
          norms += e2 * norm;
          s.size += amplitude[t];
          s.norm_size += norm;
          s.reach += amplitude[t] * reach;
          s.norm_reach += norm * reach;
          s.count += 1;
          s.count_reach += reach;
        }
        for (std::size_t i = 0; i < dA_; ++i) s.mean[i] += mean[i];
        for (std::size_t i = 0; i < square.size(); ++i) s.square[i] += square[i];
        s.plain += plain;
        s.norm += norms;
      }
      return s;
    };
    const Side q = side(table_.queries, sides_.linear_q, sides_.amplitude_q, sides_.size_q);
    const Side k = side(table_.keys, sides_.linear_k, sides_.amplitude_k, sides_.size_k);
    const Real root = std::sqrt(Real(dA_)), h = static_cast<Real>(h_), h2 = h * h;
    Complex one = 0, two = 0;
    for (std::size_t i = 0; i < dA_; ++i) {
      one += q.mean[i] * k.mean[i];
      Complex row = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        row += (i == j ? Real(1) : Real(2)) * q.square[i * dA_ + j] * k.square[i * dA_ + j];
      }
      two += row;
    }
    const Real d = Real(dA_);
    two = two / d + h2 / d * (q.norm * k.plain + q.plain * k.norm) + h2 * h2 * q.plain * k.plain;
    Sums sums;
    sums.re.add(one.real() / root);
    sums.im.add(one.imag() / root);
    sums.second.add(two.real());
    sums.size1 = q.size * k.size / root;
    sums.phase1 = (q.reach * k.size + q.size * k.reach) / root;
    sums.size2 = q.norm_size * k.norm_size / d +
                 h2 / d * (q.norm_size * k.count + q.count * k.norm_size) +
                 h2 * h2 * q.count * k.count;
    sums.phase2 = (q.norm_reach * k.norm_size + q.norm_size * k.norm_reach) / d +
                  h2 / d *
                      (q.norm_reach * k.count + q.norm_size * k.count_reach +
                       q.count_reach * k.norm_size + q.count * k.norm_reach) +
                  h2 * h2 * (q.count_reach * k.count + q.count * k.count_reach);
    return sums;
  }

  /// The error of a sum of terms of modulus `size`: the dot product of each, weights, cosines and
  /// products, and the additions; `phase` of it for each radian per unit of a raw phase.
  Wide rounding(Real size, Real phase, const Angle& angle) const {
    const bool factored = linear_ && rule_ == PairRule::all;
    const std::size_t chunks = table_.tokens / kChunk;
    const Real additions = factored ? Real(kChunk + chunks + 4 * dA_) : 4;
    const Real terms = Real(dA_) / 8 + 30 + additions;
    const Real unit =
        precise(angle) ? std::ldexp(Real(dP_ + 16), -103) : kUnit * (Real(dP_) / 8 + 16);
    const Real error = kUnit * terms * size + unit * std::abs(angle.turn) * phase;
    return Wide(error) + Wide(kNegligible) * Wide(size);
  }

  CurvePoint point(std::uint64_t distance, double pairs, const Distance& angle, const Sums& sums,
                   const Sums& still) const {
    const Wide n(pairs);
    PhaseParts parts;
    const Wide mean = Wide(still.re.total()) / n, square = Wide(still.second.total()) / n;
    const Wide mean_error = rounding(still.size1, 0, Angle{}) / n;
    const Wide square_error = rounding(still.size2, 0, Angle{}) / n;
    parts.second_moment = {square, square_error};
    parts.first_bound = sqrt(Wide(square + square_error));
    const Wide half = square / 2, half_error = square_error / 2;
    if (angle.first.turn == 0 && angle.first.log_factor == 0) {
      parts.first = {mean, Wide(0)};
      parts.first_error = mean_error;
      const Wide both = square_error + (2 * abs(mean) + mean_error) * mean_error;
      parts.variance = {square - mean * mean, both};
      parts.excess = {half - mean * mean, both};
      return phase_point(distance, Engine::exact, parts);
    }
    const auto factor = [&](const Angle& one) {
      return one.log_factor < -ldexp(Wide(1), 57) ? Wide(0) : Wide(exp(one.log_factor));
    };
    const Wide first = factor(angle.first) / n, second = factor(angle.second) / n;
    parts.first = {first * Wide(sums.re.total()), first * Wide(sums.im.total())};
    // Left out: pairs below kNegligible of the heaviest, all of them at most; or below the range.
    const Real least = std::numeric_limits<Real>::min();
    const Wide left_out = Wide(angle.first.least_weight + least) * Wide(still.size1);
    parts.first_error = first * (rounding(sums.size1, sums.phase1, angle.first) + left_out);
    parts.underflow = first == 0;
    if (parts.underflow) {
      parts.first = {ldexp(Wide(1), -(1LL << 56)) * (1 + Wide(still.size1) / n), Wide(0)};
      parts.first_error = 2 * parts.first.re;
    }
    const Wide second_error =
        second * (rounding(sums.size2, sums.phase2, angle.second) +
                  Wide(angle.second.least_weight + least) * Wide(still.size2)) +
        (second == 0 ? ldexp(Wide(1), -(1LL << 56)) : Wide(0));
    const Wide re = parts.first.re;
    parts.excess.value = second * Wide(sums.second.total()) / 2 - re * re;
    parts.excess.error = second_error / 2 + (2 * abs(re) + parts.first_error) * parts.first_error;
    parts.variance = {half + parts.excess.value, half_error + parts.excess.error};
    return phase_point(distance, Engine::exact, parts);
  }

  const CurveTask& task_;
  const PhaseScore& score_;
  const TokenTable& table_;
  PairRule rule_;
  Wide h_;
  std::size_t dA_, dP_;
  bool linear_;
  Sides sides_;
};

}  // namespace

std::vector<CurvePoint> smoothed_phase_points(const CurveTask& task, const PhaseScore& score,
                                              const TokenTable& table, PairRule rule,
                                              const Wide& bandwidth) {
  return SmoothedPhase(task, score, table, rule, bandwidth).points();
}

}  // namespace tapalab::empirical
