// Are stated errors of kinds rounding and quadrature true? Random problems, small and extreme, of
// which ball arithmetic knows the answer: |estimate - truth| <= the stated error, and the truth in
// the stated interval. TAPALAB_HONESTY_PROBLEMS sets their number (scripts/honesty.sh).
#ifdef TAPALAB_FLINT3
#include <flint/arb_hypgeom.h>
#else
#include <arb_hypgeom.h>
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "catch.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/product_pair_ball.hpp"

using namespace tapalab;

namespace {

int problems(int otherwise) {
  const char* text = std::getenv("TAPALAB_HONESTY_PROBLEMS");
  return text == nullptr ? otherwise : std::atoi(text);
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  /// sign 10^u, u uniform in [low, high], five digits
  std::string decimal(double low, double high, bool signed_value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4e", std::pow(10.0, low + unit() * (high - low)));
    return (signed_value && below(2) == 0 ? "-" : "") + std::string(text);
  }
  std::string mean() { return below(3) == 0 ? "0" : decimal(-12, below(4) == 0 ? 15 : 1, true); }
  std::string scale() { return below(2) == 0 ? "1" : decimal(-3, below(4) == 0 ? 8 : 1, false); }
  std::string alpha() { return decimal(-2, below(5) == 0 ? 1.3 : 0, false); }
  std::uint64_t distance() { return below(20) == 0 ? 0 : engine_() >> (1 + below(63)); }

 private:
  std::mt19937_64 engine_;
};

/// How often a stated error was compared with the truth, and was too small.
struct Tally {
  int compared = 0, undecided = 0, dishonest = 0;

  void add(const Quantity& quantity, const Ball& truth) {
    const slong bits = truth.bits();
    const Ball estimate = Ball::exactly(quantity.estimate.wide(), bits);
    const Ball error = Ball::exactly(quantity.error.absolute.wide(), bits);
    const Ball lower = Ball::exactly(quantity.error.lower.wide(), bits);
    const Ball upper = Ball::exactly(quantity.error.upper.wide(), bits);
    const Ball off = abs(estimate - truth);
    // An error of exactly 0 claims that the estimate is the truth.
    const bool exact = quantity.error.absolute.sign() == 0 && off.contains(Ball(0, bits));
    if (certainly_less(error, off) || certainly_less(truth, lower) ||
        certainly_less(upper, truth)) {
      ++dishonest;
    } else if (exact || (certainly_at_most(off, error) && certainly_at_most(lower, truth) &&
                         certainly_at_most(truth, upper))) {
      ++compared;
    } else {
      ++undecided;
    }
  }

  void report(const char* name) const {
    if (std::getenv("TAPALAB_HONESTY_PROBLEMS") == nullptr) return;
    std::printf("%s: %d compared, %d undecided, %d dishonest\n", name, compared, undecided,
                dishonest);
  }
};

CurvePoint point_of(const std::string& encoding, const std::string& density, std::uint64_t distance,
                    std::uint32_t head_dim) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances.distances = {distance};
  return compute_curve(task).points.at(0);
}

// Digits enough for phases of distance^alpha turns, and for a variance that cancels.
slong bits_for(const std::string& alpha) {
  return 700 + static_cast<slong>(400 * std::stod(alpha));
}

struct ProductProblem {
  std::string alpha, mean_q, mean_k, scale_q, scale_k, phase_mean_q, phase_mean_k, phase_scale_q,
      phase_scale_k;
  std::uint64_t distance;

  ProductProblem(Random& random, bool phase_means)
      : alpha(random.alpha()),
        mean_q(random.mean()),
        mean_k(random.mean()),
        scale_q(random.scale()),
        scale_k(random.scale()),
        phase_mean_q(phase_means ? random.mean() : "0"),
        phase_mean_k(phase_means ? random.mean() : "0"),
        phase_scale_q(random.scale()),
        phase_scale_k(random.scale()),
        distance(random.distance()) {}

  std::string density(const std::string& q, const std::string& k) const {
    return q + ":key=" + k + ",a.mean_q=" + mean_q + ",a.mean_k=" + mean_k +
           ",a.scale_q=" + scale_q + ",a.scale_k=" + scale_k + ",p.mean_q=" + phase_mean_q +
           ",p.mean_k=" + phase_mean_k + ",p.scale_q=" + phase_scale_q +
           ",p.scale_k=" + phase_scale_k;
  }
};

/// All four quantities from E e^(i t phi) at t and 2t, amplitude and phase being independent.
void compare(const ProductProblem& p, std::uint32_t amplitude_dim, const ComplexBall& once,
             const ComplexBall& twice, const CurvePoint& point, Tally& tally) {
  const slong bits = once.re.bits();
  const auto ball = [bits](const std::string& text) { return Ball::decimal(text, bits); };
  const Ball mq = ball(p.mean_q), mk = ball(p.mean_k), sq = ball(p.scale_q), sk = ball(p.scale_k);
  const Ball mean_a = mq * mk * sqrt(Ball(static_cast<slong>(amplitude_dim), bits));
  const Ball var_a = sq * sq * sk * sk + sq * sq * mk * mk + sk * sk * mq * mq;
  const Ball square_a = var_a + mean_a * mean_a;
  const Ball mean = mean_a * once.re;
  const Ball excess = square_a * twice.re / 2 - mean * mean;
  tally.add(*point.mean, mean);
  tally.add(*point.envelope, abs(mean_a) * abs(once));
  tally.add(*point.variance_excess, excess);
  tally.add(*point.variance, square_a / 2 + excess);
}

Ball unary(const Ball& x, void (*f)(arb_t, const arb_t, slong)) {
  Ball result(0, x.bits());
  f(result.get(), x.get(), x.bits());
  return result;
}

/// E e^(iwX) of a law of unit variance.
Ball characteristic(const std::string& law, const Ball& w) {
  const slong bits = w.bits();
  const Ball one(1, bits), root3 = sqrt(Ball(3, bits));
  if (law == "gaussian") return exp(-(w * w / 2));
  if (law == "sech") return Ball(2, bits) / (exp(w) + exp(-w));
  if (law == "laplace") return one / (w * w / 2 + 1);
  if (law == "hermite2") return (one - w * w / 3) * exp(-(w * w / 6));
  if (law == "rademacher") return cos_turns(w / (Ball::pi(bits) * 2));
  const Ball z = w * root3;
  if (law == "uniform") return unary(z, arb_sinc);
  if (law == "logistic")
    return one / unary(z, [](arb_t y, const arb_t x, slong prec) {  // z/sinh z
             if (arb_is_zero(x)) {
               arb_one(y);
               return;
             }
             arb_sinh(y, x, prec);
             arb_div(y, y, x, prec);
           });
  // singular: Re (1 - 2iw/sqrt(3))^(-1/2)
  return pow(ComplexBall{one, -(w * 2 / root3)}, Ball(-1, bits) / 2).re;
}

/// e^(i angle)
ComplexBall turn(const Ball& angle) {
  const Ball turns = angle / (Ball::pi(angle.bits()) * 2);
  return {cos_turns(turns), sin_turns(turns)};
}

ComplexBall power(ComplexBall z, std::uint32_t n) {
  ComplexBall result{Ball(1, z.re.bits()), Ball(0, z.re.bits())};
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * z;
    z = z * z;
  }
  return result;
}

}  // namespace

TEST_CASE("stated errors of the Gaussian closed form are true") {
  Random random(20261130);
  Tally tally;
  const int count = problems(150);
  for (int i = 0; i < count; ++i) {
    const auto law = [&] {
      const std::string rho = random.below(4) == 0   ? (random.below(2) == 0 ? "1" : "-1")
                              : random.below(4) == 0 ? "0"
                                                     : random.decimal(-4, -0.001, true);
      const auto d = [](const std::string& text) { return ExactDecimal::parse(text, "test"); };
      return PairLaw{d(random.mean()), d(random.mean()), d(random.scale()), d(random.scale()),
                     d(rho)};
    };
    const auto keys = [](const std::string& prefix, const PairLaw& pair) {
      return prefix + "mean_q=" + pair.mean_q.text() + "," + prefix +
             "mean_k=" + pair.mean_k.text() + "," + prefix + "scale_q=" + pair.scale_q.text() +
             "," + prefix + "scale_k=" + pair.scale_k.text() + "," + prefix +
             "rho=" + pair.rho.text();
    };
    SplitGaussian model;
    model.amplitude_dim = model.phase_dim = 1 + static_cast<std::uint32_t>(random.below(64));
    model.alpha = random.alpha();
    model.amplitude = law();
    model.phase = law();
    const std::uint64_t distance = random.distance();
    const std::string density =
        "gaussian:" + keys("a.", model.amplitude) + "," + keys("p.", model.phase);
    INFO(i << ": tapa:alpha=" << model.alpha << " " << density << " at " << distance);
    const CurvePoint point =
        point_of("tapa:alpha=" + model.alpha, density, distance, 2 * model.phase_dim);
    const ScoreBalls truth = split_gaussian_ball(model, distance, bits_for(model.alpha));
    const int before = tally.dishonest;
    tally.add(*point.mean, truth.mean);
    tally.add(*point.envelope, truth.envelope);
    tally.add(*point.variance, truth.variance);
    tally.add(*point.variance_excess, truth.variance_excess);
    CHECK(tally.dishonest == before);
  }
  tally.report("gaussian, closed form");
  CHECK(tally.compared >= 4 * count * 9 / 10);
}

TEST_CASE("stated errors of linear phases under product densities are true") {
  Random random(20261201);
  Tally tally;
  const int count = problems(150);
  const char* laws[] = {"sech",     "laplace", "hermite2", "rademacher",
                        "logistic", "uniform", "singular"};
  for (int i = 0; i < count; ++i) {
    const std::string q = laws[random.below(7)], k = laws[random.below(7)];
    const ProductProblem p(random, true);
    const auto dim = 1 + static_cast<std::uint32_t>(random.below(32));
    const slong bits = bits_for(p.alpha);
    const auto ball = [bits](const std::string& text) { return Ball::decimal(text, bits); };
    const Ball root = sqrt(Ball(static_cast<slong>(dim), bits));
    const Ball t = Ball::pi(bits) * 2 * phase_scale_ball(p.alpha, p.distance, bits) / root;
    const auto transform = [&](const Ball& w) {
      const Ball size = characteristic(q, w * ball(p.phase_scale_q)) *
                        characteristic(k, w * ball(p.phase_scale_k));
      const Ball factor = pow(size, static_cast<slong>(dim));
      const ComplexBall angle =
          turn(w * static_cast<slong>(dim) * (ball(p.phase_mean_q) + ball(p.phase_mean_k)));
      return ComplexBall{factor * angle.re, factor * angle.im};
    };
    INFO(i << ": tapa-linear:alpha=" << p.alpha << " " << p.density(q, k) << " at " << p.distance
           << ", dim " << 2 * dim);
    const CurvePoint point =
        point_of("tapa-linear:alpha=" + p.alpha, p.density(q, k), p.distance, 2 * dim);
    const int before = tally.dishonest;
    compare(p, dim, transform(t), transform(t * 2), point, tally);
    CHECK(tally.dishonest == before);
  }
  tally.report("product, linear phase");
  CHECK(tally.compared >= 4 * count * 9 / 10);
}

TEST_CASE("stated errors of split phases under product densities are true") {
  Random random(20261202);
  Tally closed, quadrature;
  const int count = problems(100);
  const char* pairs[][2] = {{"gaussian", "laplace"},  {"gaussian", "uniform"},
                            {"laplace", "laplace"},   {"laplace", "uniform"},
                            {"uniform", "uniform"},   {"rademacher", "sech"},
                            {"rademacher", "laplace"}};
  for (int i = 0; i < count; ++i) {
    const std::size_t kind = random.below(7);
    const std::string q = pairs[kind][0], k = pairs[kind][1];
    const ProductProblem p(random, kind >= 5);  // means of the phase where the sum has two terms
    const auto dim = 1 + static_cast<std::uint32_t>(random.below(32));
    const slong bits = bits_for(p.alpha);
    const auto ball = [bits](const std::string& text) { return Ball::decimal(text, bits); };
    const Ball root = sqrt(Ball(static_cast<slong>(dim), bits));
    const Ball t = Ball::pi(bits) * 2 * phase_scale_ball(p.alpha, p.distance, bits) / root;
    const auto pair = [&](const Ball& w) -> ComplexBall {
      const Ball T = w * ball(p.phase_scale_q) * ball(p.phase_scale_k);
      const Ball zero(0, bits), one(1, bits), root2 = sqrt(Ball(2, bits));
      if (p.distance == 0) return {one, zero};
      switch (kind) {
        case 0: {  // int phi(x)/(1 + T^2 x^2/2) dx = sqrt(pi) e^y^2 erfc(y) y, y = 1/T
          const Ball y = one / T;
          return {sqrt(Ball::pi(bits)) * y * exp(y * y) * unary(y, arb_hypgeom_erfc), zero};
        }
        case 1: {  // sqrt(pi)/2 erf(y)/y, y = T sqrt(3/2)
          const Ball y = T * sqrt(Ball(3, bits)) / root2;
          return {sqrt(Ball::pi(bits)) / 2 * unary(y, arb_hypgeom_erf) / y, zero};
        }
        case 2: {  // z (Ci z sin z + (pi/2 - Si z) cos z), z = 2/T
          const Ball z = Ball(2, bits) / T;
          const ComplexBall angle = turn(z);
          return {z * (cosine_integral(z) * angle.im +
                       (Ball::pi(bits) / 2 - sine_integral(z)) * angle.re),
                  zero};
        }
        case 3: {  // atan(y)/y
          const Ball y = T * sqrt(Ball(3, bits)) / root2;
          return {unary(y, arb_atan) / y, zero};
        }
        case 4:  // Si(3T)/(3T)
          return {sine_integral(T * 3) / (T * 3), zero};
        default: {  // half of the sum over x = u +- 1 of e^(iTvx) F(Tx)
          const Ball u = ball(p.phase_mean_q) / ball(p.phase_scale_q);
          const Ball v = ball(p.phase_mean_k) / ball(p.phase_scale_k);
          ComplexBall sum{zero, zero};
          for (const slong sign : {-1, 1}) {
            const Ball x = (u + sign) * T;
            const ComplexBall angle = turn(x * v);
            const Ball size = characteristic(k, x) / 2;
            sum = sum + ComplexBall{size * angle.re, size * angle.im};
          }
          return sum;
        }
      }
    };
    INFO(i << ": tapa:alpha=" << p.alpha << " " << p.density(q, k) << " at " << p.distance
           << ", dim " << 2 * dim);
    const CurvePoint point =
        point_of("tapa:alpha=" + p.alpha, p.density(q, k), p.distance, 2 * dim);
    Tally& tally = kind >= 4 ? closed : quadrature;
    const int before = tally.dishonest;
    compare(p, dim, power(pair(t), dim), power(pair(t * 2), dim), point, tally);
    CHECK(tally.dishonest == before);
  }
  closed.report("product, closed form");
  quadrature.report("product, quadrature");
  CHECK(closed.compared + quadrature.compared >= 4 * count * 9 / 10);
}

namespace {

/// `count` problems of split TAPA, one coordinate of the law `q` and the other of one of
/// `partners`, with means and scales on both sides; the truth by integrals in ball arithmetic.
void test_split_laws(const std::string& q, const std::vector<std::string>& partners, int count,
                     unsigned seed) {
  Random random(seed);
  Tally tally;
  const auto rough = [](const std::string& law) {
    return law == "laplace" || law == "singular" || law == "uniform" || law == "bump" ||
           law == "student-t";
  };
  for (int i = 0; i < count; ++i) {
    const std::string k = partners[random.below(partners.size())];
    ProductProblem p(random, false);
    // Where no characteristic function falls exponentially, two means oscillate without an end.
    const bool both = !(rough(q) && rough(k));
    if (random.below(2) == 0) p.phase_mean_q = random.decimal(-3, 0.5, true);
    if (random.below(2) == 0 && (both || p.phase_mean_q == "0")) {
      p.phase_mean_k = random.decimal(-3, 0.5, true);
    }
    p.phase_scale_q = random.decimal(-2, 1, false);
    p.phase_scale_k = random.decimal(-2, 1, false);
    p.alpha = random.decimal(-2, random.below(5) == 0 ? 0 : -0.5, false);
    const std::string nu = random.decimal(0.35, 1.2, false);
    const auto named = [&](const std::string& law) {
      return Marginal{*find_marginal(law), ExactDecimal::parse(nu, "nu")};
    };
    std::string density = p.density(q, k);
    const auto pair_law = [&] {
      const auto d = [](const std::string& text) { return ExactDecimal::parse(text, "test"); };
      return PairLaw{d(p.phase_mean_q), d(p.phase_mean_k), d(p.phase_scale_q), d(p.phase_scale_k),
                     ExactDecimal(0)};
    }();
    if (q == "student-t" || k == "student-t") density += ",nu=" + nu;
    const auto dim = 1 + static_cast<std::uint32_t>(random.below(64));
    INFO(i << ": tapa:alpha=" << p.alpha << " " << density << " at " << p.distance << ", dim "
           << 2 * dim);
    const CurvePoint point = point_of("tapa:alpha=" + p.alpha, density, p.distance, 2 * dim);
    for (slong bits = 192; bits <= 768; bits *= 2) {
      const Ball root = sqrt(Ball(static_cast<slong>(dim), bits));
      const Ball t = Ball::pi(bits) * 2 * phase_scale_ball(p.alpha, p.distance, bits) / root;
      const auto whole = [&](const Ball& w) {
        return power(product_pair_ball(named(q), named(k), pair_law, w), dim);
      };
      Tally once;
      compare(p, dim, whole(t), whole(t * 2), point, once);
      if (once.undecided > 0 && once.dishonest == 0 && bits < 768) continue;
      CHECK(once.dishonest == 0);
      tally.compared += once.compared;
      tally.undecided += once.undecided;
      tally.dishonest += once.dishonest;
      break;
    }
  }
  tally.report(("split phases, " + q).c_str());
  CHECK(tally.compared >= 4 * count * 8 / 10);
}

}  // namespace

TEST_CASE("stated errors of split phases under every pair of closed laws are true") {
  const std::vector<std::string> laws{"gaussian", "sech",    "logistic", "hermite2",
                                      "laplace",  "uniform", "singular", "rademacher"};
  for (std::size_t i = 0; i < laws.size(); ++i) {
    test_split_laws(laws[i], laws, problems(5), 20261203 + static_cast<unsigned>(i));
  }
}

TEST_CASE("stated errors of split phases beside student-t and bump are true") {
  const std::vector<std::string> laws{"gaussian", "sech", "logistic", "hermite2", "laplace"};
  test_split_laws("student-t", laws, std::max(4, problems(0) / 50), 20261220);
  test_split_laws("bump", laws, std::max(4, problems(0) / 50), 20261221);
}
