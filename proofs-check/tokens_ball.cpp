#include "proofs-check/tokens_ball.hpp"

#include <fmt/format.h>

#include "analysis/smoothed_curve.hpp"
#include "proofs-check/general_tokens_ball.hpp"
#include "proofs-check/score_forms_ball.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/score_model.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

/// Rows of a table as exact numbers.
class TokenRows {
 public:
  TokenRows(const std::vector<double>& values, std::size_t dim, slong bits)
      : dim_(dim), count_(static_cast<slong>(values.size())), bits_(bits) {
    entries_ = _arb_vec_init(count_);
    for (slong i = 0; i < count_; ++i) arb_set_d(entries_ + i, values[static_cast<std::size_t>(i)]);
  }
  ~TokenRows() { _arb_vec_clear(entries_, count_); }
  TokenRows(const TokenRows&) = delete;
  TokenRows& operator=(const TokenRows&) = delete;

  arb_srcptr row(std::size_t token) const { return entries_ + token * dim_; }

  /// sum over coordinates from .. to-1 of products of a row here and one of `other`.
  Ball dot(std::size_t token, const TokenRows& other, std::size_t partner, std::size_t from,
           std::size_t to) const {
    Ball sum(0, bits_);
    arb_dot(sum.get(), nullptr, 0, row(token) + from, 1, other.row(partner) + from, 1,
            static_cast<slong>(to - from), bits_);
    return sum;
  }
  Ball entry(std::size_t token, std::size_t i) const {
    Ball x(0, bits_);
    arb_set(x.get(), row(token) + i);
    return x;
  }

 private:
  arb_ptr entries_;
  std::size_t dim_;
  slong count_, bits_;
};

struct TokenProblem {
  TokenRows q, k;
  empirical::PairLists lists;
  std::size_t tokens, dim;
  Ball h2;  ///< square of the bandwidth

  Ball square(const TokenRows& rows, std::size_t token, std::size_t from, std::size_t to) const {
    return rows.dot(token, rows, token, from, to);
  }
  template <class Pair>
  void each_pair(const Pair& pair) const {
    for (std::size_t m = 0; m < tokens; ++m) {
      const auto keys = lists.of(m);
      throw_if_interrupted();
      for (std::size_t n = keys.first; n < keys.first + keys.count; ++n) pair(m, n);
    }
  }
};

/// e^(i t phi) of a Gaussian around each pair: decay e^(-c norm) times a phase.
struct TokenTurn {
  Ball factor, c, turns;  ///< turns a unit of the raw phase

  TokenTurn(const Ball& t, const Ball& h2, std::uint32_t dP, bool linear)
      : factor(1, t.bits()), c(0, t.bits()), turns(0, t.bits()) {
    const slong bits = t.bits();
    const Ball each = t / sqrt(Ball(static_cast<slong>(dP), bits)), two_pi = Ball::pi(bits) * 2;
    if (linear) {
      factor = exp(-(t * t * h2));
      turns = each / two_pi;
      return;
    }
    const Ball delta = each * each * h2 * h2 + 1;
    factor = pow(sqrt(delta), -static_cast<slong>(dP));
    c = each * each * h2 / (delta * 2);
    turns = each / delta / two_pi;
  }
};

PointBalls phase_tokens(const CurveTask& task, const PhaseScore& score, const TokenProblem& p,
                        const Ball& t, const Ball& pairs) {
  const slong bits = t.bits();
  const std::size_t dA = score.amplitude_dim, D = p.dim;
  const bool linear = std::holds_alternative<TapaLinearEncoding>(task.encoding.law);
  const auto dP = static_cast<std::uint32_t>(D - dA);
  const TokenTurn first(t, p.h2, dP, linear), second(t * 2, p.h2, dP, linear);
  std::vector<Ball> amplitude_q, amplitude_k, phase_q, phase_k;
  for (std::size_t m = 0; m < p.tokens; ++m) {
    amplitude_q.push_back(p.square(p.q, m, 0, dA));
    amplitude_k.push_back(p.square(p.k, m, 0, dA));
    if (!linear) {
      phase_q.push_back(p.square(p.q, m, dA, D));
      phase_k.push_back(p.square(p.k, m, dA, D));
      continue;
    }
    phase_q.emplace_back(0, bits);
    phase_k.emplace_back(0, bits);
    for (std::size_t i = dA; i < D; ++i) {
      phase_q.back() += p.q.entry(m, i);
      phase_k.back() += p.k.entry(m, i);
    }
  }
  const Ball root = sqrt(Ball(static_cast<slong>(dA), bits));
  Ball mean(0, bits), square(0, bits), re(0, bits), im(0, bits), twice(0, bits);
  p.each_pair([&](std::size_t m, std::size_t n) {
    const Ball a = p.q.dot(m, p.k, n, 0, dA) / root;
    const Ball a2 =
        a * a + p.h2 * (amplitude_q[m] + amplitude_k[n]) / static_cast<slong>(dA) + p.h2 * p.h2;
    const Ball phi = linear ? phase_q[m] + phase_k[n] : p.q.dot(m, p.k, n, dA, D);
    mean += a;
    square += a2;
    const auto weight = [&](const TokenTurn& turn) {
      return linear ? Ball(1, bits) : exp(-(turn.c * (phase_q[m] + phase_k[n])));
    };
    const Ball once = weight(first) * a;
    re += once * cos_turns(first.turns * phi);
    im += once * sin_turns(first.turns * phi);
    twice += weight(second) * a2 * cos_turns(second.turns * phi);
  });
  mean /= pairs;
  square /= pairs;
  if (arb_is_zero(t.get())) {
    const Ball variance = square - mean * mean;
    return {mean, abs(mean), variance, variance - square / 2};
  }
  const ComplexBall phi1{first.factor * re / pairs, first.factor * im / pairs};
  const Ball excess = second.factor * twice / pairs / 2 - phi1.re * phi1.re;
  return {phi1.re, abs(phi1), square / 2 + excess, excess};
}

PointBalls rotary_tokens(const CurveTask& task, std::uint64_t distance, const TokenProblem& p,
                         const Ball& pairs, slong bits) {
  const RotaryScoreBall score = rotary_score_ball(task.encoding, task.head_dim, distance, bits);
  const std::size_t count = score.pairs.size();
  std::vector<Ball> cosine, sine, mu(count, Ball(0, bits)), nu(count, Ball(0, bits));
  Ball norm(0, bits);  // |R|^2
  for (const auto& pair : score.pairs) {
    cosine.push_back(pair.weight * cos_turns(pair.turns));
    sine.push_back(pair.weight * sin_turns(pair.turns));
    norm += pair.weight * pair.weight * 2;
  }
  norm += score.scale * score.scale * static_cast<slong>(score.plain.size());
  // |R^T q|^2 and |R k|^2: rotations times weights
  const auto stretched = [&](const TokenRows& rows, std::size_t token) {
    Ball sum(0, bits);
    for (const auto& pair : score.pairs) {
      const Ball x = rows.entry(token, pair.first), y = rows.entry(token, pair.second);
      sum += pair.weight * pair.weight * (x * x + y * y);
    }
    for (const std::uint32_t i : score.plain) {
      const Ball x = score.scale * rows.entry(token, i);
      sum += x * x;
    }
    return sum;
  };
  std::vector<Ball> size_q, size_k;
  for (std::size_t m = 0; m < p.tokens; ++m) {
    size_q.push_back(stretched(p.q, m));
    size_k.push_back(stretched(p.k, m));
  }
  Ball mean(0, bits), square(0, bits), plain_mean(0, bits);
  p.each_pair([&](std::size_t m, std::size_t n) {
    Ball value(0, bits), plain(0, bits);
    for (std::size_t d = 0; d < count; ++d) {
      const auto& pair = score.pairs[d];
      const Ball qi = p.q.entry(m, pair.first), qj = p.q.entry(m, pair.second);
      const Ball ki = p.k.entry(n, pair.first), kj = p.k.entry(n, pair.second);
      const Ball A = qi * ki + qj * kj, B = qi * kj - qj * ki;  // eq. 2, 3
      mu[d] += A;
      nu[d] += B;
      value += cosine[d] * A + sine[d] * B;
    }
    for (const std::uint32_t i : score.plain) plain += p.q.entry(m, i) * p.k.entry(n, i);
    plain *= score.scale;
    plain_mean += plain;
    value += plain;
    mean += value;
    square += value * value + p.h2 * (size_q[m] + size_k[n]) + p.h2 * p.h2 * norm;
  });
  mean /= pairs;
  square /= pairs;
  Ball envelope = abs(score.offset) + abs(plain_mean / pairs);
  for (std::size_t d = 0; d < count; ++d) {
    envelope += score.pairs[d].weight * abs(ComplexBall{mu[d] / pairs, nu[d] / pairs});
  }
  return {mean + score.offset, envelope, square - mean * mean, std::nullopt};
}

}  // namespace

PointBalls token_balls(const CurveTask& task, std::uint64_t distance, slong bits) {
  const auto& density = std::get<EmpiricalDensity>(task.density.law);
  const TokenTable& table = *density.table;
  if (table.head_dim != task.head_dim) {
    throw InputError(fmt::format("--head-dim {}: the file's vectors have {} dimensions",
                                 task.head_dim, table.head_dim));
  }
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const auto* phase = std::get_if<PhaseScore>(&model);
  const TokenProblem p{TokenRows(table.queries, task.head_dim, bits),
                       TokenRows(table.keys, task.head_dim, bits),
                       empirical::PairLists(density.pairs, table.tokens, distance),
                       table.tokens,
                       task.head_dim,
                       pow(Ball::decimal(density.bandwidth.text(), bits), 2)};
  const double pairs = p.lists.pairs();
  if (pairs * task.head_dim > 0x1p31) {
    throw InputError(fmt::format(
        "--engine ball: {} has too many pairs to be summed in balls; accepted: at most {} pairs "
        "(skip= leaves out tokens)",
        printable(task.density.spec), static_cast<std::uint64_t>(0x1p31 / task.head_dim)));
  }
  if (pairs == 0) {
    throw InputError(fmt::format("--distances {}: no pair of the file's {} tokens is so far apart",
                                 distance, table.tokens));
  }
  const Ball count = Ball::exactly(pairs, bits);
  if (phase == nullptr) return rotary_tokens(task, distance, p, count, bits);
  const Ball t = Ball::pi(bits) * 2 * phase_scale_ball(task, distance, bits);
  if (std::holds_alternative<TapaGeneralEncoding>(task.encoding.law)) {
    return general_token_balls(task, distance, t);
  }
  return phase_tokens(task, *phase, p, t, count);
}

}  // namespace tapalab
