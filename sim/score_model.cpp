#include "sim/score_model.hpp"

#include <bit>
#include <limits>
#include <string>

#include "sim/errors.hpp"
#include "sim/mutants.hpp"
#include "sim/numbers/decimal_parts.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint32_t kMaxHeadDim = 65536;

Wide inverse_sqrt(std::uint32_t n) { return Wide(1 / sqrt(GuardedWide(n))); }

void check_head_dim(const Encoding& encoding, std::uint32_t head_dim, bool even) {
  const bool odd = even && head_dim % 2 != 0;
  if (head_dim >= 1 && head_dim <= kMaxHeadDim && !odd) return;
  throw InputError("head dimension " + std::to_string(head_dim) + " does not fit encoding " +
                   std::string(encoding_name(encoding.law)) + "; accepted: " +
                   (even ? "an even number from 2 to 65536" : "a number from 1 to 65536"));
}

// The amplitude q_A.k_A/sqrt(dA) that eq. 12 and eq. 16 share.
template <class Tapa>
PhaseScore split_score(const Tapa& tapa, std::uint32_t head_dim) {
  PhaseScore score;
  score.head_dim = head_dim;
  score.amplitude_dim = amplitude_dim(tapa.share, head_dim);
  score.law = tapa.law;
  score.alpha = tapa.alpha;
  const Wide weight = inverse_sqrt(mutant("score-amplitude-norm") ? head_dim : score.amplitude_dim);
  for (std::uint32_t i = 0; i < score.amplitude_dim; ++i) score.amplitude.push_back({i, i, weight});
  return score;
}

std::vector<BilinearTerm> nonzero_terms(const DecimalMatrix& matrix) {
  std::vector<BilinearTerm> terms;
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    for (std::uint32_t col = 0; col < matrix.cols; ++col) {
      const Wide weight = matrix(row, col).wide();
      if (weight != 0) terms.push_back({row, col, weight});
    }
  }
  return terms;
}

void check_size(const DecimalMatrix& matrix, const char* name, std::uint32_t head_dim) {
  if (matrix.rows == head_dim && matrix.cols == head_dim &&
      matrix.entries.size() == matrix.rows * matrix.cols) {
    return;
  }
  throw InputError("encoding tapa-general: " + std::string(name) + " is " +
                   std::to_string(matrix.rows) + " x " + std::to_string(matrix.cols) +
                   "; accepted: " + std::to_string(head_dim) + " x " + std::to_string(head_dim) +
                   " (the head dimension)");
}

struct Lower {
  const Encoding& encoding;
  std::uint32_t head_dim;

  ScoreModel operator()(const TapaEncoding& tapa) const {
    check_head_dim(encoding, head_dim, true);
    PhaseScore score = split_score(tapa, head_dim);
    const Wide weight =
        inverse_sqrt(mutant("score-phase-norm") ? head_dim : head_dim - score.amplitude_dim);
    for (std::uint32_t i = score.amplitude_dim; i < head_dim; ++i) {  // eq. 12
      score.phase_bilinear.push_back({i, i, weight});
    }
    return score;
  }

  ScoreModel operator()(const TapaLinearEncoding& tapa) const {
    check_head_dim(encoding, head_dim, true);
    PhaseScore score = split_score(tapa, head_dim);
    const Wide weight =
        inverse_sqrt(mutant("score-linear-norm") ? head_dim : head_dim - score.amplitude_dim);
    for (std::uint32_t i = score.amplitude_dim; i < head_dim; ++i) {  // eq. 16
      score.phase_linear.push_back({i, weight});
      score.phase_linear.push_back({head_dim + i, weight});
    }
    return score;
  }

  ScoreModel operator()(const TapaGeneralEncoding& tapa) const {
    check_head_dim(encoding, head_dim, false);
    check_size(tapa.M, "M", head_dim);
    check_size(tapa.N, "N", head_dim);
    PhaseScore score;
    score.head_dim = head_dim;
    score.law = tapa.law;
    score.alpha = tapa.alpha;
    score.amplitude = nonzero_terms(tapa.M);       // eq. 9
    score.phase_bilinear = nonzero_terms(tapa.N);  // eq. 10
    return score;
  }

  ScoreModel operator()(const RopeEncoding& rope) const {
    check_head_dim(encoding, head_dim, true);
    RotaryScore score;
    score.head_dim = head_dim;
    score.scale = inverse_sqrt(head_dim);
    const std::vector<Wide> frequencies = rope_frequencies_turns(rope, head_dim);
    const std::uint32_t pairs = head_dim / 2;
    for (std::uint32_t d = 0; d < pairs; ++d) {  // eq. 2, 3
      score.pairs.push_back(pair_of(rope.pairing, d, pairs, frequencies[d]));
    }
    return score;
  }

  ScoreModel operator()(const ModelRopeEncoding& model) const {
    check_head_dim(encoding, head_dim, true);
    if (model.head_dim != 0 && model.head_dim != head_dim)
      throw InputError("head dimension " + std::to_string(head_dim) + " does not fit encoding " +
                       printable(encoding.spec) + "; accepted: " + std::to_string(model.head_dim));
    if (depends_on_length(encoding.law) && !encoding.sequence_length)
      throw InputError("encoding " + printable(encoding.spec) +
                       " depends on the length of the text; accepted: one with a length");
    const RopeFrequencies frequencies =
        rope_frequencies(model.rope, head_dim, encoding.sequence_length.value_or(1));
    Wide weight = frequencies.attention_factor * frequencies.attention_factor;
    RotaryScore score;
    score.head_dim = head_dim;
    score.scale = inverse_sqrt(head_dim);
    if (model.scales_softmax) score.scale *= softmax_scale_factor(model.rope.scaling);
    const std::uint32_t pairs = frequencies.rotary_dim / 2;
    for (std::uint32_t i = 0; i < pairs; ++i) {
      RotaryPair pair = pair_of(model.pairing, i, pairs, frequencies.radians[i]);
      if (model.frequency == FrequencyPrecision::f32)
        pair.frequency_turns = Wide(static_cast<float>(frequencies.radians[i]));
      pair.frequency_turns /= wide_two_pi();
      pair.weight = weight;
      score.pairs.push_back(pair);
    }
    for (std::uint32_t i = 2 * pairs; i < head_dim; ++i) score.plain.push_back(i);
    return score;
  }

  ScoreModel operator()(const XposEncoding& xpos) const {
    check_head_dim(encoding, head_dim, true);
    RotaryScore score;
    score.head_dim = head_dim;
    score.scale = inverse_sqrt(head_dim);
    RopeEncoding rope;
    rope.base = xpos.base;
    const std::vector<Wide> frequencies = rope_frequencies_turns(rope, head_dim);
    const std::uint32_t pairs = head_dim / 2;
    for (std::uint32_t i = 0; i < pairs; ++i) {
      RotaryPair pair = pair_of(xpos.pairing, i, pairs, frequencies[i]);
      const GuardedWide gamma = guarded(xpos.gamma);
      const GuardedWide zeta = (GuardedWide(2 * i) / head_dim + gamma) / (1 + gamma);
      pair.decay = Wide(GuardedWide(-log(zeta) / guarded(xpos.scale_base)));
      score.pairs.push_back(pair);
    }
    return score;
  }

  static RotaryPair pair_of(Pairing pairing, std::uint32_t i, std::uint32_t pairs,
                            const Wide& frequency) {
    if (pairing == Pairing::adjacent) return {2 * i, 2 * i + 1, frequency};
    return {i, i + pairs, frequency};
  }

  ScoreModel operator()(const AlibiEncoding& alibi) const {
    RotaryScore score = plain_score();
    score.slope = alibi.slope ? alibi.slope->wide() : alibi_slope(alibi.heads, alibi.head);
    return score;
  }

  ScoreModel operator()(const NopeEncoding&) const { return plain_score(); }

  RotaryScore plain_score() const {
    check_head_dim(encoding, head_dim, true);
    RotaryScore score;
    score.head_dim = head_dim;
    score.scale = inverse_sqrt(head_dim);
    for (std::uint32_t i = 0; i < head_dim; ++i) score.plain.push_back(i);
    return score;
  }
};

}  // namespace

Wide RotaryPair::weight_at(std::uint64_t distance) const {
  if (decay == 0) return weight;
  if (decay * Wide(distance) > Wide(7e17))
    throw InputError("xpos decays out of the number range at distance " + std::to_string(distance) +
                     "; accepted: distances with distance/scale_base below 10^17");
  return weight * exp(Wide(-decay * Wide(distance)));
}

WideComplex RotaryPair::rotation_at(std::uint64_t distance) const {
  const Wide angle = Wide(distance) * frequency_turns;
  // 110 of 192 bits before the point leave 2^-80 of a turn.
  if (abs(angle) >= ldexp(Wide(1), 110))
    throw InputError("a rotary angle at distance " + std::to_string(distance) +
                     " is of 2^110 turns or more, of which no fraction is left; accepted: smaller "
                     "factors or frequencies");
  const Wide turns = reduce_turns(angle);
  const Wide w = weight_at(distance);
  return {w * cos_turns(turns), w * sin_turns(turns)};
}

Wide score_offset(const ScoreModel& model, std::uint64_t distance) {
  const auto* rotary = std::get_if<RotaryScore>(&model);
  return rotary != nullptr ? rotary->offset(distance) : Wide(0);
}

Wide alibi_slope(std::uint32_t heads, std::uint32_t head) {
  const std::uint32_t whole = std::bit_floor(heads);
  const bool extra = head >= whole;
  const GuardedWide h = extra ? 2 * (head - whole) + 1 : head + 1;
  const GuardedWide n = extra ? 2 * whole : whole;
  return Wide(exp2(GuardedWide(-8 * h / n)));
}

Wide PhaseScore::phase_scale(std::uint64_t distance) const {
  if (distance == 0) return Wide(0);
  if (law == PhaseLaw::linear) return alpha.times(distance);
  if (distance == 1) return Wide(1);
  // The exponent alpha ln(distance) has up to 62 bits before the point: guard bits keep the rest.
  // Few are enough, at half the cost, where it has at most 16.
  if (alpha.value() * 43.7 < 65536) {
    using Narrow = BinaryFloat<kWideBits + 32>;
    const Narrow exponent = nearest<Narrow>(parse_decimal_parts(alpha.text(), "alpha")) *
                            log(Narrow(distance)) * mutated("score-exponent", 1, 2);
    return Wide(exp(exponent));
  }
  const GuardedWide exponent =
      guarded(alpha) * log(GuardedWide(distance)) * mutated("score-exponent", 1, 2);
  static const GuardedWide largest = GuardedWide(1LL << 57) * log(GuardedWide(2));
  if (!(exponent < largest)) {
    throw InputError("alpha=" + printable(alpha.text()) +
                     " is too large: " + std::to_string(distance) +
                     "^alpha leaves the number range; accepted: alpha ln(distance) below 9.9e16");
  }
  return Wide(exp(exponent));
}

namespace {

// The decimals among the multiples of 1/head_dim: those of 1/(2^a 5^b), the part of the head
// dimension that divides a power of ten.
std::string accepted_shares(std::uint32_t head_dim) {
  std::uint32_t decimal_part = 1, rest = head_dim;
  for (const std::uint32_t prime : {2u, 5u}) {
    for (; rest % prime == 0 && rest > 0; rest /= prime) decimal_part *= prime;
  }
  if (decimal_part == 1) {
    return "another head dimension: no decimal between 0 and 1 is a multiple of 1/" +
           std::to_string(head_dim);
  }
  // Long division of 1 ends after max(a, b) digits.
  std::string digits;
  for (std::uint64_t remainder = 1; remainder != 0;) {
    remainder *= 10;
    digits += static_cast<char>('0' + remainder / decimal_part);
    remainder %= decimal_part;
  }
  return "multiples of 0." + digits + " strictly between 0 and 1";
}

}  // namespace

std::uint32_t amplitude_dim(const ExactDecimal& share, std::uint32_t head_dim) {
  DecimalParts product = parse_decimal_parts(share.text(), "share");
  product.digits *= head_dim;
  boost::multiprecision::cpp_int whole;
  if (!product.whole(whole) || whole <= 0 || whole >= head_dim) {
    throw InputError("share=" + printable(share.text()) + ": share times the head dimension " +
                     std::to_string(head_dim) +
                     " is not a whole number between them; accepted: " + accepted_shares(head_dim));
  }
  return static_cast<std::uint32_t>(whole);
}

std::vector<Wide> rope_frequencies_turns(const RopeEncoding& rope, std::uint32_t head_dim) {
  static const GuardedWide two_pi = 8 * atan(GuardedWide(1));
  const GuardedWide log_base = log(guarded(rope.base));
  std::vector<Wide> frequencies;
  for (std::uint32_t d = 0; d < head_dim / 2; ++d) {
    // eq. 3: f_d = base^(-2d/D)
    GuardedWide f = exp(-(log_base * (mutated("rope-frequency-exponent", 2U, 1U) * d)) / head_dim);
    if (rope.frequency == FrequencyPrecision::f32) f = GuardedWide(static_cast<float>(f));
    frequencies.push_back(Wide(
        rope.angle == AngleUnit::turns || mutant("rope-two-pi") ? f : GuardedWide(f / two_pi)));
  }
  return frequencies;
}

ScoreModel lower(const Encoding& encoding, std::uint32_t head_dim) {
  return std::visit(Lower{encoding, head_dim}, encoding.law);
}

}  // namespace tapalab
