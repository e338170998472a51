#include "proofs-check/report_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/curve_task.hpp"
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
  return curve_task("tapa:alpha=0.1", density, head_dim, distances);
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

/// What the claim certified for D = 64 in turns at distances that an axis holds, at the smallest
/// and the largest base, one each: the smallest distance.
std::vector<CertifiedRecurrence> drawn_recurrences(const std::vector<CertifiedRecurrence>& all) {
  std::vector<CertifiedRecurrence> drawn;
  for (const CertifiedRecurrence& found : all)
    if (found.setting.head_dim == 64 && found.setting.angle == AngleUnit::turns &&
        found.far_distance.size() < 19 && !near_distances(found.setting.base).empty())
      drawn.push_back(found);
  std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) {
    const double x = std::stod(a.setting.base), y = std::stod(b.setting.base);
    return x < y || (x == y && std::stoull(a.far_distance) < std::stoull(b.far_distance));
  });
  if (drawn.size() > 2) {
    const std::string largest = drawn.back().setting.base;
    const auto second = std::find_if(drawn.begin(), drawn.end(), [&](const auto& found) {
      return found.setting.base == largest;
    });
    drawn = {drawn.front(), *second};
  }
  return drawn;
}

CurveTask rope_task(const std::string& base, const std::string& distances) {
  return curve_task(fmt::format("rope:base={},angle=turns,pairing=adjacent", base),
                    "gaussian:rho=0.5", 64, distances);
}

/// The thresholds of the hypothesis, the gap's threshold and the recurrence of one curve.
void add_recurrence(plot::Figure& figure, const CertifiedRecurrence& found, std::size_t style) {
  const double base = std::stod(found.setting.base);
  plot::Panel& panel = figure.panels.front();
  panel.uprights.push_back({std::log10(std::pow(base, 0.25) / 8), style, "b^(1/4)/8"});
  panel.uprights.push_back({std::log10(base), style, fmt::format("b = {:g}", base)});
  const Ball root = sqrt(Ball(static_cast<slong>(found.setting.head_dim), 128));
  // E RoPE = sqrt(D) C_D: the gap is at least 1/8 where the curve stays below
  const Ball threshold =
      (rope_cosine_mean_ball(found.setting, found.near_distance) - Ball::decimal("0.125", 128)) *
      root;
  add_rule(figure, static_cast<double>(threshold.midpoint_wide()),
           fmt::format("threshold for b = {:g}: mean at distance {} less sqrt(D)/8", base,
                       found.near_distance),
           style);
  const std::uint64_t far = std::stoull(found.far_distance);
  const double mean =
      static_cast<double>((rope_cosine_mean_ball(found.setting, far) * root).midpoint_wide());
  plot::Series point;
  point.style = style;
  point.sampled = true;  // a larger marker
  point.connected = false;
  point.marks.push_back({std::log10(static_cast<double>(far)), mean, mean, mean});
  panel.series.push_back(std::move(point));
  figure.legend.push_back({plot::LegendRow::Sample::marks, style,
                           fmt::format("certified recurrence (larger): at distance {} the gap to "
                                       "distance {} is {:.4g} sqrt(D), below sqrt(D)/8",
                                       far, found.near_distance, std::stod(found.gap)),
                           false});
}

ReportFigure rope_figure(const std::vector<Evidence>& evidence) {
  const std::vector<CertifiedRecurrence> all = certified_recurrences(evidence),
                                         drawn = drawn_recurrences(all);
  std::vector<std::string> bases;
  std::string distances = "log:1:2^30:200";
  for (const CertifiedRecurrence& found : drawn) {
    bases.push_back(found.setting.base);
    distances += "," + found.far_distance;
  }
  if (bases.empty()) bases = {"500000", "100000000"};
  std::vector<DistanceCurve> curves;
  for (const std::string& base : bases)
    curves.push_back(exact_gaussian_curve(rope_task(base, distances)));
  PlotOptions options;
  options.title = "Mean of RoPE against distance (theorem-2.2)";
  plot::Figure figure = curve_figure(curves, PlotQuantity::bias, options);
  // mu_0 > 0 = nu_0: at distance 0 every pair gives mu_0, and nothing exceeds it
  const CurvePoint start = exact_gaussian_curve(rope_task(bases.front(), "0")).points.at(0);
  const auto reach = static_cast<double>(start.mean->estimate.wide());
  const std::size_t style = bases.size();
  add_rule(figure, reach,
           fmt::format("+-r sqrt(D)/2 = +-{:g}, r = sqrt(mu_0^2 + nu_0^2): the mean never leaves "
                       "this range (theorem-2.1)",
                       reach),
           style);
  figure.panels.front().rules.push_back({-reach, style});
  for (std::size_t i = 0; i < drawn.size(); ++i) add_recurrence(figure, drawn[i], i);
  if (!drawn.empty())
    figure.caption.push_back(
        "Upright lines: the hypothesis speaks of near distances below b^(1/4)/8 and of far ones "
        "beyond b, and asks a curve to stay below the threshold of its colour there; at the larger "
        "marker it does not. Those distances are certified by ball arithmetic in the evidence "
        "below.");
  for (const CertifiedRecurrence& found : all)
    if (found.far_distance.size() >= 19 && found.setting.angle == AngleUnit::turns)
      figure.caption.push_back(fmt::format(
          "Far beyond the axis, at a distance of {} digits, the gap for b = {} is at most {:.2g} "
          "sqrt(D) (certified).",
          found.far_distance.size(), found.setting.base, std::stod(found.gap)));
  return {"rope", "theorem-2.2", std::move(figure), curves_csv(curves)};
}

}  // namespace

std::vector<ReportFigure> report_figures(const VerifyReport& report) {
  const auto found = [&](const std::string& id) -> const ClaimResult* {
    for (const ClaimOutcome& o : report.outcomes)
      if (o.claim.id == id && o.result.verdict != Verdict::not_run) return &o.result;
    return nullptr;
  };
  const auto ran = [&](const std::string& id) { return found(id) != nullptr; };
  std::vector<ReportFigure> figures;
  if (ran("assumption-2.1"))
    if (auto figure = coordinates_figure(report)) figures.push_back(std::move(*figure));
  if (const ClaimResult* result = found("theorem-2.2")) {
    figures.push_back(rope_figure(result->evidence));
    figures.push_back(region_figure(result->evidence));
  }
  if (ran("theorem-3.2")) {
    figures.push_back(bias_figure());
    figures.push_back(sampled_bias_figure(report));
    figures.push_back(decay_figure(report));
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
