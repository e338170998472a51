#include "proofs-check/ball_curve.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/phase_point.hpp"
#include "analysis/radial_curve.hpp"
#include "proofs-check/gaussian_transform_ball.hpp"
#include "proofs-check/marginal_ball.hpp"
#include "proofs-check/product_pair_ball.hpp"
#include "proofs-check/radial_ball.hpp"
#include "proofs-check/score_forms_ball.hpp"
#include "proofs-check/tokens_ball.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr slong kFirstBits = 192;

/// A ball as a result prints it: 17 digits of the middle, and the ends of the interval outside.
Quantity certified_quantity(const Ball& ball, bool never_negative) {
  static const Wide least = ldexp(Wide(1), -(1LL << 58));
  Quantity quantity;
  quantity.error.kind = ErrorKind::ball;
  quantity.error.rigorous = true;
  if (!ball.is_finite()) throw InputError("--engine ball: a quantity has no finite enclosure");
  Wide lower, upper;
  if (certainly_less(abs(ball), Ball::exactly(least, ball.bits()))) {
    // below the range of Wide
    const bool zero = arb_is_zero(ball.get());
    upper = zero ? Wide(0) : least;
    lower = zero || never_negative ? Wide(0) : -least;
  } else {
    lower = ball.lower_wide();
    upper = ball.upper_wide();
    if (never_negative && lower < 0) lower = 0;
  }
  Wide middle = (lower + upper) / 2;
  const Wide printing = abs(middle) * Wide(1e-16);
  if (lower != upper || printing != 0) {
    lower -= printing;
    upper += printing;
    if (never_negative && lower < 0) lower = 0;
  }
  quantity.error.absolute = LogNumber(std::max(Wide(upper - middle), Wide(middle - lower)));
  quantity.error.lower = LogNumber(lower);
  quantity.error.upper = LogNumber(upper);
  quantity.estimate = LogNumber(std::move(middle));
  return quantity;
}

CurvePoint certified_point(std::uint64_t distance, const PointBalls& balls) {
  CurvePoint point;
  point.distance = distance;
  point.engine = Engine::ball;
  point.mean = certified_quantity(balls.mean, false);
  point.envelope = certified_quantity(balls.envelope, true);
  if (balls.has_variance) point.variance = certified_quantity(balls.variance, true);
  if (balls.has_variance && balls.excess)
    point.variance_excess = certified_quantity(*balls.excess, false);
  const Error& error = point.mean->error;
  const bool exactly_zero = error.absolute.sign() == 0;
  point.mean->sign_resolved = exactly_zero || error.lower.sign() > 0 || error.upper.sign() < 0;
  const Wide envelope = point.envelope->estimate.wide();
  const bool met =
      meets_promise(*point.mean, envelope) &&
      (!point.variance || meets_promise(*point.variance, point.variance->estimate.wide()));
  point.status = met ? Status::converged : Status::target_not_met;
  for (auto* each : {&point.mean, &point.envelope, &point.variance, &point.variance_excess}) {
    if (*each) relate_to_envelope(**each, envelope);
  }
  return point;
}

// E score^2 = (E a^2 + Re Phi_2(4 pi s))/2
PointBalls phase_quantities(const ComplexBall& phi1, const ComplexBall& phi2,
                            const Ball& amplitude_square) {
  const Ball excess = phi2.re / 2 - phi1.re * phi1.re;
  return {phi1.re, abs(phi1), amplitude_square / 2 + excess, excess};
}

Ball two_pi_scale(const CurveTask& task, std::uint64_t distance, slong bits) {
  return Ball::pi(bits) * 2 * phase_scale_ball(task, distance, bits);
}

// ---- joint Gaussians ------------------------------------------------------------------------

PointBalls gaussian_phase_balls(const CurveTask& task, std::uint64_t distance, slong bits) {
  const Ball t = two_pi_scale(task, distance, bits);
  Ball mean(0, bits), square(0, bits);
  ComplexBall once{Ball(0, bits), Ball(0, bits)}, twice = once;
  for (auto& [weight, forms] : gaussian_laws_ball(task, bits)) {
    add_phase_score_ball(task, forms, bits);
    const GaussianTransformBall transform(forms, bits);
    const Ball m = transform.amplitude_mean();
    mean += weight * m;
    square += weight * (transform.amplitude_variance() + m * m);
    if (arb_is_zero(t.get())) continue;
    const ComplexBall share{weight, Ball(0, bits)};
    once = once + share * transform.at(t).phi1;
    twice = twice + share * transform.at(t * 2).phi2;
  }
  if (arb_is_zero(t.get())) {  // the score is a
    const Ball variance = square - mean * mean;
    return PointBalls{mean, abs(mean), variance, variance - square / 2};
  }
  return phase_quantities(once, twice, square);
}

PointBalls rotary_balls(const CurveTask& task, std::uint64_t distance, slong bits) {
  std::vector<WeightedFormsBall> laws = gaussian_laws_ball(task, bits);
  const RotaryScoreBall score = rotary_score_ball(task.encoding, task.head_dim, distance, bits);
  const Ball envelope = rotary_envelope_ball(score, task.head_dim, laws, bits);
  Ball mean(0, bits), square(0, bits);
  bool has_variance = true;
  for (auto& [weight, forms] : laws) {
    add_rotary_score_ball(score, task.head_dim, forms);
    const GaussianTransformBall transform(forms, bits);
    const Ball m = transform.amplitude_mean();
    mean += weight * m;
    square += weight * (transform.amplitude_variance() + m * m);
    const auto* radial = std::get_if<RadialDensity>(&task.density.law);
    if (radial == nullptr) continue;
    const auto spread = scale_spread_ball(*radial, task.head_dim, bits);
    has_variance = spread.has_value();
    if (!spread) continue;
    for (Ball& at : forms.mean) at = Ball(0, bits);
    const GaussianTransformBall centred(forms, bits);
    const Ball m0 = centred.amplitude_mean();
    square += *spread * (centred.amplitude_variance() + m0 * m0);
  }
  return PointBalls{mean + score.offset, envelope, square - mean * mean, std::nullopt,
                    has_variance};
}

// ---- independent coordinates ----------------------------------------------------------------

ComplexBall power(ComplexBall z, std::uint32_t n) {
  ComplexBall result{Ball(1, z.re.bits()), Ball(0, z.re.bits())};
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * z;
    if (n > 1) z = z * z;
  }
  return result;
}

/// E e^(i t phi) over dP phase coordinates; t multiplies their sum over sqrt(dP).
ComplexBall product_phase(const CurveTask& task, const ProductDensity& density, std::uint32_t dP,
                          const Ball& t) {
  const slong bits = t.bits();
  const Ball each = t / sqrt(Ball(static_cast<slong>(dP), bits));
  if (std::holds_alternative<TapaEncoding>(task.encoding.law)) {
    return power(product_pair_ball(density.query, density.key, density.phase, each), dP);
  }
  const auto ball = [bits](const ExactDecimal& x) { return Ball::decimal(x.text(), bits); };
  const PairLaw& law = density.phase;
  const Ball size = pow(characteristic_ball(density.query, each * ball(law.scale_q)) *
                            characteristic_ball(density.key, each * ball(law.scale_k)),
                        static_cast<slong>(dP));
  const Ball turns =
      each * static_cast<slong>(dP) * (ball(law.mean_q) + ball(law.mean_k)) / (Ball::pi(bits) * 2);
  return {size * cos_turns(turns), size * sin_turns(turns)};
}

PointBalls product_phase_balls(const CurveTask& task, const ProductDensity& density,
                               std::uint64_t distance, slong bits) {
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const auto& score = std::get<PhaseScore>(model);
  const std::uint32_t dA = score.amplitude_dim, dP = task.head_dim - dA;
  const auto ball = [bits](const ExactDecimal& x) { return Ball::decimal(x.text(), bits); };
  const PairLaw& law = density.amplitude;
  const Ball mq = ball(law.mean_q), mk = ball(law.mean_k);
  const Ball vq = ball(law.scale_q) * ball(law.scale_q), vk = ball(law.scale_k) * ball(law.scale_k);
  const Ball mean = sqrt(Ball(static_cast<slong>(dA), bits)) * mq * mk;
  const Ball variance = vq * vk + vq * mk * mk + vk * mq * mq;
  const Ball t = two_pi_scale(task, distance, bits);
  const Ball square = variance + mean * mean;
  if (arb_is_zero(t.get())) {
    return PointBalls{mean, abs(mean), variance, variance - square / 2};
  }
  const ComplexBall once = product_phase(task, density, dP, t);
  const ComplexBall twice = product_phase(task, density, dP, t * 2);
  return phase_quantities({mean * once.re, mean * once.im}, {square * twice.re, square * twice.im},
                          square);
}

/// Where doubling ends: what a point costs there is minutes.
slong most_bits(const CurveTask& task) {
  if (std::holds_alternative<EmpiricalDensity>(task.density.law)) return 768;
  if (is_rotary(task.encoding.law)) return 3072;
  if (std::holds_alternative<RadialDensity>(task.density.law)) return 1536;
  return std::holds_alternative<ProductDensity>(task.density.law) ? 1536 : 6144;
}

/// Ball quantities at `bits`, doubled from kFirstBits until the point converges.
CurvePoint refine(const CurveTask& task, std::uint64_t distance) {
  std::optional<CurvePoint> best;
  for (slong bits = kFirstBits; bits <= most_bits(task); bits *= 2) {
    throw_if_interrupted();
    const PointBalls at = point_balls(task, distance, bits);
    if (!at.is_finite()) continue;
    best = certified_point(distance, at);
    if (best->status == Status::converged) break;
  }
  if (!best) {
    throw InputError("--engine ball: no finite enclosure at distance " + std::to_string(distance) +
                     " with " + std::to_string(most_bits(task)) +
                     " bits; accepted: smaller parameters");
  }
  return *best;
}

/// What the other engines refuse too: sizes, prefixes, matrices.
void check_task(const CurveTask& task) {
  lower(task.encoding, task.head_dim);
  if (const auto* gaussian = std::get_if<GaussianDensity>(&task.density.law)) {
    check_prefixes("gaussian", gaussian->split, task.encoding);
  } else if (const auto* full = std::get_if<FullGaussianDensity>(&task.density.law)) {
    lower(*full, task.head_dim);
  } else if (const auto* mixture = std::get_if<MixtureDensity>(&task.density.law)) {
    lower(*mixture, task.encoding, task.head_dim);
  } else if (const auto* product = std::get_if<ProductDensity>(&task.density.law)) {
    check_prefixes(product->name, product->split, task.encoding);
  } else if (const auto* radial = std::get_if<RadialDensity>(&task.density.law)) {
    moment_model(*radial, task.encoding, task.head_dim);
  }
}

}  // namespace

PointBalls point_balls(const CurveTask& task, std::uint64_t distance, slong bits) {
  if (std::holds_alternative<EmpiricalDensity>(task.density.law)) {
    return token_balls(task, distance, bits);
  }
  if (is_rotary(task.encoding.law)) return rotary_balls(task, distance, bits);
  if (const auto* product = std::get_if<ProductDensity>(&task.density.law)) {
    return product_phase_balls(task, *product, distance, bits);
  }
  if (std::holds_alternative<RadialDensity>(task.density.law)) {
    return radial_balls(task, distance, bits);
  }
  return gaussian_phase_balls(task, distance, bits);
}

DistanceCurve ball_curve(const CurveTask& task) {
  check_task(task);
  DistanceCurve curve{task.encoding, task.density, task.head_dim, {}, {}, {}};
  if (const auto* radial = std::get_if<RadialDensity>(&task.density.law)) {
    curve.unavailable = without_variance(*radial);
  }
  const auto& distances = task.distances.distances;
  for (const std::uint64_t distance : distances) {
    throw_if_interrupted();
    curve.points.push_back(refine(task, distance));
    if (task.progress) {
      task.progress(static_cast<double>(curve.points.size()) /
                    static_cast<double>(distances.size()));
    }
  }
  return curve;
}

}  // namespace tapalab
