// Microseconds for one value of g(t) = E e^(i t x y), for each law and several t; what the tables
// cost; and samples a second. Run alone on an idle machine.
#include <fmt/core.h>

#include <chrono>
#include <vector>

#include "analysis/product_transform.hpp"
#include "sim/block_kernels.hpp"
#include "sim/marginal_table.hpp"
#include "sim/product_sampler.hpp"

using namespace tapalab;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The least of five rounds, a call.
template <class Function>
double microseconds(const Function& f) {
  double least = 1e30;
  for (int round = 0; round < 5; ++round) {
    int calls = 0;
    const auto start = Clock::now();
    do {
      f();
      ++calls;
    } while (seconds_since(start) < 0.01);
    least = std::min(least, 1e6 * seconds_since(start) / calls);
  }
  return least;
}

Marginal law_of(MarginalFamily family) { return {family, ExactDecimal::parse("5.5", "nu")}; }

}  // namespace

int main() {
  auto start = Clock::now();
  BumpTable::instance();
  fmt::print("bump table, once: {:.3f} s\n", seconds_since(start));
  start = Clock::now();
  const StudentTable table(ExactDecimal::parse("5.5", "nu"));
  fmt::print("student-t table, nu = 5.5: {:.3f} s\n\n", seconds_since(start));

  const char* ts[] = {"0.001", "0.3", "3", "100", "1e8", "1e20"};
  fmt::print("{:<12}{:<12}", "law", "means u, v");
  for (const char* t : ts) fmt::print("{:>16}", fmt::format("t = {}", t));
  fmt::print("\n{:<24}microseconds, relative error\n", "");
  const struct {
    const char* u;
    const char* v;
  } means[] = {{"0", "0"}, {"0.5", "0"}, {"0.5", "0.7"}};
  for (const auto& mean : means) {
    for (const MarginalFamily family : kMarginalFamilies) {
      PairLaw law;
      law.mean_q = ExactDecimal::parse(mean.u, "u");
      law.mean_k = ExactDecimal::parse(mean.v, "v");
      const ProductPair pair(law_of(family), law_of(family), law);
      fmt::print("{:<12}{:<12}", marginal_name(family), fmt::format("{}, {}", mean.u, mean.v));
      for (const char* text : ts) {
        const Wide t(text);
        PairTransform g;
        const double us = microseconds([&] { g = pair.at(t, 1e-13); });
        fmt::print("{:>16}", fmt::format("{:.1f} {:.0e}{}", us,
                                         static_cast<double>(Wide(g.error / abs(g.value))),
                                         g.method == PairMethod::wide_quadrature ? "w" : " "));
      }
      fmt::print("\n");
    }
  }

  fmt::print("\nsamples of 256 coordinates a second\n");
  for (const MarginalFamily family : kMarginalFamilies) {
    const ProductSource source({128, law_of(family), law_of(family), std::vector<double>(256, 0.0),
                                std::vector<double>(256, 1.0)},
                               1);
    std::vector<double> x(256 * kLanes);
    std::uint64_t first = 0;
    const double us = microseconds([&] {
      source.lanes(first, x.data());
      first += kLanes;
    });
    fmt::print("{:<12}{:>12.0f}\n", marginal_name(family), kLanes / us * 1e6);
  }
}
