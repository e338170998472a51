#include "proofs-check/evidence.hpp"

#include <algorithm>

namespace tapalab {
namespace {

std::string kind_text(const Error& error) {
  std::string text(to_string(error.kind));
  if (error.level) {
    // 1 - level keeps the digits that a level near 1 loses
    text += " at 1 - " + LogNumber(1 - *error.level).decimal(2);
  }
  return text;
}

}  // namespace

std::string error_text(const Quantity& quantity) {
  return quantity.error.absolute.decimal(3) + " (" + kind_text(quantity.error) + ")";
}

std::string error_text(const Ball& ball) { return ball.radius() + " (ball)"; }

std::string short_decimal(const Ball& ball, int digits) { return ball.midpoint(digits); }

Evidence ball_less(std::string quantity, const Ball& observed, const Ball& bound,
                   std::string bound_text) {
  return {"ball",
          std::move(quantity),
          "< " + std::move(bound_text),
          observed.midpoint(),
          error_text(observed),
          certainly_less(observed, bound)};
}

Evidence ball_greater(std::string quantity, const Ball& observed, const Ball& bound,
                      std::string bound_text) {
  return {"ball",
          std::move(quantity),
          "> " + std::move(bound_text),
          observed.midpoint(),
          error_text(observed),
          certainly_less(bound, observed)};
}

bool interval_meets(const Quantity& observed, const Ball& truth) {
  const slong bits = std::max<slong>(truth.bits(), 256);
  const Ball interval = hull(Ball::exactly(observed.error.lower.wide(), bits),
                             Ball::exactly(observed.error.upper.wide(), bits));
  return interval.overlaps(truth);
}

Evidence agrees_with_ball(std::string engine, std::string quantity, const Quantity& observed,
                          const Ball& truth) {
  return {std::move(engine),           std::move(quantity),  truth.midpoint() + " (ball)",
          observed.estimate.decimal(), error_text(observed), interval_meets(observed, truth)};
}

void decide(ClaimResult& result, Verdict verdict, Rigor rigor) {
  const auto failing = std::find_if(result.evidence.begin(), result.evidence.end(),
                                    [](const Evidence& row) { return !row.holds; });
  if (result.evidence.empty()) {
    result.verdict = Verdict::inconclusive;
    result.reason = "no evidence was gathered";
    return;
  }
  if (failing != result.evidence.end()) {
    result.verdict = Verdict::inconclusive;
    result.reason = "expected " + failing->predicted + " for " + failing->quantity + ", but " +
                    failing->engine + " found " + failing->observed + " +- " + failing->error;
    return;
  }
  result.verdict = verdict;
  result.rigor = rigor;
}

WitnessField scalar(std::string name, std::string value) {
  return {std::move(name), {{std::move(value)}}};
}

}  // namespace tapalab
