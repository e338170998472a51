// How often nominal 95% intervals hold the exact value, over many seeds: every estimator, mean and
// variance, with and without early stopping. Prints one line a cell; exits 1 where a cell leaves
// its band.
//   coverage [SEEDS] [FIRST_SEED] [BEGINNING]   cases whose names begin so (default: all)
// The last figure of a line: runs that say target-not-met of that mean without being asked for a
// tolerance, since a few of their samples carry it; their intervals are those of |E a|.
#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/experiment.hpp"

using namespace tapalab;

namespace {

constexpr std::uint64_t kSamples = 10'240;       // of each run, or at most
constexpr std::uint64_t kSobolSamples = 16'384;  // the fewest that qmc takes

struct Cell {
  std::string name;
  bool early = false;
  std::uint64_t held = 0, runs = 0, untrusted = 0;
};

struct Case {
  const char* name;
  const char* encoding;
  const char* density;
  Engine engine;
  Estimator estimator;
  double rel_tol;           // 0: none
  std::uint64_t times = 1;  // as many samples

  std::uint32_t head_dim() const { return engine == Engine::mc ? 8 : 4; }
  // Means, and variances where scores themselves are drawn.
  std::size_t cells() const { return engine == Engine::conditional ? 3 : 6; }
};

CurveTask task_of(const Case& item) {
  CurveTask task;
  task.encoding = parse_encoding(item.encoding);
  task.density = parse_density(item.density);
  task.head_dim = item.head_dim();
  task.distances = parse_distances("0,1,1000");
  task.engine = item.engine;
  const std::uint64_t samples = item.engine == Engine::qmc ? kSobolSamples : kSamples;
  task.sampling.samples = item.times * (item.rel_tol > 0 ? 4 * samples : samples);
  task.sampling.estimator = item.estimator;
  task.sampling.threads = 1;
  if (item.rel_tol > 0) task.sampling.rel_tol = item.rel_tol;
  return task;
}

bool holds(const Quantity& sampled, const Quantity& exact) {
  return sampled.error.lower.wide() <= exact.estimate.wide() &&
         exact.estimate.wide() <= sampled.error.upper.wide();
}

void measure(const Case& item, std::uint64_t first, std::uint64_t seeds, std::vector<Cell>& cells) {
  CurveTask task = task_of(item);
  CurveTask closed = task;
  closed.engine = Engine::automatic;
  closed.sampling.estimator = Estimator::standard;
  closed.sampling.rel_tol.reset();
  const DistanceCurve exact = compute_curve(closed);
  const std::size_t points = exact.points.size(), begin = cells.size();
  for (const char* quantity : {"mean", "variance"}) {
    for (const CurvePoint& point : exact.points) {
      cells.push_back(
          {fmt::format("{} {} at {}", item.name, quantity, point.distance), item.rel_tol > 0});
    }
  }
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    task.sampling.seed = seed;
    const DistanceCurve curve = compute_curve(task);
    for (std::size_t i = 0; i < points; ++i) {
      const CurvePoint &point = curve.points[i], &truth = exact.points[i];
      cells[begin + i].held += holds(*point.mean, *truth.mean);
      ++cells[begin + i].runs;
      cells[begin + i].untrusted += item.rel_tol == 0 && point.status == Status::target_not_met;
      if (!point.variance) continue;
      cells[begin + points + i].held += holds(*point.variance, *truth.variance);
      ++cells[begin + points + i].runs;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const Case cases[] = {
      {"plain tapa", "tapa", "gaussian:rho=0.25", Engine::mc, Estimator::plain, 0},
      {"plain rope", "rope", "gaussian:rho=0.25", Engine::mc, Estimator::plain, 0},
      {"plain sech", "tapa", "sech", Engine::mc, Estimator::plain, 0},
      {"antithetic tapa", "tapa", "gaussian:rho=0.25", Engine::mc, Estimator::antithetic, 0},
      {"antithetic rope", "rope", "gaussian:rho=0.25", Engine::mc, Estimator::antithetic, 0},
      {"antithetic sech", "tapa", "sech:a.mean_q=0.5,a.mean_k=0.5", Engine::mc,
       Estimator::antithetic, 0},
      {"qmc tapa", "tapa", "gaussian:rho=0.25", Engine::qmc, Estimator::qmc, 0},
      {"qmc rope", "rope", "gaussian:rho=0.25", Engine::qmc, Estimator::qmc, 0},
      {"qmc sech", "tapa", "sech:a.mean_q=0.5,a.mean_k=0.5", Engine::qmc, Estimator::qmc, 0},
      {"conditional", "tapa", "gaussian:rho=0.25", Engine::conditional, Estimator::conditional, 0,
       16},
      {"zero-variance", "tapa", "gaussian:rho=0.25", Engine::conditional, Estimator::zero_variance,
       0},
      {"importance", "tapa", "gaussian:rho=0.25", Engine::conditional, Estimator::importance, 0},
      {"plain tapa, early stop", "tapa", "gaussian:rho=0.25", Engine::mc, Estimator::plain, 0.05},
      {"antithetic tapa, early stop", "tapa", "gaussian:rho=0.25", Engine::mc,
       Estimator::antithetic, 0.05},
      {"qmc tapa, early stop", "tapa", "gaussian:rho=0.25", Engine::qmc, Estimator::qmc, 0.05},
      {"importance, early stop", "tapa", "gaussian:rho=0.25", Engine::conditional,
       Estimator::importance, 0.005},
  };
  const std::string beginning = argc > 3 ? argv[3] : "";
  std::size_t all = 0;
  for (const Case& item : cases) all += item.cells();
  // The band of the promise, 94.5 to 95.5%, wider by the binomial spread that one of so many cells
  // reaches with probability 1% (Bonferroni; on both sides).
  const double deviations = boost::math::quantile(
      boost::math::complement(boost::math::normal(), 0.01 / (2 * static_cast<double>(all))));
  std::size_t failed = 0, seen = 0;
  for (const Case& item : cases) {
    if (!std::string_view(item.name).starts_with(beginning)) continue;
    std::vector<Cell> cells;
    measure(item, first, seeds, cells);
    std::erase_if(cells, [](const Cell& cell) { return cell.runs == 0; });
    if (cells.size() != item.cells()) {
      fmt::print("{}: {} cells where {} belong\n", item.name, cells.size(), item.cells());
      return 1;
    }
    for (const Cell& cell : cells) {
      const double share = static_cast<double>(cell.held) / static_cast<double>(cell.runs);
      const double spread = deviations * std::sqrt(0.95 * 0.05 / static_cast<double>(cell.runs));
      const bool good = share >= 0.945 - spread && (cell.early || share <= 0.955 + spread);
      failed += !good;
      fmt::print("{:45} {:.4f} {} {}\n", cell.name, share, good ? "ok" : "OUTSIDE", cell.untrusted);
    }
    seen += cells.size();
    std::fflush(stdout);
  }
  fmt::print("{} seeds, {} of {} cells, {} outside\n", seeds, seen, all, failed);
  return failed == 0 && seen > 0 ? 0 : 1;
}
