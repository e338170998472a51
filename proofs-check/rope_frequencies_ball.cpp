#include "proofs-check/rope_frequencies_ball.hpp"

#include <algorithm>

namespace tapalab {
namespace {

Ball rope_decimal(const ExactDecimal& x, slong bits) { return Ball::decimal(x.text(), bits); }

/// x held to [low, high].
Ball held_between(const Ball& x, const Ball& low, const Ball& high) {
  Ball result(0, x.bits());
  arb_max(result.get(), x.get(), low.get(), x.bits());
  arb_min(result.get(), result.get(), high.get(), x.bits());
  return result;
}

struct FrequenciesInBalls {
  const RopeParameters& rope;
  std::uint32_t head_dim;
  std::uint64_t sequence_length;
  slong bits;

  Ball ball(const ExactDecimal& x) const { return rope_decimal(x, bits); }
  Ball whole(std::uint64_t n) const { return Ball::distance(n, bits); }
  Ball base() const { return ball(rope.base); }
  // as models compute it, in double
  std::uint32_t d() const { return static_cast<std::uint32_t>(head_dim * rope.partial.value()); }

  RopeFrequenciesBall of(std::uint32_t dim, std::vector<Ball> radians) const {
    return {dim, std::move(radians), Ball(1, bits), Ball(1, bits)};
  }
  RopeFrequenciesBall of_base(const Ball& grown) const {
    return of(d(), plain_frequencies_ball(grown, d()));
  }
  /// base growth^(d/(d-2))
  RopeFrequenciesBall grown(const Ball& growth) const {
    return of_base(base() * pow(growth, whole(d()) / (static_cast<slong>(d()) - 2)));
  }

  RopeFrequenciesBall operator()(const NoScaling&) const { return of_base(base()); }
  RopeFrequenciesBall operator()(const LinearScaling& linear) const {
    RopeFrequenciesBall result = of_base(base());
    for (Ball& f : result.radians) f /= ball(linear.factor);
    return result;
  }
  RopeFrequenciesBall operator()(const NtkScaling& ntk) const { return grown(ball(ntk.factor)); }
  RopeFrequenciesBall operator()(const DynamicScaling& dynamic) const {
    // L = max(length, original): the growth is 1 at the trained length
    if (sequence_length <= dynamic.original) return of_base(base());
    const Ball factor = ball(dynamic.factor);
    return grown(factor * whole(sequence_length) / whole(dynamic.original) - (factor - 1));
  }

  /// 0.1 mscale ln factor + 1, 1 where factor <= 1
  Ball growth(const ExactDecimal& factor, const Ball& mscale) const {
    return factor.compare(1) <= 0 ? Ball(1, bits) : mscale * log(ball(factor)) / 10 + 1;
  }

  RopeFrequenciesBall operator()(const YarnScaling& yarn) const {
    // the pair that turns r times within the trained context
    const auto pair_of = [&](const ExactDecimal& turns) {
      return whole(d()) * log(whole(yarn.original) / (ball(turns) * Ball::pi(bits) * 2)) /
             (log(base()) * 2);
    };
    Ball low = pair_of(yarn.beta_fast), high = pair_of(yarn.beta_slow);
    if (yarn.truncate) {
      arb_floor(low.get(), low.get(), bits);
      arb_ceil(high.get(), high.get(), bits);
    }
    const Ball zero(0, bits), one(1, bits), last(static_cast<slong>(d()) - 1, bits);
    arb_max(low.get(), low.get(), zero.get(), bits);
    arb_min(high.get(), high.get(), last.get(), bits);
    const bool same = arb_is_exact(low.get()) && arb_equal(low.get(), high.get());
    if (same ||
        (!yarn.truncate && yarn.beta_fast.wide() == yarn.beta_slow.wide() && low.overlaps(high))) {
      high = low + one / 1000;
    }
    RopeFrequenciesBall result = of_base(base());
    for (std::size_t i = 0; i < result.radians.size(); ++i) {
      Ball& f = result.radians[i];
      const Ball part = held_between((whole(i) - low) / (high - low), zero, one);
      f = f / ball(yarn.factor) * part + f * (one - part);
    }
    const auto given = [](const std::optional<ExactDecimal>& x) { return x && x->compare(0) != 0; };
    const bool all_dim = given(yarn.mscale_all_dim);
    const Ball by_all_dim =
        all_dim ? growth(yarn.factor, ball(*yarn.mscale_all_dim)) : Ball(1, bits);
    if (yarn.attention_factor) {
      result.attention_factor = ball(*yarn.attention_factor);
    } else if (given(yarn.mscale) && all_dim) {
      result.attention_factor = growth(yarn.factor, ball(*yarn.mscale)) / by_all_dim;
    } else {
      result.attention_factor = growth(yarn.factor, one);
    }
    result.softmax_factor = by_all_dim * by_all_dim;
    return result;
  }

  RopeFrequenciesBall operator()(const LongRopeScaling& longrope) const {
    const auto& divisors =
        sequence_length > longrope.original ? longrope.long_factor : longrope.short_factor;
    RopeFrequenciesBall result = of_base(base());
    for (std::size_t i = 0; i < result.radians.size(); ++i) {
      result.radians[i] /= ball(divisors.at(i));
    }
    if (longrope.attention_factor) {
      result.attention_factor = ball(*longrope.attention_factor);
    } else if (longrope.factor.compare(1) > 0) {
      result.attention_factor =
          sqrt(log(ball(longrope.factor)) / log(whole(longrope.original)) + 1);
    }
    return result;
  }

  RopeFrequenciesBall operator()(const Llama3Scaling& llama) const {
    RopeFrequenciesBall result = of_base(base());
    const Ball low = ball(llama.low_freq_factor), high = ball(llama.high_freq_factor);
    const bool steep = llama.low_freq_factor.wide() == llama.high_freq_factor.wide();
    const Ball zero(0, bits), one(1, bits);
    for (Ball& f : result.radians) {
      // turns within the trained context: at least `high` keeps f, at most `low` divides it
      const Ball turns = whole(llama.original) * f / (Ball::pi(bits) * 2);
      const Ball divided = f / ball(llama.factor);
      if (!steep) {
        const Ball kept = held_between((turns - low) / (high - low), zero, one);
        f = divided * (one - kept) + f * kept;
      } else if (certainly_at_most(turns, high)) {
        f = divided;
      } else if (!certainly_less(high, turns)) {
        f = hull(f, divided);
      }
    }
    return result;
  }

  RopeFrequenciesBall operator()(const ProportionalScaling& proportional) const {
    // counted in pairs of the whole head: int(partial D // 2)
    const std::uint32_t rotated = d() / 2;
    std::vector<Ball> radians = plain_frequencies_ball(base(), head_dim);
    for (std::size_t i = 0; i < radians.size(); ++i) {
      radians[i] = i < rotated ? radians[i] / ball(proportional.factor) : Ball(0, bits);
    }
    return of(head_dim, std::move(radians));
  }
};

}  // namespace

std::vector<Ball> plain_frequencies_ball(const Ball& base, std::uint32_t d) {
  std::vector<Ball> radians;
  for (std::uint32_t i = 0; i < d / 2; ++i) {
    const Ball exponent = Ball(-2 * static_cast<slong>(i), base.bits()) / static_cast<slong>(d);
    radians.push_back(pow(base, exponent));
  }
  return radians;
}

Ball single_ball(const Ball& x) {
  const auto single = [&](const Wide& end) {
    return Ball::exactly(static_cast<double>(static_cast<float>(end)), x.bits());
  };
  return hull(single(x.lower_wide()), single(x.upper_wide()));
}

RopeFrequenciesBall rope_frequencies_ball(const RopeParameters& rope, std::uint32_t head_dim,
                                          std::uint64_t sequence_length, slong bits) {
  return std::visit(FrequenciesInBalls{rope, head_dim, sequence_length, bits}, rope.scaling);
}

}  // namespace tapalab
