#include "proofs-check/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/experiment.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "analysis/writers/csv.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/report_figures_checks.hpp"
#include "proofs-check/report_figures_tapa.hpp"
#include "proofs-check/theorem_2_2.hpp"
#include "proofs-check/theorem_3_3.hpp"

namespace tapalab {
namespace {

CurveTask tapa_task(const std::string& density, std::uint32_t head_dim,
                    const std::string& distances) {
  CurveTask task;
  task.encoding = parse_encoding("tapa:alpha=0.1");
  task.density = parse_density(density);
  task.head_dim = head_dim;
  task.distances = parse_distances(distances);
  return task;
}

CurveTask sampled(CurveTask task, const VerifyReport& report) {
  task.engine = Engine::mc;
  task.sampling.samples = report.effort == Effort::quick ? 100'000 : 1'000'000;
  task.sampling.seed = report.seed;
  return task;
}

/// A horizontal line across panel 0, with its row in the legend; in the colour of a curve, or its
/// own.
void add_rule(plot::Figure& figure, double y, const std::string& text,
              std::optional<std::size_t> of_curve = {}) {
  const std::size_t style = of_curve.value_or(figure.legend.size());
  figure.panels.front().rules.push_back({y, style});
  figure.legend.push_back({plot::LegendRow::Sample::rule, style, text, false});
}

/// The bias of a density whose phase coordinates are all alike, and its bound.
PlotReference bound_of(const CurveTask& task) {
  const auto& law = std::get<GaussianDensity>(task.density.law);
  const SplitGaussian model{task.head_dim / 2, task.head_dim / 2, "0.1", law.amplitude, law.phase};
  PlotReference bound{
      fmt::format("bound dP^(dP/2) ||w^||_1 distance^(-alpha dP), dP = {}", model.phase_dim), {}};
  for (const std::uint64_t distance : task.distances.distances)
    bound.points.push_back(
        {distance, LogNumber(bias_bound_ball(model, distance, 1, 128).midpoint_wide())});
  return bound;
}

ReportFigure bias_figure() {
  const CurveTask task = tapa_task("gaussian:rho=0.25", 128, "log:1:2^40:81");
  const std::vector<DistanceCurve> curves = {exact_gaussian_curve(task)};
  PlotOptions options;
  options.title = "Bias of TAPA against distance (theorem-3.2)";
  options.references = {bound_of(task)};
  return {"bias", "theorem-3.2", curve_figure(curves, PlotQuantity::bias, options),
          curves_csv(curves)};
}

/// Few phase coordinates, where samples can see the mean.
ReportFigure sampled_bias_figure(const VerifyReport& report) {
  const CurveTask task = tapa_task("gaussian:rho=0.5", 4, "log:1:2^20:41");
  const std::vector<DistanceCurve> curves = {
      exact_gaussian_curve(task),
      monte_carlo_curve(sampled(tapa_task("gaussian:rho=0.5", 4, "log:1:2^20:11"), report))};
  PlotOptions options;
  options.title = "Bias of TAPA with two phase coordinates (theorem-3.2)";
  options.scale = PlotScale::log;
  options.references = {bound_of(task)};
  return {"bias-sampled", "theorem-3.2", curve_figure(curves, PlotQuantity::bias, options),
          curves_csv(curves)};
}

ReportFigure variance_figure(const VerifyReport& report) {
  CurveTask opposed = tapa_task("gaussian", 8, "log:1:2^40:41");
  opposed.density = {"opposed blocks, r = 0.96",
                     with_independent_phases(opposed_blocks(4, "0.96"))};
  const CurveTask alike = tapa_task("gaussian:rho=0.25", 8, "log:1:2^40:41");
  CurveTask few = opposed;
  few.distances = parse_distances("log:1:2^40:14");
  std::vector<DistanceCurve> curves = {exact_gaussian_curve(alike), exact_gaussian_curve(opposed),
                                       monte_carlo_curve(sampled(few, report))};
  PlotOptions options;
  options.title = "Variance of TAPA against distance (theorem-3.3)";
  options.scale = PlotScale::linear;
  plot::Figure figure = curve_figure(curves, PlotQuantity::variance, options);
  // E (q_d k_d)^2 = 1 + 2 rho^2 for one pair with unit variances; 1 for the blocks
  add_rule(figure, 0.5 * (1 + 2 * 0.25 * 0.25),
           "sigma_0^2/2 = 0.5625, printed lower limit for gaussian:rho=0.25");
  add_rule(figure, 0.5, "sigma_0^2/2 = 0.5, printed lower limit for the opposed blocks");
  return {"variance", "theorem-3.3", std::move(figure), curves_csv(curves)};
}

ReportFigure rope_figure() {
  std::vector<DistanceCurve> curves;
  for (const char* base : {"500000", "100000000"}) {
    CurveTask task;
    task.encoding = parse_encoding(fmt::format("rope:base={},angle=turns,pairing=adjacent", base));
    task.density = parse_density("gaussian:rho=0.5");
    task.head_dim = 64;
    // the violating distances of both bases stand among the others
    task.distances =
        parse_distances("log:1:500000:120,598837,log:600000:1e8:50,100079789,log:1.001e8:2^30:30");
    curves.push_back(exact_gaussian_curve(task));
  }
  PlotOptions options;
  options.title = "Mean of RoPE against distance (theorem-2.2)";
  plot::Figure figure = curve_figure(curves, PlotQuantity::bias, options);
  struct Violation {
    const char* base;
    std::uint64_t distance;
  };
  std::size_t curve = 0;
  for (const Violation& found : {Violation{"500000", 598837}, Violation{"100000000", 100079789}}) {
    const std::size_t style = curve++;
    const RopeSetting setting{found.base, 64, AngleUnit::turns};
    const auto near = weakest_near_distance(setting);
    if (!near) continue;
    const Ball root = sqrt(Ball(64, 128));
    // E RoPE = sqrt(D) C_D: the gap is at least 1/8 where the curve stays below
    const Ball threshold =
        (rope_cosine_mean_ball(setting, *near) - Ball::decimal("0.125", 128)) * root;
    add_rule(figure, static_cast<double>(threshold.midpoint_wide()),
             fmt::format("threshold for base = {}: mean at distance {} less sqrt(D)/8", found.base,
                         *near),
             style);
    const double mean = static_cast<double>(
        (rope_cosine_mean_ball(setting, found.distance) * root).midpoint_wide());
    plot::Series point;
    point.style = style;
    point.sampled = true;  // a larger marker
    point.connected = false;
    point.marks.push_back({std::log10(static_cast<double>(found.distance)), mean, mean, mean});
    figure.panels.front().series.push_back(std::move(point));
  }
  figure.caption.push_back(
      "Beyond distance = base the printed statement asks a curve to stay below the threshold of "
      "its "
      "colour; at the large markers (distance 598837 for base 500000, 100079789 for base "
      "100000000) it "
      "does not.");
  return {"rope", "theorem-2.2", std::move(figure), curves_csv(curves)};
}

}  // namespace

std::vector<ReportFigure> report_figures(const VerifyReport& report) {
  const auto ran = [&](const std::string& id) {
    return std::any_of(report.outcomes.begin(), report.outcomes.end(), [&](const ClaimOutcome& o) {
      return o.claim.id == id && o.result.verdict != Verdict::not_run;
    });
  };
  std::vector<ReportFigure> figures;
  if (ran("assumption-2.1"))
    if (auto figure = coordinates_figure(report)) figures.push_back(std::move(*figure));
  if (ran("theorem-2.2")) figures.push_back(rope_figure());
  if (ran("theorem-3.2")) {
    figures.push_back(bias_figure());
    figures.push_back(sampled_bias_figure(report));
    figures.push_back(decay_figure());
    figures.push_back(pulls_figure(report));
  }
  if (ran("theorem-3.3")) figures.push_back(variance_figure(report));
  if (ran("stationary-phase")) {
    figures.push_back(gradient_figure());
    figures.push_back(noise_figure());
  }
  if (ran("figure-1"))
    for (ReportFigure& figure : histograms_figures(report)) figures.push_back(std::move(figure));
  if (ran("retrieval")) figures.push_back(needles_figure(report));
  if (ran("limit-law")) figures.push_back(limit_law_figure(report));
  if (ran("distance-resolution")) figures.push_back(resolution_figure());
  if (ran("clt-crossover")) figures.push_back(crossover_figure());
  return figures;
}

}  // namespace tapalab
