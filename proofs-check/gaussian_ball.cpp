#include "proofs-check/gaussian_ball.hpp"

#include "sim/errors.hpp"
#include "sim/mutants.hpp"

namespace tapalab {
namespace {

struct PairBalls {
  Ball mean_q, mean_k, scale_q, scale_k, rho;
};

PairBalls enclose(const PairLaw& law, slong bits) {
  const auto ball = [bits](const ExactDecimal& x) { return Ball::decimal(x.text(), bits); };
  return {ball(law.mean_q), ball(law.mean_k), ball(law.scale_q), ball(law.scale_k), ball(law.rho)};
}

ComplexBall phase_transform(const SplitGaussian& model, const Ball& t) {
  // g(t)^dP: g is a principal root with argument in (-pi/2, pi/2), raised to a whole power
  const ComplexBall g = pair_transform_ball(model.phase, t);
  ComplexBall result{Ball(1, t.bits()), Ball(0, t.bits())};
  ComplexBall square = g;
  for (std::uint32_t n = model.phase_dim; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * square;
    square = square * square;
  }
  return result;
}

}  // namespace

Ball phase_scale_ball(const std::string& alpha, std::uint64_t distance, slong bits) {
  if (distance == 0) return Ball(0, bits);
  return pow(Ball::distance(distance, bits), Ball::decimal(alpha, bits));
}

ComplexBall pair_transform_ball(const PairLaw& law, const Ball& t_given) {
  const slong bits = t_given.bits();
  const PairBalls pair = enclose(law, bits);
  // scaled to unit variances: x = scale_q X, X with mean u; likewise y, Y, v
  const Ball t = t_given * pair.scale_q * pair.scale_k;
  const Ball u = pair.mean_q / pair.scale_q, v = pair.mean_k / pair.scale_k;
  const Ball& r = pair.rho;
  const Ball t2 = t * t;
  // Delta = (1 - i t r)^2 + t^2; E e^(itXY) = Delta^(-1/2) exp{[i t u v + t^2 r u v - t^2
  // (u^2+v^2)/2]/Delta}
  const ComplexBall delta{t2 - t2 * r * r * mutated("ball-delta-square", 1L, -1L) + 1,
                          -(t * r * mutated("ball-delta-cross", 2L, 1L))};
  const ComplexBall exponent{t2 * r * u * v - t2 * (u * u + v * v) / 2, t * u * v};
  const ComplexBall inverse = pow(delta, Ball(-1, bits));
  return pow(delta, Ball(-1, bits) / 2) * exp(exponent * inverse);
}

Ball amplitude_mean_ball(const SplitGaussian& model, slong bits) {
  const PairBalls a = enclose(model.amplitude, bits);
  const Ball pair_mean = a.rho * a.scale_q * a.scale_k + a.mean_q * a.mean_k;
  return pair_mean * sqrt(Ball(static_cast<slong>(model.amplitude_dim), bits));
}

Ball amplitude_square_ball(const SplitGaussian& model, slong bits) {
  const PairBalls a = enclose(model.amplitude, bits);
  const Ball cov = a.rho * a.scale_q * a.scale_k;
  const Ball var_q = a.scale_q * a.scale_q, var_k = a.scale_k * a.scale_k;
  // Var(xy) of one pair; a is a sum of dA of them over sqrt(dA)
  const Ball pair_variance = var_q * var_k + cov * cov + a.mean_q * a.mean_q * var_k +
                             a.mean_k * a.mean_k * var_q + cov * a.mean_q * a.mean_k * 2;
  const Ball mean = amplitude_mean_ball(model, bits);
  return pair_variance + mean * mean;
}

ScoreBalls split_gaussian_ball(const SplitGaussian& model, std::uint64_t distance, slong bits) {
  const Ball s = phase_scale_ball(model.alpha, distance, bits);
  const Ball t = Ball::pi(bits) * mutated("ball-two-pi", 2L, 1L) * s /
                 sqrt(Ball(static_cast<slong>(model.phase_dim), bits));
  const Ball mean_a = amplitude_mean_ball(model, bits);
  const Ball square_a = amplitude_square_ball(model, bits);
  const ComplexBall once = phase_transform(model, t);
  const ComplexBall twice = phase_transform(model, t * 2);
  const Ball mean = mean_a * once.re;
  // E score^2 = (E a^2 + E a^2 cos(2 angle))/2
  const Ball excess = square_a * twice.re / mutated("ball-excess-half", 2L, 1L) - mean * mean;
  return {mean, abs(mean_a) * abs(once), square_a / 2 + excess, excess};
}

Ball bias_bound_ball(const SplitGaussian& model, std::uint64_t distance, slong scale_factor,
                     slong bits) {
  const PairBalls phase = enclose(model.phase, bits);
  const Ball spread = Ball(1, bits) - phase.rho * phase.rho;
  if (!spread.certainly_positive() || !phase.scale_q.certainly_positive() ||
      !phase.scale_k.certainly_positive() || distance == 0)
    throw InputError(
        "bias bound: accepted are phase coordinates of positive scales with |rho| < 1, and "
        "distances of at least 1");
  const slong dP = static_cast<slong>(model.phase_dim);
  const Ball l =
      phase_scale_ball(model.alpha, distance, bits) * scale_factor / sqrt(Ball(dP, bits));
  // l^-dP |E a| (2 pi scale_q scale_k)^-dP (1 - rho^2)^(-dP/2)
  return abs(amplitude_mean_ball(model, bits)) *
         pow(l * Ball::pi(bits) * mutated("bound-two-pi", 2L, 1L) * phase.scale_q * phase.scale_k *
                 sqrt(spread),
             -dP);
}

}  // namespace tapalab
