// The one definition of each score, in numbers: what every engine computes from.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "sim/encoding.hpp"
#include "sim/numbers/wide.hpp"

namespace tapalab {

/// weight * q[query] * k[key]
struct BilinearTerm {
  std::uint32_t query;
  std::uint32_t key;
  Wide weight;
};

/// weight * x[coordinate], x = (q, k): coordinates 0..D-1 are the query's, D..2D-1 the key's.
struct LinearTerm {
  std::uint32_t coordinate;
  Wide weight;
};

/// Scores a(x) cos(2 pi s(distance) phi(x)): TAPA in all its forms (eq. 9, 10, 12, 16).
/// a and phi (in turns per unit of s) are sums of the terms below; 1/sqrt(dA), 1/sqrt(dP) included.
struct PhaseScore {
  std::uint32_t head_dim = 0;
  std::uint32_t amplitude_dim = 0;  ///< dA for split forms, 0 for tapa-general
  std::vector<BilinearTerm> amplitude;
  std::vector<BilinearTerm> phase_bilinear;
  std::vector<LinearTerm> phase_linear;
  PhaseLaw law = PhaseLaw::power;
  ExactDecimal alpha;

  /// s(distance), relative error below 2^-180; 0 at distance 0; `linear` is the nearest Wide.
  /// Throws InputError where distance^alpha reaches 2^(2^57): its powers must stay in Wide's range.
  Wide phase_scale(std::uint64_t distance) const;
};

/// One rotated pair of coordinates: contributes w (A cos(angle) + B sin(angle)),
/// A = q_first k_first + q_second k_second, B = q_first k_second - q_second k_first,
/// angle = 2 pi distance frequency, w = weight e^(-decay distance).
struct RotaryPair {
  std::uint32_t first;
  std::uint32_t second;
  Wide frequency_turns;  ///< turns per token
  Wide weight{1};        ///< the square of the attention factor
  Wide decay{0};         ///< per token; xPos alone

  /// w, and w (cos(angle) + i sin(angle)), each with a few 2^-192 of w beside the error of the
  /// angle: 2^-192 of its turns.
  Wide weight_at(std::uint64_t distance) const;
  /// Throws InputError for an angle of 2^110 turns or more: 192 bits leave too little of a turn.
  WideComplex rotation_at(std::uint64_t distance) const;
};

/// Scores scale * sum over pairs (A cos + B sin) + offset: RoPE (eq. 2, 3) and, without pairs, NoPE
/// and ALiBi.
struct RotaryScore {
  std::uint32_t head_dim = 0;
  Wide scale;  ///< 1/sqrt(D)
  std::vector<RotaryPair> pairs;
  std::vector<std::uint32_t> plain;  ///< coordinates that are not rotated: q[i] k[i]
  /// Taken off per token of distance; ALiBi alone. Score tables and backends leave it out: a number
  /// that every sample shares belongs to the mean, where sums of its powers would only lose digits.
  Wide slope{0};

  /// -slope distance, with 2^-190 of it.
  Wide offset(std::uint64_t distance) const { return Wide(-slope * Wide(distance)); }
};

using ScoreModel = std::variant<PhaseScore, RotaryScore>;

/// Throws InputError where the encoding does not fit the head dimension: odd D (tapa-general
/// excepted), share * D not a whole number, matrices of another size, another head dimension in a
/// configuration; and where the encoding depends on a length that it was not given.
ScoreModel lower(const Encoding& encoding, std::uint32_t head_dim);

/// dA = share * head_dim. Throws InputError where that is not a whole number.
std::uint32_t amplitude_dim(const ExactDecimal& share, std::uint32_t head_dim);

/// Of the score: RotaryScore's, 0 for phase scores.
Wide score_offset(const ScoreModel& model, std::uint64_t distance);

/// ALiBi's slopes (Press, Smith and Lewis 2021, section 3): 2^(-8 h/n), h = head + 1, for n heads,
/// n a power of two; else those of the largest power of two below n, followed by every other one of
/// twice as many heads.
Wide alibi_slope(std::uint32_t heads, std::uint32_t head);

/// Frequencies of RoPE in turns per token, d = 0 .. D/2-1 (f_d, divided by 2 pi for radians).
std::vector<Wide> rope_frequencies_turns(const RopeEncoding& rope, std::uint32_t head_dim);

}  // namespace tapalab
