#include "proofs-check/rope_gap.hpp"

#include <bit>

#include "analysis/experiment.hpp"
#include "proofs-check/rope_sums.hpp"
#include "sim/mutants.hpp"

namespace tapalab {

std::string to_string(AngleUnit angle) { return angle == AngleUnit::turns ? "turns" : "radians"; }

std::string describe(const RopeSetting& setting) {
  return "b = " + setting.base + ", D = " + std::to_string(setting.head_dim) + ", " +
         to_string(setting.angle);
}

Ball rope_cosine_mean_ball(const RopeSetting& setting, std::uint64_t distance, slong bits) {
  const slong working = bits + std::bit_width(distance) + 16;
  const Ball base = Ball::decimal(setting.base, working);
  const slong D = static_cast<slong>(setting.head_dim);
  Ball turns = Ball::distance(distance, working);
  if (setting.angle == AngleUnit::radians) turns /= Ball::pi(working) * 2;
  Ball sum(0, working);
  for (slong d = 0; d < D / 2; ++d)
    sum += cos_turns(turns *
                     pow(base, Ball(mutated("rope-ball-exponent", -2L, -1L) * d, working) / D));
  return sum / D;
}

EngineValue rope_cosine_mean_exact(const RopeSetting& setting, std::uint64_t distance) {
  CurveTask task;
  task.encoding =
      parse_encoding("rope:base=" + setting.base + ",angle=" + to_string(setting.angle) +
                     ",pairing=adjacent,freq=exact");
  task.density = parse_density("gaussian:rho=0.5");
  task.head_dim = setting.head_dim;
  task.distances = {std::to_string(distance), {distance}};
  task.engine = Engine::exact;
  const CurvePoint point = exact_gaussian_curve(task).points.at(0);
  const Wide root = sqrt(Wide(setting.head_dim));
  return {point.mean->estimate.wide() / root, point.mean->error.absolute.wide() / root};
}

Ball rope_cosine_limit(const RopeSetting& setting, std::uint64_t distance, slong bits) {
  const Ball base = Ball::decimal(setting.base, bits);
  const Ball x = angular_unit(setting.angle, bits) * Ball::distance(distance, bits);
  return (cosine_integral(x) - cosine_integral(x / base)) /
         (log(base) * mutated("rope-limit-half", 2L, 1L));
}

Ball rope_sine_limit(const RopeSetting& setting, std::uint64_t distance, slong bits) {
  const Ball base = Ball::decimal(setting.base, bits);
  const Ball x = angular_unit(setting.angle, bits) * Ball::distance(distance, bits);
  return (sine_integral(x) - sine_integral(x / base)) / (log(base) * 2);
}

}  // namespace tapalab
