// Amplitudes and phases of token pairs, the phases in two doubles each: with law=linear the scale s
// reaches 2^60, where a phase in one double keeps no digit.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/density.hpp"
#include "sim/score_model.hpp"

namespace tapalab::empirical {

/// Unevaluated sum high + low, |low| <= ulp(high)/2.
struct TwoDouble {
  double high = 0;
  double low = 0;
};
TwoDouble two_sum(double a, double b);
TwoDouble operator+(const TwoDouble& a, const TwoDouble& b);
/// Nearest TwoDouble: relative error 2^-106.
TwoDouble two_double(const Wide& x);

/// The leading 26 bits of x, so that products of two such heads, and of a head with the rest
/// x - head(x), are exact (Veltkamp; |x| below 2^990).
double head(double x);

/// Amplitudes and phases of `count` pairs: phase = unit * (high_head + high_rest + low) in turns
/// per unit of s, high_head + high_rest the high part split by head().
struct PairValues {
  std::vector<double> amplitude, high_head, high_rest, low;

  void resize(std::size_t count);
  std::size_t size() const { return amplitude.size(); }
};

/// What every token contributes. A weight that all phase terms share is left to `unit`, so that
/// the sums run over products of the file's own numbers.
///
/// Phase sums q.k: both factors are split at a bit that depends on the token, q = q1 + q2, so that
/// q1.k1 is a sum of integers below 2^53 times a power of two, exact in any order; q1.k2 and q2.k1
/// are 2^-b of it and q2.k2 2^-2b, b = (53 - log2 terms)/2 bits (Ozaki et al. 2012).
class PhaseTable {
 public:
  PhaseTable(const PhaseScore& score, const TokenTable& table);

  /// All pairs of queries first_query .. + queries - 1 with keys first_key .. + keys - 1, query by
  /// query.
  void tile(std::size_t first_query, std::size_t queries, std::size_t first_key, std::size_t keys,
            PairValues& values) const;
  /// The pairs (query[p], key[p]).
  void list(const std::size_t* query, const std::size_t* key, std::size_t count,
            PairValues& values) const;

  const Wide& unit() const { return unit_; }
  /// Bounds over all pairs of the table: |phase/unit| and the error of its two doubles.
  double largest() const { return largest_; }
  double error() const { return error_; }

 private:
  struct Bilinear {
    std::size_t rank = 0;
    std::vector<std::uint32_t> keys;  ///< key coordinates in use
    std::vector<double> high, low;    ///< tokens x rank: queries times the weights
  };
  static Bilinear transform(const std::vector<BilinearTerm>& terms, const Wide& unit,
                            const TokenTable& table);
  void set_amplitude(const PhaseScore& score, const TokenTable& table);
  void set_phase(const PhaseScore& score, const TokenTable& table);
  void set_linear(const PhaseScore& score, const TokenTable& table);

  std::size_t tokens_ = 0, amplitude_rank_ = 0, phase_rank_ = 0;
  Wide unit_{1};
  double largest_ = 0, error_ = 0;
  std::vector<double> query_amplitude_;               // tokens x rank
  std::vector<double> key_amplitude_;                 // rank x tokens
  std::vector<double> query_upper_, query_lower_;     // tokens x rank: q1, q2
  std::vector<double> key_upper_, key_lower_;         // rank x tokens: k1, k2
  std::vector<TwoDouble> query_linear_, key_linear_;  // tokens; empty without linear terms
};

}  // namespace tapalab::empirical
