#include "analysis/retrieval/retrieval.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "analysis/intervals.hpp"
#include "analysis/retrieval/trial.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/random/bounded.hpp"

namespace tapalab {
namespace {

/// Share of a second moment that one trial may carry.
constexpr double kLargestShare = 0.1;
constexpr double kLeastScore = 1e-140;
/// Trials between two looks at signals and the progress.
constexpr std::uint64_t kTrialsTogether = 64;

void check_task(const RetrievalTask& task) {
  if (task.needle_rho.compare(1) > 0 || task.needle_rho.compare(-1) < 0)
    throw InputError("--needle-rho: accepted is a correlation from -1 to 1");
  if (task.lengths.empty()) throw InputError("--lengths: accepted is at least one length");
  for (std::size_t i = 0; i < task.lengths.size(); ++i) {
    if (task.lengths[i] < 2 || task.lengths[i] > kMostKeys)
      throw InputError("--lengths: accepted are 2 to " + std::to_string(kMostKeys) + " keys");
    if (i > 0 && task.lengths[i] <= task.lengths[i - 1])
      throw InputError("--lengths: accepted are lengths in ascending order, each once");
  }
  for (const std::uint64_t distance : task.distances)
    if (distance < 1 || distance > task.lengths.back())
      throw InputError(
          "--distances: accepted are distances of the needle from 1 to the largest of "
          "--lengths");
  if (task.trials < 2 || task.trials > kMostTrials)
    throw InputError("--trials: accepted are 2 to " + std::to_string(kMostTrials));
}

std::vector<RetrievalPoint> points_of(const RetrievalTask& task) {
  std::vector<RetrievalPoint> points;
  for (const std::uint64_t length : task.lengths) {
    points.emplace_back().length = length;
    for (const std::uint64_t distance : task.distances) {
      if (distance > length) continue;
      RetrievalPoint& point = points.emplace_back();
      point.length = length;
      point.distance = distance;
    }
  }
  return points;
}

/// A sum of exponentials beside the largest of them.
struct ScaledSum {
  double largest = -INFINITY, sum = 0;
  void add(double logit) {
    if (logit > largest) {
      sum = sum * std::exp(largest - logit) + 1;
      largest = logit;
    } else {
      sum += std::exp(logit - largest);
    }
  }
};

struct Outcome {
  double largest = 0, mass = 0, error = 0;
};

/// The sum without the distractor at the needle's distance.
ScaledSum without(const ScaledSum& all, double replaced, const RetrievalProbe::Trial& trial,
                  std::uint64_t length, std::uint64_t distance) {
  const double rest = all.sum - std::exp(replaced - all.largest);
  // A difference that keeps fewer than half of its digits is summed again.
  if (rest > 1e-8 * all.sum) return {all.largest, rest};
  ScaledSum others;
  trial.walk(length, [&](std::uint64_t at, double score) {
    if (at != distance) others.add(score);
  });
  return others;
}

/// The needle's share of the softmax.
double needle_mass(const ScaledSum& others, double needle) {
  const double top = std::max(others.largest, needle);
  const double own = std::exp(needle - top);
  return own / (own + others.sum * std::exp(others.largest - top));
}

void run_trial(const RetrievalProbe& probe, const RetrievalTask& task,
               const std::vector<RetrievalPoint>& points, std::uint64_t number, Outcome* outcomes) {
  const RetrievalProbe::Trial trial = probe.trial(number);
  std::vector<ScaledSum> sums;
  // The two largest scores say what is largest beside any one of them.
  struct Top {
    double first = -INFINITY, second = -INFINITY;
    std::uint64_t at = 0;  // distance of the first
  };
  std::vector<Top> tops;
  ScaledSum sum;
  Top top;
  const bool draws = task.masses || !probe.integrates();
  trial.walk(draws ? task.lengths.back() : 0, [&](std::uint64_t distance, double score) {
    sum.add(score);
    if (score > top.first) {
      top.second = top.first;
      top.first = score;
      top.at = distance;
    } else if (score > top.second) {
      top.second = score;
    }
    if (distance == task.lengths[sums.size()]) {
      sums.push_back(sum);
      tops.push_back(top);
    }
  });
  std::size_t index = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const RetrievalPoint& point = points[i];
    while (task.lengths[index] != point.length) ++index;
    const std::uint64_t distance =
        point.distance
            ? *point.distance
            : 1 + bounded_uniform(point.length, number, static_cast<std::uint32_t>(index),
                                  Stream::distance, stream_key(task.seed));
    const double needle = trial.needle(distance), replaced = trial.distractor(distance);
    Outcome& outcome = outcomes[i];
    // Near the least doubles scores lose their digits, and then fall together at 0.
    if (probe.integrates() && std::abs(needle) < kLeastScore)
      throw InputError(fmt::format(
          "retrieve: a score at distance {} is of 1e{:.0f}, too small for doubles to tell apart; "
          "accepted: scales whose scores stay above 1e-140",
          distance, std::floor(std::log10(std::max(std::abs(needle), 5e-324)))));
    if (draws)
      outcome.mass =
          needle_mass(without(sums[index], replaced, trial, point.length, distance), needle);
    if (probe.integrates()) {
      const LogProbability log_below = trial.log_all_below(needle, point.length, distance);
      outcome.largest = std::exp(std::min(0.0, log_below.value));
      outcome.error = outcome.largest * std::min(1.0, log_below.error);
    } else {
      const Top& others = tops[index];
      const double rival = others.at == distance ? others.second : others.first;
      outcome.largest = needle > rival ? 1 : 0;
    }
    if (!std::isfinite(outcome.mass) || !std::isfinite(outcome.largest))
      throw InputError("retrieve: scores leave the range of double");
  }
}

Quantity probability(double estimate, const Interval& interval, double widened, double level) {
  return with_confidence(
      estimate, {std::max(0.0, interval.lower - widened), std::min(1.0, interval.upper + widened)},
      level);
}

void fill(RetrievalPoint& point, const std::vector<Outcome>& outcomes, std::size_t stride,
          std::size_t column, const Retrieval& run) {
  const bool integrated = run.integrated;
  const double level = run.task.confidence;
  Moments largest, mass;
  double error = 0, squares[2] = {0, 0}, most[2] = {0, 0};
  for (std::size_t i = column; i < outcomes.size(); i += stride) {
    const Outcome& outcome = outcomes[i];
    largest.add(outcome.largest);
    mass.add(outcome.mass);
    error += outcome.error;
    const double values[2] = {outcome.largest, outcome.mass};
    for (int k = 0; k < 2; ++k) {
      squares[k] += values[k] * values[k];
      most[k] = std::max(most[k], values[k] * values[k]);
    }
  }
  const auto n = static_cast<double>(largest.count);
  // Where one trial carries the mean, Student's interval is not to be trusted; both numbers lie in
  // [0, 1], which gives another.
  const bool few[2] = {integrated && most[0] >= kLargestShare * squares[0],
                       run.task.masses && most[1] >= kLargestShare * squares[1]};
  const auto interval = [level](const Moments& moments, bool carried) {
    return carried ? bounded_mean_interval(moments, level) : mean_interval(moments, level);
  };
  point.largest =
      integrated ? probability(largest.mean, interval(largest, few[0]), error / n, level)
                 : probability(largest.mean, share_interval(largest.mean * n, n, level), 0, level);
  if (run.task.masses) point.mass = probability(mass.mean, interval(mass, few[1]), 0, level);
  point.carried_by_one = few[0] || few[1];
}

}  // namespace

Retrieval retrieve(const RetrievalTask& task) {
  check_task(task);
  const RetrievalProbe probe(task);
  Retrieval result{task, probe.integrates(), points_of(task)};
  const std::size_t stride = result.points.size();
  std::vector<Outcome> outcomes(stride * task.trials);
  const int workers = task.threads != 0 ? static_cast<int>(task.threads) : omp_get_max_threads();
  for (std::uint64_t begin = 0; begin < task.trials; begin += kTrialsTogether) {
    throw_if_interrupted();
    const std::uint64_t end = std::min(task.trials, begin + kTrialsTogether);
    std::string fault;
#pragma omp parallel for num_threads(workers) schedule(dynamic)
    for (std::int64_t i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end);
         ++i) {
      if (interrupted()) continue;
      const auto number = static_cast<std::uint64_t>(i);
      try {
        run_trial(probe, task, result.points, number, &outcomes[number * stride]);
      } catch (const InputError& error) {
#pragma omp critical
        fault = error.what();
      } catch (const Interrupted&) {
        // the next look at signals ends the run
      }
    }
    throw_if_interrupted();
    if (!fault.empty()) throw InputError(fault);
    if (task.progress) task.progress(static_cast<double>(end) / static_cast<double>(task.trials));
  }
  for (std::size_t i = 0; i < stride; ++i) fill(result.points[i], outcomes, stride, i, result);
  return result;
}

}  // namespace tapalab
