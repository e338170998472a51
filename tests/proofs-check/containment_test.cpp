// Does every ball contain the value at twice the precision? Random arguments, points and intervals
// alike: an interval's result must contain the value at any point of it.
// TAPALAB_CONTAINMENT_RESULTS and TAPALAB_CONTAINMENT_COSTLY set how many results are compared
// (scripts/containment.sh); the counts by family are printed then.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "proofs-check/ball_special.hpp"
#include "proofs-check/clt_crossover.hpp"
#include "proofs-check/distance_resolution.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/lemma_c.hpp"
#include "proofs-check/limit_law.hpp"
#include "proofs-check/rope_extremes.hpp"
#include "proofs-check/rope_sums.hpp"
#include "proofs-check/stationary_phase.hpp"
#include "proofs-check/theorem_2_3.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"

using namespace tapalab;

namespace {

int wanted(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  std::string decimal(double low, double high) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6f", between(low, high));
    return text;
  }
  AngleUnit angle() { return below(2) == 0 ? AngleUnit::turns : AngleUnit::radians; }
  std::string base() {
    return std::vector<std::string>{"10000", "500000", "1e8", "17.5"}[below(4)];
  }
  PairLaw law() {
    const auto d = [](const std::string& text) { return ExactDecimal::parse(text, "test"); };
    return {d(decimal(-1, 1)), d(decimal(-1, 1)), d(decimal(0.2, 2)), d(decimal(0.2, 2)),
            d(decimal(-0.99, 0.99))};
  }

 private:
  std::mt19937_64 engine_;
};

using Balls = std::vector<Ball>;
/// Decimal powers between which an argument's magnitude lies.
struct Range {
  double low, high;
  bool negative_too = false;
};
/// What is evaluated: the same parameters for the same state of `random`, whatever the balls.
struct Family {
  const char* name;
  std::vector<Range> arguments;
  std::function<Balls(const Balls& x, Random& random)> evaluate;
};

Balls parts(const ComplexBall& z) { return {z.re, z.im}; }

std::uint32_t dimension(Random& random) {
  return 2 * (1 + static_cast<std::uint32_t>(random.below(64)));
}

const std::vector<Family> kCheap = {
    {"arithmetic and elementary functions",
     {{-6, 6, true}, {-6, 6, true}},
     [](const Balls& a, Random&) {
       const Ball &x = a[0], &y = a[1], u = abs(x), one(1, x.bits());
       return Balls{x + y,
                    x - y,
                    x * y,
                    x / y,
                    -x,
                    sqrt(u),
                    log(u),
                    exp(x / (u + 1)),
                    pow(u, y / (abs(y) + 1)),
                    pow(x, 7),
                    cos_turns(x),
                    sin_turns(x),
                    abs(ComplexBall{x, y}),
                    pow(ComplexBall{x, y}, -one / 2).re,
                    exp(ComplexBall{x / (u + 1), y}).im};
     }},
    {"Ci, Si, I_0, K_0, P(s, x), 2F1, cosh",
     {{-3, 1.5}, {-2, 1}, {-3, -0.1}},
     [](const Balls& a, Random&) {
       const Ball half = Ball(1, a[0].bits()) / 2, one(1, a[0].bits());
       const ComplexBall c = cosh(ComplexBall{a[1], a[0]});
       return Balls{cosine_integral(a[0]),
                    sine_integral(a[0]),
                    bessel_i0(a[0]),
                    bessel_k0(a[0]),
                    gamma_lower_regularised(a[1], a[0]),
                    hypergeometric_2f1(a[1], half, one, a[2]),
                    c.re,
                    c.im};
     }},
    {"transform of a Gaussian pair, and of diagonal matrices",
     {{-3, 3, true}},
     [](const Balls& a, Random& random) {
       Balls found = parts(pair_transform_ball(random.law(), a[0]));
       std::vector<std::string> M, N;
       for (int i = 0; i < 3; ++i) {
         M.push_back(random.decimal(-2, 2));
         N.push_back(random.decimal(-2, 2));
       }
       for (const Ball& x : parts(diagonal_transform_ball(M, N, random.decimal(-0.9, 0.9), a[0])))
         found.push_back(x);
       return found;
     }},
    {"split TAPA: mean, envelope, variance, excess, bound",
     {{0, 0}},
     [](const Balls& a, Random& random) {
       SplitGaussian model;
       model.amplitude_dim = 1 + static_cast<std::uint32_t>(random.below(70));
       model.phase_dim = 1 + static_cast<std::uint32_t>(random.below(70));
       model.alpha = random.decimal(0.05, 1);
       model.amplitude = random.law();
       model.phase = random.law();
       const std::uint64_t distance = 1 + (random.bits() >> (1 + random.below(63)));
       const slong bits = a[0].bits();
       const ScoreBalls score = split_gaussian_ball(model, distance, bits);
       return Balls{score.mean,
                    score.envelope,
                    score.variance,
                    score.variance_excess,
                    amplitude_mean_ball(model, bits),
                    amplitude_square_ball(model, bits),
                    bias_bound_ball(model, distance, 1, bits)};
     }},
    {"C_D, S_D and their limits, one distance",
     {{0, 0}},
     [](const Balls& a, Random& random) {
       const RopeSetting setting{random.base(), dimension(random), random.angle()};
       const std::uint64_t distance = 1 + (random.bits() >> (1 + random.below(63)));
       const slong bits = a[0].bits();
       const RopeSums sums = rope_sums_at(setting, std::to_string(distance), bits);
       return Balls{sums.cosine, sums.sine, rope_cosine_mean_ball(setting, distance, bits),
                    rope_cosine_limit(setting, distance, bits),
                    rope_sine_limit(setting, distance, bits)};
     }},
    {"C_D, S_D, their limits and the gap's, boxes of (ln b, ln l)",
     {{0.4, 1.3}, {-1, 1.2}},
     [](const Balls& a, Random& random) {
       const AngleUnit angle = random.angle();
       const RopeSums sums = rope_sums(angle, dimension(random), a[0], a[1]);
       const RopeSums limits = rope_limit_numerators(angle, a[0], a[1]);
       const std::uint64_t near = 1 + random.below(20);
       const RopeSums gap = gap_numerators(angle, near, near + 1 + random.below(1000), a[0]);
       return Balls{sums.cosine,
                    sums.sine,
                    limits.cosine,
                    limits.sine,
                    gap.cosine,
                    gap.sine,
                    cosine_integral_range(a[0]),
                    sine_integral_range(a[0])};
     }},
    {"limit law, crossover, resolution, sensitivity, least eps",
     {{-2, 1}, {-1, 1}, {-2, 0}},
     [](const Balls& a, Random& random) {
       const std::uint32_t dim = dimension(random);
       const slong bits = a[0].bits();
       Balls found{limit_density_ball(a[0], a[1]),
                   limit_exponential_ball(2 + static_cast<std::uint32_t>(random.below(100)), bits),
                   normal_phase_excess(a[0], dim),
                   value_crossover(dim, bits),
                   score_correlation_ball(a[0], a[1], dim),
                   score_product_ball(a[0], a[1], dim),
                   score_correlation_limit(a[0], dim),
                   near_critical_share(a[2], dim),
                   least_epsilon(a[0], a[1])};
       for (const PhaseForm form : {PhaseForm::quadratic, PhaseForm::linear}) {
         found.push_back(gradient_square_ball(form, a[0], a[1], dim));
         found.push_back(gradient_square_limit(form, a[0], a[1]));
         found.push_back(noise_correlation_ball(form, a[0], a[1], a[2], dim));
       }
       return found;
     }},
    {"quadrature of entire functions",
     {{-2, 0.5}, {-1, 0.7}},
     [](const Balls& a, Random&) {
       // e^(-u x^2) cos(v x) over [-1, v]
       const Ball &u = a[0], &v = a[1], zero(0, u.bits());
       const auto integrand = [&](const ComplexBall& x) {
         const ComplexBall square = x * x, line{-(v * x.im), v * x.re};
         const ComplexBall gauss = exp(ComplexBall{-(u * square.re), -(u * square.im)});
         const ComplexBall up = exp(line), down = exp(ComplexBall{-line.re, -line.im});
         return gauss * ComplexBall{(up.re + down.re) / 2, (up.im + down.im) / 2};
       };
       return Balls{integrate_entire(integrand, -Ball(1, u.bits()), v, u.bits())};
     }},
};

const std::vector<Family> kCostly = {
    {"quadrature of the limit's density, 300 bits and more",
     {{-1, 0.7}, {-0.5, 0.5}},
     [](const Balls& a, Random&) {
       return Balls{limit_density_integral(a[0].with_bits(a[0].bits() + 250),
                                           a[1].with_bits(a[1].bits() + 250))};
     }},
    {"C_D and S_D at distances of 10^90, D = 1024",
     {{0, 0}},
     [](const Balls& a, Random& random) {
       std::string distance = std::to_string(1 + random.below(9));
       for (int i = 0; i < 90; ++i) distance += static_cast<char>('0' + random.below(10));
       const RopeSums sums =
           rope_sums_at({random.base(), 1024, random.angle()}, distance, a[0].bits());
       return Balls{sums.cosine, sums.sine};
     }},
};

struct Tally {
  long contained = 0, outside = 0, undecided = 0, unbounded = 0;
  long all() const { return contained + outside + undecided + unbounded; }
  void add(const Ball& coarse, const Ball& fine) {
    if (!coarse.is_finite())
      ++unbounded;
    else if (coarse.contains(fine))
      ++contained;
    else if (coarse.overlaps(fine))
      ++undecided;  // the finer ball is too wide to tell
    else
      ++outside;
  }
  void report(const char* name) const {
    if (std::getenv("TAPALAB_CONTAINMENT_RESULTS") == nullptr) return;
    std::printf("| %s | %ld | %ld | %ld | %ld |\n", name, contained, undecided, unbounded, outside);
  }
};

/// An interval of relative width 10^-30 to 1/10, or none; and a point of it.
struct Interval {
  std::string low, width;
  slong numerator;  ///< of 2^16
  Ball enclosed(slong bits) const {
    const Ball a = Ball::decimal(low, bits);
    return hull(a, a + Ball::decimal(width, bits));
  }
  Ball point(slong bits) const {
    return Ball::decimal(low, bits) + Ball::decimal(width, bits) * numerator / 65536;
  }
};

Interval draw(const Range& range, Random& random) {
  char low[64], width[64];
  const double magnitude = random.between(range.low, range.high);
  const bool negative = range.negative_too && random.below(2) == 0;
  const double value = std::pow(10.0, magnitude);
  std::snprintf(low, sizeof low, "%s%.17e", negative ? "-" : "", value);
  std::snprintf(width, sizeof width, "%.3e", value * std::pow(10.0, random.between(-30, -1)));
  return {low, random.below(2) == 0 ? "0" : width, static_cast<slong>(1 + random.below(65535))};
}

/// Results of one random problem of the family, at a random precision.
void compare(const Family& family, Random& random, Tally& tally) {
  const slong bits = 24 + static_cast<slong>(random.below(200));
  Balls coarse, fine;
  std::string description = family.name;
  for (const Range& range : family.arguments) {
    const Interval interval = draw(range, random);
    description += ", " + interval.low + " + [0, " + interval.width + "]";
    coarse.push_back(interval.enclosed(bits));
    fine.push_back(interval.point(2 * bits));
  }
  const std::uint64_t seed = random.bits();
  Random once(seed), again(seed);
  const Balls low = family.evaluate(coarse, once), high = family.evaluate(fine, again);
  REQUIRE(low.size() == high.size());
  const long before = tally.outside;
  for (std::size_t i = 0; i < low.size(); ++i) {
    tally.add(low[i], high[i]);
    INFO(description << ", " << bits << " bits, seed " << seed << ", result " << i << ": "
                     << low[i].midpoint() << " +- " << low[i].radius() << " against "
                     << high[i].midpoint());
    CHECK(tally.outside == before);
  }
}

Tally campaign(const std::vector<Family>& families, long results, std::uint64_t seed) {
  Tally total;
  const long each =
      (results + static_cast<long>(families.size()) - 1) / static_cast<long>(families.size());
  for (const Family& family : families) {
    Random random(seed++);
    Tally tally;
    while (tally.all() < each) compare(family, random, tally);
    tally.report(family.name);
    total.contained += tally.contained;
    total.outside += tally.outside;
    total.undecided += tally.undecided;
    total.unbounded += tally.unbounded;
  }
  return total;
}

}  // namespace

TEST_CASE("balls contain the value at twice the precision: closed forms and cheap quadratures") {
  const Tally tally = campaign(kCheap, wanted("TAPALAB_CONTAINMENT_RESULTS", 4000), 2026);
  CHECK(tally.outside == 0);
  // the others are balls without a bound (a division by one that holds 0), or too wide to decide
  CHECK(tally.contained > tally.all() * 8 / 10);
}

TEST_CASE("balls contain the value at twice the precision: costly forms") {
  const int count = wanted("TAPALAB_CONTAINMENT_COSTLY", 6);
  const Tally tally = campaign(kCostly, count, 77);
  CHECK(tally.outside == 0);
  CHECK(tally.contained > tally.all() * 8 / 10);

  // extremes of RoPE's mean over all distances, by branch and bound: the tolerance squared
  Random random(99);
  Tally extremes;
  while (extremes.all() < count / 2) {
    const Ball psi = Ball::decimal(random.decimal(0, 1), 128);
    std::vector<std::uint64_t> coefficients{1};
    const std::uint64_t ratio = 2 + random.below(9);
    for (std::uint64_t k = 1; k < 2 + random.below(3); ++k)
      coefficients.push_back(coefficients.back() * ratio);
    const double tolerance = random.between(1e-5, 1e-4);
    extremes.add(least_cosine_sum(coefficients, psi, tolerance).value,
                 least_cosine_sum(coefficients, psi, tolerance * tolerance).value);
  }
  extremes.report("least value of a sum of cosines, branch and bound");
  CHECK(extremes.outside == 0);
  CHECK(extremes.contained > 0);
}

TEST_CASE("the count of containment tells a ball that misses from one that holds") {
  Tally tally;
  const Ball third = Ball(1, 40) / 3;
  tally.add(third, Ball(1, 80) / 3);
  CHECK(tally.contained == 1);
  tally.add(third, Ball(1, 80) / 3 + Ball::decimal("1e-11", 80));
  CHECK(tally.outside == 1);
  tally.add(Ball(1, 40) / 3, Ball(1, 40) / 3 + Ball::decimal("1e-13", 40));
  CHECK(tally.undecided == 1);
  tally.add(Ball(1, 40) / Ball(0, 40), third);
  CHECK(tally.unbounded == 1);
  CHECK(tally.all() == 4);
}
