// Split TAPA under pairs of laws whose transform is a formula: written from the formulas, with
// nothing of the engines' but the arithmetic of balls.
#ifdef TAPALAB_FLINT3
#include <flint/arb_hypgeom.h>
#else
#include <arb_hypgeom.h>
#endif

#include "problem.hpp"
#include "proofs-check/gaussian_ball.hpp"

namespace tapalab::honesty {
namespace {

Ball unary(const Ball& x, void (*f)(arb_t, const arb_t, slong)) {
  Ball result(0, x.bits());
  f(result.get(), x.get(), x.bits());
  return result;
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

enum class Pair {
  gaussian_laplace,
  gaussian_uniform,
  laplace_laplace,
  laplace_uniform,
  uniform_uniform,
  rademacher_sech,
  rademacher_laplace
};

/// E e^(i w x y).
ComplexBall transform(Pair pair, const ProductKeys& keys, const Ball& w) {
  const slong bits = w.bits();
  const auto ball = [bits](const std::string& text) { return Ball::decimal(text, bits); };
  const Ball T = w * ball(keys.phase_scale_q) * ball(keys.phase_scale_k);
  const Ball zero(0, bits), one(1, bits), pi = Ball::pi(bits);
  switch (pair) {
    case Pair::gaussian_laplace: {
      // int phi(x)/(1 + T^2 x^2/2) dx = sqrt(pi) e^y^2 erfc(y) y, y = 1/T
      const Ball y = one / T;
      return {sqrt(pi) * y * exp(y * y) * unary(y, arb_hypgeom_erfc), zero};
    }
    case Pair::gaussian_uniform: {  // sqrt(pi)/2 erf(y)/y, y = T sqrt(3/2)
      const Ball y = T * sqrt(Ball(3, bits) / 2);
      return {sqrt(pi) / 2 * unary(y, arb_hypgeom_erf) / y, zero};
    }
    case Pair::laplace_laplace: {  // z (Ci z sin z + (pi/2 - Si z) cos z), z = 2/T
      const Ball z = Ball(2, bits) / T;
      const ComplexBall angle = turn(z);
      return {z * (cosine_integral(z) * angle.im + (pi / 2 - sine_integral(z)) * angle.re), zero};
    }
    case Pair::laplace_uniform: {  // atan(y)/y
      const Ball y = T * sqrt(Ball(3, bits) / 2);
      return {unary(y, arb_atan) / y, zero};
    }
    case Pair::uniform_uniform:  // Si(3T)/(3T)
      return {sine_integral(T * 3) / (T * 3), zero};
    default:
      break;
  }
  // half of the sum over x = u +- 1 of e^(iTvx) F(Tx)
  const Ball u = ball(keys.phase_mean_q) / ball(keys.phase_scale_q);
  const Ball v = ball(keys.phase_mean_k) / ball(keys.phase_scale_k);
  ComplexBall sum{zero, zero};
  for (const slong sign : {-1, 1}) {
    const Ball x = (u + sign) * T;
    const ComplexBall angle = turn(x * v);
    const Ball size =
        pair == Pair::rademacher_sech ? one / (exp(x) + exp(-x)) : one / (x * x / 2 + 1) / 2;
    sum = sum + ComplexBall{size * angle.re, size * angle.im};
  }
  return sum;
}

/// All four quantities from E e^(i t phi) at t and 2t, amplitude and phase being independent.
PointBalls quantities(const ProductKeys& p, std::uint32_t dim, const ComplexBall& once,
                      const ComplexBall& twice) {
  const slong bits = once.re.bits();
  const auto ball = [bits](const std::string& text) { return Ball::decimal(text, bits); };
  const Ball mq = ball(p.mean_q), mk = ball(p.mean_k), sq = ball(p.scale_q), sk = ball(p.scale_k);
  const Ball mean_a = mq * mk * sqrt(Ball(static_cast<slong>(dim), bits));
  const Ball var_a = sq * sq * sk * sk + sq * sq * mk * mk + sk * sk * mq * mq;
  const Ball square_a = var_a + mean_a * mean_a;
  const Ball mean = mean_a * once.re;
  const Ball excess = square_a * twice.re / 2 - mean * mean;
  return {mean, abs(mean_a) * abs(once), square_a / 2 + excess, excess};
}

}  // namespace

Problem formula_problem(Random& random) {
  const struct {
    Pair pair;
    const char* q;
    const char* k;
  } pairs[] = {{Pair::gaussian_laplace, "gaussian", "laplace"},
               {Pair::gaussian_uniform, "gaussian", "uniform"},
               {Pair::laplace_laplace, "laplace", "laplace"},
               {Pair::laplace_uniform, "laplace", "uniform"},
               {Pair::uniform_uniform, "uniform", "uniform"},
               {Pair::rademacher_sech, "rademacher", "sech"},
               {Pair::rademacher_laplace, "rademacher", "laplace"}};
  const auto& [pair, q, k] = pairs[random.below(7)];
  const bool two_points = pair == Pair::rademacher_sech || pair == Pair::rademacher_laplace;
  const ProductKeys keys(random, two_points);
  const auto dim = 1 + static_cast<std::uint32_t>(random.below(32));
  const std::string alpha = random.alpha();
  Problem problem = certified_problem("tapa:alpha=" + alpha, parse_density(keys.density(q, k)),
                                      2 * dim, random.distance());
  const std::uint64_t distance = problem.distance();
  problem.truth = [keys, dim, alpha, distance, kind = pair](slong bits) {
    const ComplexBall one{Ball(1, bits), Ball(0, bits)};
    if (distance == 0) return quantities(keys, dim, one, one);
    const Ball t = Ball::pi(bits) * 2 * phase_scale_ball(alpha, distance, bits) /
                   sqrt(Ball(static_cast<slong>(dim), bits));
    return quantities(keys, dim, power(transform(kind, keys, t), dim),
                      power(transform(kind, keys, t * 2), dim));
  };
  return problem;
}

}  // namespace tapalab::honesty
