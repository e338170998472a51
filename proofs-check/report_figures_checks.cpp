#include "proofs-check/report_figures_checks.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "analysis/curve_task.hpp"
#include "analysis/empirical_moments.hpp"
#include "analysis/fit.hpp"
#include "analysis/intervals.hpp"
#include "analysis/plot/fit_plot.hpp"
#include "analysis/retrieval/retrieval.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/fit_table.hpp"
#include "proofs-check/activation_heads.hpp"

namespace tapalab {
namespace {

/// How many standard errors the estimate lies from the truth.
double pull(const Quantity& estimate, const Quantity& truth) {
  const Wide &found = estimate.estimate.wide(), &right = truth.estimate.wide();
  const Wide error =
      standard_error_towards(right, found, estimate.error.lower.wide(), estimate.error.upper.wide(),
                             estimate.error.level.value_or(0.95));
  return static_cast<double>(Wide((found - right) / error));
}

plot::Series moments_series(const std::vector<MomentEstimate>& estimates, std::size_t style,
                            bool decades) {
  plot::Series series;
  series.style = style;
  series.bars = true;
  series.connected = false;
  const auto at = [decades](double y) { return decades ? std::log10(y) : y; };
  for (std::size_t d = 0; d < estimates.size(); ++d) {
    const MomentEstimate& e = estimates[d];
    if (decades && !(e.lower > 0)) continue;
    series.marks.push_back({static_cast<double>(d), at(e.estimate), at(e.lower), at(e.upper)});
  }
  return series;
}

}  // namespace

ReportFigure decay_figure(const VerifyReport& report) {
  std::vector<FitResult> fits;
  const auto add = [&](const char* encoding, const char* density, std::uint32_t head_dim) {
    fits.push_back(
        fit_decay(compute_curve(curve_task(encoding, density, head_dim, "log:1:2^62:80"))));
  };
  add("tapa:alpha=0.1", "gaussian:rho=0.25", 128);
  add("tapa:alpha=0.1", "gaussian:rho=0.25", 32);
  add("tapa:alpha=0.1", "sech:a.mean_q=0.5,a.mean_k=0.5", 128);
  // two phase coordinates: samples see the envelope
  CurveTask sampled =
      curve_task("tapa:alpha=0.1", "gaussian:rho=0.5", 4, "log:1:2^20:8", Engine::mc);
  sampled.sampling.samples = report.effort == Effort::quick ? 100'000 : 1'000'000;
  sampled.sampling.seed = report.seed;
  fits.push_back(fit_decay(compute_curve(sampled)));
  plot::Figure figure = fit_figure(fits, "Local exponent of the decay (theorem-3.2)");
  figure.caption.push_back(
      "Engines exact and quadrature at distances 1 to 2^62, sampled at 1 to 2^20. The theorem's "
      "exponent is the asymptote alone: at distance 65536 (t = 2.4 for D = 128) decay is slower.");
  return {"decay", "theorem-3.2", std::move(figure), fits_csv(fits)};
}

ReportFigure pulls_figure(const VerifyReport& report) {
  constexpr std::uint32_t head_dim = 8;
  const char* const distances = "log:1:1e4:25";
  const std::uint64_t samples = report.effort == Effort::quick ? 65'536 : 262'144;
  plot::Figure figure;
  figure.title = "Sampling engines against the exact one (theorem-3.2)";
  figure.x_label = "distance (tokens)";
  plot::Panel panel;
  panel.y_label = "(mean - exact mean) / standard error";
  panel.zero_line = true;
  std::string csv = "engine,distance,mean,exact,standard_errors\n";
  const DistanceCurve exact = compute_curve(
      curve_task("tapa:alpha=0.1", "gaussian:rho=0.25", head_dim, distances, Engine::exact));
  for (const Engine engine : {Engine::mc, Engine::qmc, Engine::conditional}) {
    CurveTask task = curve_task("tapa:alpha=0.1", "gaussian:rho=0.25", head_dim, distances, engine);
    task.sampling.samples = samples;
    task.sampling.seed = report.seed;
    const DistanceCurve curve = compute_curve(task);
    plot::Series series;
    series.style = figure.legend.size();
    series.connected = false;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const auto& estimate = curve.points[i].mean;
      const auto& truth = exact.points[i].mean;
      if (!estimate || !truth) continue;
      const double z = pull(*estimate, *truth);
      const auto distance = static_cast<double>(curve.points[i].distance);
      series.marks.push_back({std::log10(distance), z, z, z});
      csv += fmt::format("{},{},{},{},{:.6g}\n", to_string(engine), curve.points[i].distance,
                         estimate->estimate.decimal(), truth->estimate.decimal(), z);
    }
    panel.series.push_back(std::move(series));
    figure.legend.push_back({plot::LegendRow::Sample::marks, figure.legend.size(),
                             fmt::format("{}, {} samples", to_string(engine), samples), false});
  }
  const double limit = boost::math::quantile(boost::math::normal(), 0.975);
  panel.rules = {{limit, figure.legend.size()}, {-limit, figure.legend.size()}};
  figure.legend.push_back(
      {plot::LegendRow::Sample::rule, figure.legend.size(), "95% of a normal law within", false});
  figure.panels.push_back(std::move(panel));
  figure.caption.push_back(fmt::format(
      "tapa:alpha=0.1, gaussian:rho=0.25, D = {}, seed {}. One draw serves all distances of an "
      "engine, so that its points move together.",
      head_dim, report.seed));
  return {"pulls", "theorem-3.2", std::move(figure), std::move(csv)};
}

std::optional<ReportFigure> coordinates_figure(const VerifyReport& report) {
  ClaimContext context;
  context.activations = report.activations;
  if (!has_activations(context)) return std::nullopt;
  const ActivationHead head = examined_head(activation_heads(report.activations));
  const TokenTable table = read_head(report.activations, head);
  MomentOptions options;
  options.seed = report.seed;
  const double tests = 1.5 * table.head_dim;  // mu, nu and E A^2 of D/2 pairs
  options.level = 1 - 0.05 / tests;
  const EmpiricalMoments moments = empirical_moments(table, options);
  plot::Figure figure;
  figure.title = "Moments of real queries and keys, pair by pair (assumption-2.1)";
  figure.x_label = "rotary pair d";
  figure.x_axis = plot::AxisKind::plain;
  plot::Panel means, squares;
  means.y_label = "mu_d and nu_d";
  means.zero_line = true;
  means.series = {moments_series(moments.mu, 0, false), moments_series(moments.nu, 1, false)};
  squares.y_label = "E A_d^2";
  squares.y_axis = plot::AxisKind::decades;
  squares.series = {moments_series(moments.sigma2_pair, 2, true)};
  figure.panels = {std::move(means), std::move(squares)};
  figure.legend = {{plot::LegendRow::Sample::marks, 0, "mu_d = E A_d", false},
                   {plot::LegendRow::Sample::marks, 1, "nu_d = E B_d", false},
                   {plot::LegendRow::Sample::marks, 2, "E A_d^2", false}};
  figure.caption.push_back(fmt::format(
      "{}, {} tokens, all pairs of tokens, half-split pairing. Bars: block-bootstrap intervals, {} "
      "of them at 0.95 together. The assumption asks for one value of each.",
      head.name(), table.tokens, tests));
  std::string csv = "quantity,d,estimate,lower,upper\n";
  const auto rows = [&csv](const char* name, const std::vector<MomentEstimate>& estimates) {
    for (std::size_t d = 0; d < estimates.size(); ++d)
      csv += fmt::format("{},{},{:.10g},{:.10g},{:.10g}\n", name, d, estimates[d].estimate,
                         estimates[d].lower, estimates[d].upper);
  };
  rows("mu", moments.mu);
  rows("nu", moments.nu);
  rows("A_square", moments.sigma2_pair);
  return ReportFigure{"coordinates", "assumption-2.1", std::move(figure), std::move(csv)};
}

ReportFigure needles_figure(const VerifyReport& report) {
  std::vector<Retrieval> found;
  const auto add = [&](const char* encoding, const char* density) {
    RetrievalTask task;
    task.encoding = parse_encoding(encoding);
    task.density = parse_density(density);
    task.needle_rho = ExactDecimal::parse("0.9", "needle rho");
    for (unsigned power = 6; power <= 16; power += 2)
      task.lengths.push_back(std::uint64_t{1} << power);
    task.trials = report.effort == Effort::quick ? 200 : 600;
    task.seed = report.seed;
    task.masses = false;
    found.push_back(retrieve(task));
  };
  add("rope:base=500000", "gaussian");
  add("tapa:alpha=0.1", "gaussian");
  add("tapa:alpha=0.1", "gaussian:p.scale_q=0.003");
  plot::Figure figure = retrieval_figure(found);
  figure.title = "Needles found among many keys (retrieval)";
  return {"needles", "retrieval", std::move(figure), retrievals_csv(found)};
}

}  // namespace tapalab
