#include "proofs-check/sampled.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/intervals.hpp"

namespace tapalab {
namespace {

Quantity with_interval(double estimate, const Interval& interval) {
  return with_confidence(estimate, interval, 1 - kMiss);
}

}  // namespace

Quantity sampled_mean(const Moments& moments) {
  return with_interval(moments.mean, mean_interval(moments, 1 - kMiss));
}

Quantity sampled_mean(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return sampled_mean(moments);
}

Quantity sampled_variance(const Moments& moments) {
  return with_interval(sample_variance(moments), variance_interval(moments, 1 - kMiss));
}

std::uint64_t sample_count(const ClaimContext& context, std::uint64_t quick, std::uint64_t normal,
                           std::uint64_t full) {
  switch (context.effort) {
    case Effort::quick:
      return quick;
    case Effort::normal:
      return normal;
    case Effort::full:
      break;
  }
  return full;
}

double massart_bound(std::uint64_t n) {
  return std::sqrt(std::log(2 / kMiss) / (2 * static_cast<double>(n)));
}

CurveTask sampled_task(CurveTask task, const ClaimContext& context) {
  task.engine = context.device ? Engine::gpu : Engine::mc;
  task.device = context.device;
  task.sampling.seed = context.seed;
  task.sampling.threads = context.threads;
  return task;
}

std::string sampling_engine(const ClaimContext& context) { return context.device ? "gpu" : "mc"; }

std::string samples_text(std::uint64_t count) { return std::to_string(count) + " samples"; }

}  // namespace tapalab
