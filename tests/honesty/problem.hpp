// Random problems for the exact and quadrature engines, small and extreme, whose truth is known in
// ball arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "proofs-check/ball_curve.hpp"

namespace tapalab::honesty {

/// Decimals, means, scales and distances at random; the same seed, the same values.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// sign 10^u, u uniform in [low, high], five digits
  std::string decimal(double low, double high, bool signed_value);
  std::string mean() { return below(3) == 0 ? "0" : decimal(-12, below(4) == 0 ? 15 : 1, true); }
  std::string scale() { return below(2) == 0 ? "1" : decimal(-3, below(4) == 0 ? 8 : 1, false); }
  std::string alpha() { return decimal(-2, below(5) == 0 ? 1.3 : 0, false); }
  std::uint64_t distance() { return below(20) == 0 ? 0 : engine_() >> (1 + below(63)); }
  const std::string& one_of(const std::vector<std::string>& items) {
    return items[below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

/// One distance of one experiment, and the truth of its quantities at a precision in bits.
struct Problem {
  CurveTask task;
  std::string text;  ///< as it can be given to the program
  std::function<PointBalls(slong bits)> truth;

  std::uint64_t distance() const { return task.distances.distances.at(0); }
};

/// A kind of problem. Truths of `most_bits` bits at most: where that does not decide, the
/// comparison is undecided.
struct Kind {
  std::string name;
  std::string what;
  std::function<Problem(Random&)> draw;
  slong most_bits;
};
std::vector<Kind> kinds();

/// Truth by the engine `ball`'s own integrals and forms.
Problem certified_problem(const std::string& encoding, const Density& density,
                          std::uint32_t head_dim, std::uint64_t distance);

/// Split TAPA under laws whose transform is a formula of its own (erfc, erf, Ci, Si, atan), which
/// shares nothing with either engine.
Problem formula_problem(Random& random);

/// student-t-joint and quartic under every encoding; smoothed tokens under split and linear TAPA
/// and RoPE; tapa-general over smoothed tokens in balls, against the mixture that they are.
Problem radial_problem(Random& random, const std::string& name);
Problem token_problem(Random& random);
Problem general_token_problem(Random& random);

/// Laws of amplitude and phase of a product density as keys of its specification.
struct ProductKeys {
  std::string mean_q, mean_k, scale_q, scale_k;
  std::string phase_mean_q, phase_mean_k, phase_scale_q, phase_scale_k;

  ProductKeys(Random& random, bool phase_means);
  std::string density(const std::string& q, const std::string& k) const;
};

}  // namespace tapalab::honesty
