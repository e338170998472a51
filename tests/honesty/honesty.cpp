// Are stated errors of kinds rounding and quadrature true? Random problems of which ball arithmetic
// knows the answer: |estimate - truth| <= the stated error, and the truth in the stated interval.
//   honesty [PROBLEMS] [FIRST] [KIND...]   problems FIRST, FIRST + 1, ... of every kind named
//   (default
//                                          1000 from 1 of all kinds); `honesty list` names the
//                                          kinds
// A problem depends on its kind and number alone, so that ranges of numbers can run apart. Prints
// one line of JSON a kind, and the problems whose error is too small or undecided; exits 1 where
// one is too small, or more than a fifth undecided.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "problem.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using namespace tapalab::honesty;

namespace {

enum class Verdict { honest, undecided, dishonest };

Verdict judge(const Quantity& quantity, const Ball& truth) {
  const slong bits = truth.bits();
  const auto ball = [bits](const LogNumber& x) { return Ball::exactly(x.wide(), bits); };
  const Ball error = ball(quantity.error.absolute), lower = ball(quantity.error.lower),
             upper = ball(quantity.error.upper);
  const Ball off = abs(ball(quantity.estimate) - truth);
  // An error of exactly 0 claims that the estimate is the truth.
  const bool exact = quantity.error.absolute.sign() == 0 && off.contains(Ball(0, bits));
  if (certainly_less(error, off) || certainly_less(truth, lower) || certainly_less(upper, truth)) {
    return Verdict::dishonest;
  }
  const bool held = certainly_at_most(off, error) && certainly_at_most(lower, truth) &&
                    certainly_at_most(truth, upper);
  return exact || held ? Verdict::honest : Verdict::undecided;
}

struct Tally {
  int rounding = 0, quadrature = 0, undecided = 0, dishonest = 0, short_of_target = 0;

  int compared() const { return rounding + quadrature; }
  void operator+=(const Tally& other) {
    rounding += other.rounding;
    quadrature += other.quadrature;
    undecided += other.undecided;
    dishonest += other.dishonest;
  }
};

Tally compare(const CurvePoint& point, const PointBalls& truth) {
  Tally tally;
  const auto add = [&](const std::optional<Quantity>& quantity, const Ball& ball) {
    switch (judge(quantity.value(), ball)) {
      case Verdict::dishonest:
        ++tally.dishonest;
        break;
      case Verdict::undecided:
        ++tally.undecided;
        break;
      case Verdict::honest:
        ++(quantity->error.kind == ErrorKind::quadrature ? tally.quadrature : tally.rounding);
    }
  };
  add(point.mean, truth.mean);
  add(point.envelope, truth.envelope);
  if (!truth.has_variance) return tally;
  add(point.variance, truth.variance);
  if (truth.excess) add(point.variance_excess, *truth.excess);
  return tally;
}

/// A different stream for every kind and number (the finaliser of SplitMix64).
std::uint64_t seed_of(const std::string& kind, std::uint64_t number) {
  std::uint64_t z = number;
  for (const char c : kind) {
    z += 0x9e3779b97f4a7c15u + static_cast<unsigned char>(c);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
  }
  return z;
}

Tally measure(const Kind& kind, std::uint64_t number) {
  Random random(seed_of(kind.name, number));
  const Problem problem = kind.draw(random);
  const CurvePoint point = compute_curve(problem.task).points.at(0);
  Tally tally;
  for (slong bits = 192;; bits *= 2) {
    tally = compare(point, problem.truth(bits));
    if (tally.dishonest > 0 || tally.undecided == 0 || 2 * bits > kind.most_bits) break;
  }
  tally.short_of_target = point.status == Status::converged ? 0 : 1;
  if (tally.dishonest + tally.undecided > 0) {
    fmt::print("{} {}: {}: {}\n", kind.name, number,
               tally.dishonest > 0 ? "error too small" : "undecided", problem.text);
  }
  return tally;
}

bool run(const Kind& kind, std::uint64_t first, std::uint64_t problems) {
  const auto start = std::chrono::steady_clock::now();
  Tally all;
  for (std::uint64_t number = first; number < first + problems; ++number) {
    const Tally one = measure(kind, number);
    all += one;
    all.short_of_target += one.short_of_target;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(
      "{{\"kind\":\"{}\",\"first\":{},\"problems\":{},\"rounding\":{},\"quadrature\":{},"
      "\"undecided\":{},\"too_small\":{},\"target_not_met\":{},\"seconds\":{:.1f}}}\n",
      kind.name, first, problems, all.rounding, all.quadrature, all.undecided, all.dishonest,
      all.short_of_target, seconds.count());
  std::fflush(stdout);
  return all.dishonest == 0 && all.compared() >= 4 * all.undecided && all.compared() > 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Kind> all = kinds();
  if (argc > 1 && std::string_view(argv[1]) == "list") {
    for (const Kind& kind : all) fmt::print("{:20} {}\n", kind.name, kind.what);
    return 0;
  }
  const std::uint64_t problems = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::vector<std::string> named(argv + std::min(argc, 3), argv + argc);
  if (named.empty()) {
    for (const Kind& kind : all) named.push_back(kind.name);
  }
  bool good = true;
  for (const std::string& name : named) {
    const auto kind =
        std::find_if(all.begin(), all.end(), [&](const Kind& k) { return k.name == name; });
    if (kind == all.end()) {
      fmt::print(stderr, "honesty: no kind {}; `honesty list` names them\n", name);
      return 2;
    }
    try {
      good = run(*kind, first, problems) && good;
    } catch (const InputError& error) {
      fmt::print(stderr, "honesty: {}: {}\n", name, error.what());
      return 2;
    }
  }
  return good ? 0 : 1;
}
