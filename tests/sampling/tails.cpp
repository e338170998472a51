// Every sampler against its distribution function, far into the tails: Anderson and Darling's
// statistic, counts beyond probabilities down to one draw, moments below half the order that
// exists, and the error of its transform against long double on the same words. One line a test;
// exits 1 where one fails.
//   tails [DRAWS] [SEED]
//
// Distribution functions here are of their own: erfc, exp and atan of the C library in long double,
// Boost's incomplete beta, and a quadrature.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/marginal_sampler.hpp"
#include "sim/random/normal_single.hpp"

using namespace tapalab;

namespace {

using Real = long double;
constexpr Real kPi = 3.14159265358979323846264338327950288L;
constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

Real normal_above(Real x) { return 0.5L * erfcl(x / sqrtl(2)); }
Real normal_density(Real x) { return expl(-x * x / 2) / sqrtl(2 * kPi); }

const Real kBumpMass = 0.443993816168079437823L;  // of exp(-1/(1 - z^2)) on (-1, 1)
const Real kBumpWidth = 2.514868821655911L;

Real bump_above(Real x) {
  if (x >= kBumpWidth) return 0;
  const auto density = [](Real z) {
    const Real rest = (1 - z) * (1 + z);
    return rest > 0 ? expl(-1 / rest) : 0.0L;
  };
  return boost::math::quadrature::gauss_kronrod<Real, 61>::integrate(density, x / kBumpWidth, 1.0L,
                                                                     8, 1e-12L) /
         kBumpMass;
}

const boost::math::students_t_distribution<Real> kStudent(5);

struct Law {
  std::string name;
  std::function<void(std::uint64_t first, PhiloxKey key, double* x)> draw;  // 1024 of them
  std::function<Real(Real)> above;  // P(X > x), x >= 0; all laws are symmetric
  Real end = kInfinite;             // of the support
  Real order = kInfinite;           // moments below it exist
  std::function<Real(const PhiloxBlock*)>
      exact{};          // the same transform; empty: bits are the draw's
  double accuracy = 0;  // stated: |error| <= this (1 + |x|)
};

constexpr std::size_t kTogether = 1024;

template <class Draw>
auto by_words(Draw draw) {
  return [draw](std::uint64_t first, PhiloxKey key, double* x) {
    for (std::size_t i = 0; i < kTogether; ++i) x[i] = draw(CoordinateWords{first + i, 0, key});
  };
}

void draw_doubles(std::uint64_t first, PhiloxKey key, double* x) {
  for (std::size_t i = 0; i < kTogether; i += 2) {
    const NormalPair pair = normal_pair(
        philox(stream_counter(first / 2 + i / 2, 0, stream_tag(Stream::gaussian)), key));
    x[i] = pair.first;
    x[i + 1] = pair.second;
  }
}

void draw_floats(std::uint64_t first, PhiloxKey key, double* x) {
  for (std::size_t i = 0; i < kTogether; i += 4) {
    const PhiloxBlock b =
        philox(stream_counter(first / 4 + i / 4, 0, stream_tag(Stream::gaussian_single)), key);
    const auto one = normal_pair_single(b.word[0], b.word[1]);
    const auto two = normal_pair_single(b.word[2], b.word[3]);
    x[i] = static_cast<double>(one.first);
    x[i + 1] = static_cast<double>(one.second);
    x[i + 2] = static_cast<double>(two.first);
    x[i + 3] = static_cast<double>(two.second);
  }
}

Real first_of(const PhiloxBlock* b) { return detail::unit_first(b[0]); }
Real sided(Real size, std::uint32_t word) { return (word & 1) != 0 ? -size : size; }

// Box and Muller on the words of a block; the angle is a double, as the sampler has it.
Real normal_of(const PhiloxBlock& b) {
  const double turns =
      (detail::word_value(b.word[2]) * 4294967296.0 + detail::word_value(b.word[3])) * 0x1p-64;
  return sqrtl(-2 * logl(detail::unit_first(b))) * cosl(2 * kPi * Real{turns});
}

std::vector<Law> laws() {
  const Real third = sqrtl(3);
  return {
      {"normal (double)", draw_doubles, normal_above, kInfinite, kInfinite,
       [](const PhiloxBlock* b) { return normal_of(b[0]); }, 2e-15},
      {"normal (float)", draw_floats, normal_above, kInfinite, kInfinite, {}, 0},
      {"uniform", by_words(DrawUniform{}), [=](Real x) { return (1 - x / third) / 2; }, third,
       kInfinite, [=](const PhiloxBlock* b) { return third * (2 * first_of(b) - 1); }, 4e-16},
      {"logistic", by_words(DrawLogistic{}),
       [=](Real x) { return 1 / (1 + expl(kPi * x / third)); }, kInfinite, kInfinite,
       [=](const PhiloxBlock* b) {
         const Real u = first_of(b);
         return sided(third / kPi * logl((2 - u) / u), b[0].word[2]);
       },
       1e-15},
      {"sech", by_words(DrawSech{}), [](Real x) { return 2 / kPi * atanl(expl(-kPi * x / 2)); },
       kInfinite, kInfinite,
       [](const PhiloxBlock* b) {
         return sided(-2 / kPi * logl(tanl(kPi / 4 * first_of(b))), b[0].word[2]);
       },
       1e-15},
      {"laplace", by_words(DrawLaplace{}), [](Real x) { return 0.5L * expl(-sqrtl(2) * x); },
       kInfinite, kInfinite,
       [](const PhiloxBlock* b) { return sided(-logl(first_of(b)) / sqrtl(2), b[0].word[2]); },
       1e-15},
      {"student-t, nu = 5", by_words(DrawStudentT{0.4, 3}),
       [](Real x) {
         return boost::math::cdf(boost::math::complement(kStudent, x * sqrtl(5.0L / 3)));
       },
       kInfinite, 5,
       [](const PhiloxBlock* b) {
         const Real ratio = expm1l(-0.4L * logl(first_of(b)));
         return sqrtl(3 * ratio) * cosl(2 * kPi * Real{detail::unit_second(b[0])});
       },
       4e-15},
      {"bump", by_words(DrawBump{}), bump_above, kBumpWidth, kInfinite, {}, 0},
      {"hermite2", by_words(DrawHermite2{}),
       [=](Real x) { return normal_above(third * x) + third * x * normal_density(third * x); },
       kInfinite, kInfinite,
       [=](const PhiloxBlock* b) {
         const Real n = normal_of(b[1]);
         return sided(sqrtl((n * n - 2 * logl(first_of(b))) / 3), b[0].word[2]);
       },
       2e-15},
      {"singular", by_words(DrawSingular{}),
       [=](Real x) { return 0.5L * erfcl(sqrtl(third * x / 2)); }, kInfinite, kInfinite,
       [=](const PhiloxBlock* b) {
         const Real n = normal_of(b[0]);
         const double turns =
             (detail::word_value(b[0].word[2]) * 4294967296.0 + detail::word_value(b[0].word[3])) *
             0x1p-64;
         return sinl(2 * kPi * Real{turns}) < 0 ? -n * n / third : n * n / third;
       },
       4e-15},
  };
}

// x with P(X > x) = u, by bisection of the distribution function itself.
Real upper_quantile(const Law& law, Real u) {
  Real low = 0, high = std::min(law.end, 1.0L);
  while (high < law.end && law.above(high) > u) high = std::min(2 * high, law.end);
  for (int i = 0; i < 70; ++i) {
    const Real middle = (low + high) / 2;
    (law.above(middle) > u ? low : high) = middle;
  }
  return (low + high) / 2;
}

// E|X|^p = 2 int p x^(p-1) P(X > x) dx.
Real absolute_moment(const Law& law, int p) {
  const auto rest = [&](Real x) {
    const Real above = law.above(x);
    return above > 0 ? 2 * p * powl(x, static_cast<Real>(p - 1)) * above : 0.0L;
  };
  if (std::isinf(law.end)) return boost::math::quadrature::exp_sinh<Real>().integrate(rest, 1e-14L);
  return boost::math::quadrature::gauss_kronrod<Real, 61>::integrate(rest, 0.0L, law.end, 12,
                                                                     1e-14L);
}

// P(A^2 > z) in the limit (Marsaglia and Marsaglia, J. Stat. Software 9 (2004), within 2e-6).
double anderson_darling_above(double z) {
  if (z <= 0.01) return 1;
  if (z < 2) {
    return 1 -
           std::exp(-1.2337141 / z) / std::sqrt(z) *
               (2.00012 +
                (0.247105 - (0.0649821 - (0.0347962 - (0.011672 - 0.00168691 * z) * z) * z) * z) *
                    z);
  }
  return 1 - std::exp(-std::exp(
                 1.0776 -
                 (2.30695 - (0.43424 - (0.082433 - (0.008056 - 0.0003146 * z) * z) * z) * z) * z));
}

// Two-sided probability of a Poisson count at least so far from its mean, bounded by twice a tail.
double poisson_beyond(std::uint64_t count, double mean) {
  const double below = boost::math::gamma_q(static_cast<double>(count) + 1, mean);
  const double above = count == 0 ? 1 : boost::math::gamma_p(static_cast<double>(count), mean);
  return std::min(1.0, 2 * std::min(below, above));
}

// Below this a test fails: about 250 of them are made.
constexpr double kLeastProbability = 1e-6;

struct Outcome {
  int tests = 0, failed = 0;
  double least = 1;  // probability

  void add(double probability, const std::string& what) {
    ++tests;
    least = std::min(least, probability);
    if (probability >= kLeastProbability) return;
    ++failed;
    fmt::print("  FAILED {}: probability {:.1e}\n", what, probability);
  }
};

double two_sided(double z) { return std::erfc(std::abs(z) / std::sqrt(2.0)); }

double transform_error(const Law& law, PhiloxKey key) {
  if (!law.exact) return 0;
  double worst = 0;
  double x[kTogether];
  const bool normal = law.name == "normal (double)";
  for (std::uint64_t first = 0; first < 128 * kTogether; first += kTogether) {
    law.draw(first, key, x);
    for (std::size_t i = 0; i < kTogether; i += normal ? 2 : 1) {
      const CoordinateWords words{first + i, 0, key};
      PhiloxBlock blocks[2] = {words.block(0), words.block(1)};
      if (normal) {
        blocks[0] = philox(stream_counter((first + i) / 2, 0, stream_tag(Stream::gaussian)), key);
      }
      const Real exact = law.exact(blocks);
      worst = std::max(worst, static_cast<double>(fabsl(Real{x[i]} - exact) / (1 + fabsl(exact))));
    }
  }
  return worst;
}

Outcome test(const Law& law, std::uint64_t draws, std::uint64_t seed) {
  Outcome outcome;
  // Cells between equal steps of ln(u/(1 - u)), u the probability below an edge: with Fn the share
  // of draws below, A^2 = n int (Fn - u)^2 d ln(u/(1 - u)). The edges of tails stand among them.
  struct Edge {
    double x, logit, above;  // above: probability
    bool tail = false;
  };
  std::vector<Edge> edges;
  const double reach = std::log(static_cast<double>(draws)) + 4;
  const auto put = [&](Real u, bool tail) {
    const Real x = upper_quantile(law, u);
    const Real logit = logl((1 - u) / u);
    edges.push_back(
        {static_cast<double>(x), static_cast<double>(logit), static_cast<double>(u), tail});
    edges.push_back(
        {static_cast<double>(-x), static_cast<double>(-logit), static_cast<double>(1 - u), tail});
  };
  constexpr int kCells = 1000;  // a side
  for (int i = 1; i <= kCells; ++i) put(1 / (1 + expl(reach * i / kCells)), false);
  Real least = 0.1L;
  for (; least * static_cast<Real>(draws) > 0.5L; least /= 10) put(least, true);
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.x < b.x; });
  std::vector<double> limits;
  for (const Edge& edge : edges) limits.push_back(edge.x);

  const int orders = 8;
  std::vector<double> sums(orders + 1), signed_sums(orders + 1);
  std::vector<std::uint64_t> counts(limits.size() + 1);
  const PhiloxKey key = stream_key(seed);
  double x[kTogether];
  for (std::uint64_t first = 0; first < draws; first += kTogether) {
    law.draw(first, key, x);
    double part[orders + 1] = {}, signed_part[orders + 1] = {};
    for (const double value : x) {
      ++counts[static_cast<std::size_t>(std::lower_bound(limits.begin(), limits.end(), value) -
                                        limits.begin())];
      double power = 1;
      for (int p = 1; p <= orders; ++p) {
        power *= value;
        part[p] += std::abs(power);
        signed_part[p] += power;
      }
    }
    for (int p = 1; p <= orders; ++p) {
      sums[p] += part[p];
      signed_sums[p] += signed_part[p];
    }
  }
  const double n = static_cast<double>((draws + kTogether - 1) / kTogether * kTogether);

  double statistic = 0;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    below += counts[i];
    const Edge& edge = edges[i];
    const double off = static_cast<double>(below) / n - (1 - edge.above);
    const double left = i > 0 ? edges[i - 1].logit : edge.logit;
    const double right = i + 1 < edges.size() ? edges[i + 1].logit : edge.logit;
    statistic += n * off * off * 0.5 * (right - left);
    if (!edge.tail) continue;
    const bool upper = edge.x > 0;
    const std::uint64_t count = upper ? static_cast<std::uint64_t>(n) - below : below;
    const double share = upper ? edge.above : 1 - edge.above;
    const double expected = n * share;
    outcome.add(
        expected > 1e4
            ? two_sided((static_cast<double>(count) - expected) / std::sqrt(expected * (1 - share)))
            : poisson_beyond(count, expected),
        fmt::format("{} draws beyond {:.4g} where {:.4g} are expected", count, edge.x, expected));
  }
  const double p_value = anderson_darling_above(statistic);
  outcome.add(p_value, "Anderson and Darling's statistic");
  double worst = 0;
  int highest = 0;
  for (int p = 1; p <= orders && 2 * p < law.order; ++p) {
    highest = p;
    const double mean = static_cast<double>(absolute_moment(law, p));
    const double square = static_cast<double>(absolute_moment(law, 2 * p));
    const double z = (sums[p] / n - mean) / std::sqrt(std::max(square - mean * mean, 1e-300) / n);
    outcome.add(two_sided(z), fmt::format("E|X|^{}", p));
    worst = std::max(worst, std::abs(z));
    if (p % 2 == 0) continue;
    const double odd = signed_sums[p] / n / std::sqrt(square / n);
    outcome.add(two_sided(odd), fmt::format("E X^{}", p));
    worst = std::max(worst, std::abs(odd));
  }
  const double error = transform_error(law, key);
  if (error > law.accuracy) {
    ++outcome.failed;
    fmt::print("  FAILED: the transform is off by {:.2g}, stated {:.2g}\n", error, law.accuracy);
  }
  fmt::print(
      "{:18} A^2 {:6.3f} (p {:.3f})  tails to {:.0e}, least p {:.4f} of {}  "
      "moments to {}, worst {:.2f} sigma  transform {}\n",
      law.name, statistic, p_value, static_cast<double>(least * 10), outcome.least, outcome.tests,
      highest, worst, law.exact ? fmt::format("{:.1e} of {:.0e}", error, law.accuracy) : "-");
  std::fflush(stdout);
  return outcome;
}

// Two values: their counts are binomial.
Outcome test_rademacher(std::uint64_t draws, std::uint64_t seed) {
  Outcome outcome;
  double x[kTogether], sum = 0, n = 0;
  bool other = false;
  for (std::uint64_t first = 0; first < draws; first += kTogether) {
    by_words(DrawRademacher{})(first, stream_key(seed), x);
    for (const double value : x) {
      sum += value;
      other = other || std::abs(value) != 1;
    }
    n += kTogether;
  }
  outcome.add(other ? 0 : two_sided(sum / std::sqrt(n)), "counts of -1 and 1");
  fmt::print("{:18} count of 1 off by {:.2f} sigma\n", "rademacher", sum / std::sqrt(n));
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  const auto draws = static_cast<std::uint64_t>(argc > 1 ? std::strtod(argv[1], nullptr) : 1e6);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (draws < 10'000 || draws > 100'000'000'000) {
    fmt::print("tails: DRAWS is not from 1e4 to 1e11\n");
    return 2;
  }
  int tests = 0, failed = 0;
  const auto count = [&](const Outcome& outcome) {
    tests += outcome.tests;
    failed += outcome.failed;
  };
  // A seed for each law: many share their words.
  std::uint64_t next = seed;
  for (const Law& law : laws()) count(test(law, draws, next++));
  count(test_rademacher(draws, next));
  fmt::print("{} draws of each law, seeds from {}: {} tests, {} failed\n", draws, seed, tests,
             failed);
  return failed == 0 ? 0 : 1;
}
