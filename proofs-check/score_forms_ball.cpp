#include "proofs-check/score_forms_ball.hpp"

#include <bit>

#include "proofs-check/rope_frequencies_ball.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

Ball decimal_ball(const ExactDecimal& x, slong bits) { return Ball::decimal(x.text(), bits); }

Ball inverse_root(std::uint32_t n, slong bits) {
  return Ball(1, bits) / sqrt(Ball(static_cast<slong>(n), bits));
}

/// Coordinates first .. last-1 of query and key, one pair law.
void add_pairs(GaussianFormsBall& forms, const PairLaw& law, std::uint32_t first,
               std::uint32_t last, std::uint32_t head_dim, slong bits) {
  const Ball sq = decimal_ball(law.scale_q, bits), sk = decimal_ball(law.scale_k, bits);
  const Ball rho = decimal_ball(law.rho, bits);
  const bool degenerate = law.rho.compare(1) == 0 || law.rho.compare(-1) == 0;
  const Ball rest = degenerate ? Ball(0, bits) : sk * sqrt((Ball(1, bits) - rho) * (rho + 1));
  for (std::uint32_t i = first; i < last; ++i) {
    const std::uint32_t key = head_dim + i;
    forms.mean[i] = decimal_ball(law.mean_q, bits);
    forms.mean[key] = decimal_ball(law.mean_k, bits);
    forms.factor.push_back({i, i, sq});
    if (law.rho.compare(0) != 0) forms.factor.push_back({key, i, rho * sk});
    if (!degenerate) forms.factor.push_back({key, key, rest});
  }
}

void add_matrix(const DecimalMatrix& matrix, std::uint32_t head_dim,
                std::vector<BallEntry>& entries, slong bits) {
  for (std::uint32_t i = 0; i < matrix.rows; ++i) {
    for (std::uint32_t j = 0; j < matrix.cols; ++j) {
      const ExactDecimal& x = matrix(i, j);
      if (x.compare(0) != 0) entries.push_back({i, head_dim + j, decimal_ball(x, bits)});
    }
  }
}

/// alpha and law of a phase encoding.
struct PhaseLawParts {
  ExactDecimal alpha;
  PhaseLaw law;
};
PhaseLawParts phase_law(const Encoding& encoding) {
  if (const auto* tapa = std::get_if<TapaEncoding>(&encoding.law)) return {tapa->alpha, tapa->law};
  if (const auto* linear = std::get_if<TapaLinearEncoding>(&encoding.law)) {
    return {linear->alpha, linear->law};
  }
  const auto& general = std::get<TapaGeneralEncoding>(encoding.law);
  return {general.alpha, general.law};
}

std::uint32_t split_at(const CurveTask& task) {
  if (const auto* tapa = std::get_if<TapaEncoding>(&task.encoding.law)) {
    return amplitude_dim(tapa->share, task.head_dim);
  }
  if (const auto* linear = std::get_if<TapaLinearEncoding>(&task.encoding.law)) {
    return amplitude_dim(linear->share, task.head_dim);
  }
  return 0;
}

/// Frequencies in turns a token from those in radians, or from what is in turns already.
std::vector<Ball> in_turns(std::vector<Ball> frequencies, bool turns, bool f32) {
  for (Ball& f : frequencies) {
    if (f32) f = single_ball(f);
    if (!turns) f /= Ball::pi(f.bits()) * 2;
  }
  return frequencies;
}

void add_rotations(RotaryScoreBall& score, const std::vector<Ball>& frequencies, Pairing pairing,
                   std::uint64_t distance, slong bits) {
  const auto count = static_cast<std::uint32_t>(frequencies.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool adjacent = pairing == Pairing::adjacent;
    score.pairs.push_back({adjacent ? 2 * i : i, adjacent ? 2 * i + 1 : i + count, score.scale,
                           Ball::distance(distance, bits) * frequencies[i]});
  }
}

struct RotaryInBalls {
  std::uint32_t head_dim;
  std::uint64_t distance;
  std::uint64_t sequence_length;
  slong bits;

  RotaryScoreBall empty() const { return {{}, {}, inverse_root(head_dim, bits), Ball(0, bits)}; }
  RotaryScoreBall plain() const {
    RotaryScoreBall score = empty();
    for (std::uint32_t i = 0; i < head_dim; ++i) score.plain.push_back(i);
    return score;
  }
  RotaryScoreBall operator()(const NopeEncoding&) const { return plain(); }
  RotaryScoreBall operator()(const AlibiEncoding& alibi) const {
    RotaryScoreBall score = plain();
    Ball slope(0, bits);
    if (alibi.slope) {
      slope = decimal_ball(*alibi.slope, bits);
    } else {  // Press, Smith and Lewis 2021, section 3
      const std::uint32_t whole = std::bit_floor(alibi.heads);
      const bool extra = alibi.head >= whole;
      const slong h = extra ? 2 * (alibi.head - whole) + 1 : alibi.head + 1;
      const slong n = extra ? 2 * whole : whole;
      slope = pow(Ball(2, bits), Ball(-8 * h, bits) / n);
    }
    score.offset = -(slope * Ball::distance(distance, bits));
    return score;
  }
  RotaryScoreBall operator()(const RopeEncoding& rope) const {
    RotaryScoreBall score = empty();
    add_rotations(
        score,
        in_turns(plain_frequencies_ball(decimal_ball(rope.base, bits), head_dim),
                 rope.angle == AngleUnit::turns, rope.frequency == FrequencyPrecision::f32),
        rope.pairing, distance, bits);
    return score;
  }
  RotaryScoreBall operator()(const XposEncoding& xpos) const {
    RotaryScoreBall score = empty();
    add_rotations(
        score,
        in_turns(plain_frequencies_ball(decimal_ball(xpos.base, bits), head_dim), false, false),
        xpos.pairing, distance, bits);
    const Ball gamma = decimal_ball(xpos.gamma, bits);
    const Ball steps = Ball::distance(distance, bits) / decimal_ball(xpos.scale_base, bits);
    for (std::uint32_t i = 0; i < score.pairs.size(); ++i) {
      const Ball part = Ball(2 * static_cast<slong>(i), bits) / static_cast<slong>(head_dim);
      const Ball zeta = (part + gamma) / (gamma + 1);
      score.pairs[i].weight *= exp(steps * log(zeta));
    }
    return score;
  }
  RotaryScoreBall operator()(const ModelRopeEncoding& model) const {
    const RopeFrequenciesBall rope =
        rope_frequencies_ball(model.rope, head_dim, sequence_length, bits);
    RotaryScoreBall score = empty();
    if (model.scales_softmax) score.scale *= rope.softmax_factor;
    add_rotations(score, in_turns(rope.radians, false, model.frequency == FrequencyPrecision::f32),
                  model.pairing, distance, bits);
    for (RotaryScoreBall::Pair& pair : score.pairs) {
      pair.weight *= rope.attention_factor * rope.attention_factor;
    }
    for (std::uint32_t i = rope.rotary_dim; i < head_dim; ++i) score.plain.push_back(i);
    return score;
  }
  template <class Phase>
  RotaryScoreBall operator()(const Phase&) const {
    throw InputError("--engine ball: not a rotary encoding");
  }
};

}  // namespace

namespace {

GaussianFormsBall law_forms(const CurveTask& task, const GaussianDensity& density, slong bits) {
  const std::uint32_t D = task.head_dim, split = split_at(task);
  GaussianFormsBall forms;
  forms.mean.assign(2 * static_cast<std::size_t>(D), Ball(0, bits));
  add_pairs(forms, density.amplitude, 0, split, D, bits);
  add_pairs(forms, density.phase, split, D, D, bits);
  return forms;
}

GaussianFormsBall law_forms(const CurveTask&, const FullGaussianDensity& density, slong bits) {
  GaussianFormsBall forms;
  for (const ExactDecimal& x : density.mean) forms.mean.push_back(decimal_ball(x, bits));
  forms.factor = covariance_factor_ball(density.covariance, bits);
  return forms;
}

}  // namespace

std::vector<WeightedFormsBall> gaussian_laws_ball(const CurveTask& task, slong bits) {
  const Ball one(1, bits);
  if (const auto* gaussian = std::get_if<GaussianDensity>(&task.density.law)) {
    return {{one, law_forms(task, *gaussian, bits)}};
  }
  if (const auto* full = std::get_if<FullGaussianDensity>(&task.density.law)) {
    return {{one, law_forms(task, *full, bits)}};
  }
  if (const auto* product = std::get_if<ProductDensity>(&task.density.law)) {
    return {{one, law_forms(task, {product->amplitude, product->phase, product->split}, bits)}};
  }
  if (const auto* radial = std::get_if<RadialDensity>(&task.density.law)) {
    return {{one, law_forms(task, {radial->amplitude, radial->phase, radial->split}, bits)}};
  }
  const auto* mixture = std::get_if<MixtureDensity>(&task.density.law);
  if (mixture == nullptr) {
    throw InputError("--engine ball: density " + printable(task.density.spec) +
                     " has no closed form in balls; accepted: gaussian, mixture, student-t-joint, "
                     "quartic, and independent coordinates");
  }
  std::vector<WeightedFormsBall> laws;
  for (const MixtureComponent& component : mixture->components) {
    const Ball weight = component.weight ? decimal_ball(*component.weight, bits)
                                         : one / static_cast<slong>(mixture->components.size());
    laws.push_back({weight, std::visit([&](const auto& law) { return law_forms(task, law, bits); },
                                       component.law)});
  }
  return laws;
}

void add_phase_score_ball(const CurveTask& task, GaussianFormsBall& forms, slong bits) {
  const std::uint32_t D = task.head_dim;
  if (const auto* general = std::get_if<TapaGeneralEncoding>(&task.encoding.law)) {
    add_matrix(general->M, D, forms.amplitude, bits);  // eq. 9
    add_matrix(general->N, D, forms.phase, bits);      // eq. 10
    return;
  }
  const std::uint32_t dA = split_at(task);
  const Ball amplitude_weight = inverse_root(dA, bits), phase_weight = inverse_root(D - dA, bits);
  const bool linear = std::holds_alternative<TapaLinearEncoding>(task.encoding.law);
  for (std::uint32_t i = 0; i < dA; ++i) forms.amplitude.push_back({i, D + i, amplitude_weight});
  for (std::uint32_t i = dA; i < D; ++i) {
    if (linear) {  // eq. 16
      forms.phase_linear.push_back({i, i, phase_weight});
      forms.phase_linear.push_back({D + i, D + i, phase_weight});
    } else {  // eq. 12
      forms.phase.push_back({i, D + i, phase_weight});
    }
  }
}

Ball phase_scale_ball(const CurveTask& task, std::uint64_t distance, slong bits) {
  const auto [alpha, law] = phase_law(task.encoding);
  if (distance == 0) return Ball(0, bits);
  if (law == PhaseLaw::linear) return decimal_ball(alpha, bits) * Ball::distance(distance, bits);
  if (distance == 1) return Ball(1, bits);
  return pow(Ball::distance(distance, bits), decimal_ball(alpha, bits));
}

RotaryScoreBall rotary_score_ball(const Encoding& encoding, std::uint32_t head_dim,
                                  std::uint64_t distance, slong bits) {
  return std::visit(RotaryInBalls{head_dim, distance, encoding.sequence_length.value_or(1), bits},
                    encoding.law);
}

void add_rotary_score_ball(const RotaryScoreBall& score, std::uint32_t head_dim,
                           GaussianFormsBall& forms) {
  const std::uint32_t D = head_dim;
  for (const auto& [i, j, weight, turns] : score.pairs) {
    const Ball c = weight * cos_turns(turns);
    const Ball s = weight * sin_turns(turns);
    // eq. 2, 3: A cos + B sin
    forms.amplitude.push_back({i, D + i, c});
    forms.amplitude.push_back({j, D + j, c});
    forms.amplitude.push_back({i, D + j, s});
    forms.amplitude.push_back({j, D + i, -s});
  }
  for (const std::uint32_t i : score.plain) forms.amplitude.push_back({i, D + i, score.scale});
}

Ball rotary_envelope_ball(const RotaryScoreBall& score, std::uint32_t head_dim,
                          const std::vector<WeightedFormsBall>& laws, slong bits) {
  const std::uint32_t D = head_dim;
  // rows of S, for E q_i k_j = sum_c S_ic S_jc + mean_i mean_j
  using Rows = std::vector<std::vector<const BallEntry*>>;
  std::vector<Rows> rows;
  for (const WeightedFormsBall& law : laws) {
    rows.emplace_back(law.forms.mean.size());
    for (const BallEntry& e : law.forms.factor) rows.back()[e.row].push_back(&e);
  }
  const auto product_mean = [&](std::uint32_t query, std::uint32_t key) {
    Ball mean(0, bits);
    for (std::size_t l = 0; l < laws.size(); ++l) {
      const std::vector<Ball>& at = laws[l].forms.mean;
      Ball sum = at[query] * at[D + key];
      for (const BallEntry* a : rows[l][query]) {
        for (const BallEntry* b : rows[l][D + key]) {
          if (a->col == b->col) sum += a->value * b->value;
        }
      }
      mean += laws[l].weight * sum;
    }
    return mean;
  };
  Ball envelope = abs(score.offset), plain(0, bits);
  for (const auto& [i, j, weight, turns] : score.pairs) {
    const Ball mu = product_mean(i, i) + product_mean(j, j);
    const Ball nu = product_mean(i, j) - product_mean(j, i);
    envelope += weight * abs(ComplexBall{mu, nu});
  }
  for (const std::uint32_t i : score.plain) plain += score.scale * product_mean(i, i);
  return envelope + abs(plain);
}

}  // namespace tapalab
