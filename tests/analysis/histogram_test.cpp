// Histograms of score differences: numbers by closed form, counts that add up, one result for any
// number of threads.
#include "analysis/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/plot/figure.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

HistogramTask task_of(const std::string& encoding, const std::string& density,
                      std::uint32_t head_dim) {
  HistogramTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density(density);
  task.head_dim = head_dim;
  return task;
}

std::uint64_t total(const ScoreHistogram& h) {
  return std::accumulate(
      h.bins.begin(), h.bins.end(), std::uint64_t{0},
      [](std::uint64_t sum, const HistogramBin& bin) { return sum + bin.count; });
}

}  // namespace

TEST_CASE("Histogram: every pair is counted once, in the bin that holds it") {
  HistogramTask task = task_of("tapa", "gaussian:rho=0.25", 8);
  task.pairs = 5000;
  task.bins = 17;
  const ScoreHistogram h = score_histogram(task);
  const std::vector<double> values = score_differences(task);
  REQUIRE(h.bins.size() == 17);
  CHECK(total(h) == 5000);
  CHECK(h.bins.front().low == h.smallest);
  for (std::size_t i = 0; i < 17; ++i) {
    const bool last = i == 16;
    const auto inside = std::count_if(values.begin(), values.end(), [&](double v) {
      return v >= h.bins[i].low && (last || v < h.bins[i].high);
    });
    CHECK(static_cast<std::uint64_t>(inside) == h.bins[i].count);
  }
}

TEST_CASE("Histogram: equal ranges of one distance differ by exactly 0") {
  for (const char* encoding : {"tapa", "rope", "nope"}) {
    HistogramTask task = task_of(encoding, "gaussian:rho=0.25", 8);
    task.near = task.far = {7, 7};
    task.pairs = 100;
    const ScoreHistogram h = score_histogram(task);
    CHECK(h.smallest == 0);
    CHECK(h.largest == 0);
    CHECK(h.mean.estimate.value() == 0);
    CHECK(h.standard_deviation.estimate.value() == 0);
    CHECK(total(h) == 100);
  }
}

TEST_CASE("Histogram: one distance on each side has the moments of the closed form") {
  // independent standard Gaussians, distance 0 against far: difference a (1 - cos), E = 0,
  // E (1 - cos)^2 = 3/2 - 2 F(s) + F(2 s)/2, F(s) = (1 + 4 pi^2 s^2/dP)^(-dP/2)
  HistogramTask task = task_of("tapa:alpha=0.5", "gaussian", 8);
  task.near = {0, 0};
  task.far = {9, 9};
  task.pairs = 200'000;
  task.confidence = 1 - 1e-6;
  const ScoreHistogram h = score_histogram(task);
  const auto F = [](double s) {
    return std::pow(1 + std::pow(2 * std::acos(-1.0) * s, 2) / 4, -2);
  };
  const double expected = std::sqrt(1.5 - 2 * F(3) + F(6) / 2);
  CHECK(h.mean.error.lower.value() < 0);
  CHECK(h.mean.error.upper.value() > 0);
  CHECK(h.standard_deviation.error.lower.value() < expected);
  CHECK(h.standard_deviation.error.upper.value() > expected);
  REQUIRE(h.expected_mean);
  CHECK(std::abs(h.expected_mean->estimate.value()) < 1e-12);
}

TEST_CASE("Histogram: RoPE's mean difference is that of its formula") {
  // rho on every coordinate: 2 rho/sqrt(D) sum_d (cos near f_d - cos far f_d), D = 4
  HistogramTask task = task_of("rope:base=100", "gaussian:rho=0.5", 4);
  task.near = {1, 2};
  task.far = {30, 30};
  task.pairs = 100'000;
  task.confidence = 1 - 1e-6;
  const ScoreHistogram h = score_histogram(task);
  const auto mean = [](double m) { return 0.5 * (std::cos(m) + std::cos(m * 0.1)); };
  const double expected = (mean(1) + mean(2)) / 2 - mean(30);
  REQUIRE(h.expected_mean);
  CHECK(h.expected_mean->estimate.value() == Approx(expected).epsilon(1e-12));
  CHECK(h.mean.error.lower.value() < expected);
  CHECK(h.mean.error.upper.value() > expected);
}

TEST_CASE("Histogram: the same bits for any number of threads, other bits for another seed") {
  for (const char* density : {"gaussian:rho=0.25", "laplace"}) {
    HistogramTask task = task_of("rope", density, 8);
    task.pairs = 3000;
    task.threads = 1;
    const std::vector<double> one = score_differences(task);
    task.threads = 3;
    CHECK(score_differences(task) == one);
    task.seed = 2;
    CHECK(score_differences(task) != one);
  }
}

TEST_CASE("Histogram: wide ranges of distance need no table of them all") {
  HistogramTask task = task_of("tapa", "gaussian", 8);
  task.near = {0, (std::uint64_t{1} << 63) - 1};
  task.far = {std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1};
  task.pairs = 500;
  const ScoreHistogram h = score_histogram(task);
  CHECK_FALSE(h.expected_mean);
  CHECK(total(h) == 500);
}

TEST_CASE("Histogram: tokens of a file are drawn, except at one distance each") {
  const std::string file = TAPALAB_TEST_DATA "/qk.safetensors";
  const auto density = [&](const char* pairs) {
    return "empirical:file=\"" + file + "\",q=layers.3.q,k=layers.3.k,pairs=" + pairs;
  };
  const Density all = parse_density(density("causal"));
  HistogramTask task;
  task.encoding = parse_encoding("tapa");
  task.density = all;
  task.head_dim = dictated_head_dim(all.law);
  task.pairs = 200;
  CHECK(total(score_histogram(task)) == 200);
  task.density = parse_density(density("at-distance"));
  CHECK_THROWS_AS(score_histogram(task), InputError);
  task.density = all;
  task.head_dim *= 2;
  CHECK_THROWS_AS(score_histogram(task), InputError);
}

TEST_CASE("Distance ranges are FIRST:LAST, and nothing else") {
  CHECK(parse_distance_range("0:100", "--near").size() == 101);
  CHECK(parse_distance_range("2^10:2^20", "--near").first == 1024);
  CHECK(parse_distance_range("5:5", "--near").size() == 1);
  for (const char* text :
       {"", "5", ":", "5:", ":5", "6:5", "-1:5", "a:b", "0:2^63", "0:1:2", "0.5:1"})
    CHECK_THROWS_AS(parse_distance_range(text, "--near"), InputError);
}

TEST_CASE("Histogram figures hold one series a histogram on a plain axis") {
  HistogramTask task = task_of("tapa", "gaussian", 8);
  task.pairs = 1000;
  const plot::Figure figure = histogram_figure({score_histogram(task)}, "title");
  CHECK(figure.x_axis == plot::AxisKind::plain);
  REQUIRE(figure.panels.size() == 1);
  REQUIRE(figure.panels[0].series.size() == 1);
  double mass = 0;
  const auto& marks = figure.panels[0].series[0].marks;
  REQUIRE(marks.size() == 60);
  for (const plot::Mark& mark : marks) {
    mass += mark.y * (marks[1].x - marks[0].x);
    CHECK(mark.low <= mark.y);
    CHECK(mark.high >= mark.y);
  }
  CHECK(mass == Approx(1));
}
