// Processor time to a standard error of 1% of the TAPA mean at rho = 0.25, D = 16, by estimator.
// The time of a run of n samples with relative standard error e is t; to 1% it takes t (e/0.01)^2,
// of samples that are independent. Each estimator's e is measured; the plain one's, at 1e8 samples,
// is of the closed form's mean, which its own samples do not resolve: its time is extrapolated.
//   estimators_benchmark [PLAIN_SAMPLES]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "analysis/experiment.hpp"

using namespace tapalab;

namespace {

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

CurveTask task_of(Engine engine, Estimator estimator, std::uint64_t samples) {
  CurveTask task;
  task.encoding = parse_encoding("tapa");
  task.density = parse_density("gaussian:rho=0.25");
  task.head_dim = 16;
  task.distances = parse_distances("1,10,100,1000");
  task.engine = engine;
  task.sampling.estimator = estimator;
  task.sampling.samples = samples;
  task.sampling.threads = 1;
  return task;
}

struct Run {
  const char* name;
  Engine engine;
  Estimator estimator;
  std::uint64_t samples;
};

}  // namespace

int main(int argc, char** argv) {
  const auto plain_samples =
      static_cast<std::uint64_t>(argc > 1 ? std::strtod(argv[1], nullptr) : 1e8);
  const DistanceCurve exact = compute_curve(task_of(Engine::exact, Estimator::standard, 2));
  const Run runs[] = {
      {"plain", Engine::mc, Estimator::plain, plain_samples},
      {"conditional", Engine::conditional, Estimator::conditional, 200'000},
      {"importance", Engine::conditional, Estimator::importance, 200'000},
      {"zero-variance", Engine::conditional, Estimator::zero_variance, 200'000},
  };
  fmt::print("{:14} {:>9} {:>9} {:>9} {:>10} {:>12} {:>9}\n", "estimator", "distance", "samples",
             "seconds", "error", "s to 1%", "deviation");
  for (const Run& run : runs) {
    const CurveTask task = task_of(run.engine, run.estimator, run.samples);
    std::vector<double> times;
    DistanceCurve curve;
    for (int repeat = 0; repeat < (run.engine == Engine::mc ? 1 : 5); ++repeat) {
      const double start = processor_seconds();
      curve = compute_curve(task);
      times.push_back(processor_seconds() - start);
    }
    std::nth_element(times.begin(), times.begin() + 2 * (times.size() > 2), times.end());
    const double seconds = times[2 * (times.size() > 2)];
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const Wide truth = exact.points[i].mean->estimate.wide();
      const Quantity& mean = *curve.points[i].mean;
      const double error =
          static_cast<double>(Wide(mean.error.absolute.wide() / abs(truth))) / 1.96;
      const double deviation =
          static_cast<double>(Wide((mean.estimate.wide() - truth) / abs(truth))) / error;
      fmt::print("{:14} {:>9} {:>9.2g} {:>9.3g} {:>10.3g} {:>12.3g} {:>9.2f}\n", run.name,
                 curve.points[i].distance, static_cast<double>(run.samples), seconds, error,
                 seconds * (error / 0.01) * (error / 0.01), deviation);
    }
  }
  return 0;
}
