#include "proofs-check/report_figures_tapa.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "analysis/histogram.hpp"
#include "analysis/pair_draws.hpp"
#include "proofs-check/activation_heads.hpp"
#include "proofs-check/clt_crossover.hpp"
#include "proofs-check/distance_resolution.hpp"
#include "proofs-check/figure_1.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/limit_law.hpp"
#include "proofs-check/stationary_phase.hpp"
#include "sim/make_score_tables.hpp"

namespace tapalab {
namespace {

constexpr slong kReportFiguresTapaBits = 96;

double value(const Ball& ball) { return static_cast<double>(ball.midpoint_wide()); }
Ball ball(double x) { return Ball::exactly(x, kReportFiguresTapaBits); }

/// Curves of exact values, with their table.
class Curves {
 public:
  Curves(std::string x_name, std::string y_name) : csv_("curve," + x_name + "," + y_name + "\n") {}

  /// `axis_x` is what stands on the axis, `x` what the table says.
  void add(plot::Figure& figure, const std::string& text, const std::vector<double>& x,
           const std::function<double(double)>& axis_x, const std::function<double(double)>& y,
           bool decades) {
    plot::Series series;
    series.style = figure.legend.size();
    for (const double at : x) {
      const double v = y(at), drawn = decades ? std::log10(v) : v;
      series.marks.push_back({axis_x(at), drawn, drawn, drawn, true, false, false});
      csv_ += fmt::format("\"{}\",{:.10g},{:.10g}\n", text, at, v);
    }
    figure.panels.front().series.push_back(std::move(series));
    figure.legend.push_back({plot::LegendRow::Sample::curve, figure.legend.size(), text, false});
  }
  const std::string& csv() const { return csv_; }

 private:
  std::string csv_;
};

std::vector<double> logarithmic(double low, double high, int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i)
    all.push_back(low * std::pow(high / low, static_cast<double>(i) / (count - 1)));
  return all;
}

double log10_of(double x) { return std::log10(x); }

plot::Figure one_panel(const std::string& title, const std::string& x_label,
                       const std::string& y_label, plot::AxisKind y_axis) {
  plot::Figure figure;
  figure.title = title;
  figure.x_label = x_label;
  plot::Panel panel;
  panel.y_label = y_label;
  panel.y_axis = y_axis;
  figure.panels.push_back(std::move(panel));
  return figure;
}

/// Counts of values in bins over [-4, 4] as densities with two standard errors.
plot::Series density_marks(const std::vector<double>& values, std::size_t style, std::string& csv,
                           const std::string& name) {
  constexpr int kBins = 64;
  constexpr double kEnd = 4, kWidth = 2 * kEnd / kBins;
  std::vector<double> counts(kBins);
  for (const double v : values)
    if (std::abs(v) < kEnd) ++counts[static_cast<std::size_t>((v + kEnd) / kWidth)];
  plot::Series series;
  series.style = style;
  series.bars = true;
  series.connected = false;
  series.sampled = true;
  const double unit = 1 / (static_cast<double>(values.size()) * kWidth);
  for (int i = 0; i < kBins; ++i) {
    const double count = counts[static_cast<std::size_t>(i)], spread = 2 * std::sqrt(count);
    const double x = -kEnd + (i + 0.5) * kWidth;
    series.marks.push_back({x, count * unit, std::max(0.0, count - spread) * unit,
                            (count + spread) * unit, true, false, false});
    csv += fmt::format("\"{}\",{:.10g},{:.10g}\n", name, x, count * unit);
  }
  return series;
}

}  // namespace

ReportFigure limit_law_figure(const VerifyReport& report) {
  plot::Figure figure = one_panel("Law of a far token's score (limit-law)", "score", "density",
                                  plot::AxisKind::plain);
  figure.x_axis = plot::AxisKind::plain;
  figure.panels.front().zero_line = true;
  std::string csv = "curve,score,density\n";
  const std::uint64_t samples = report.effort == Effort::quick ? 100'000 : 400'000;
  const Encoding encoding = parse_encoding("tapa");
  const PairDraws draws(encoding, parse_density("gaussian:a.mean_k=1,a.scale_k=1e-9"), 128,
                        report.seed);
  const auto tables = std::get<PhaseTables>(make_score_tables(lower(encoding, 128), {0, 1, 10000}));
  const PhaseSamples drawn = draw_phase_samples(tables, draws, samples, 0);
  const char* const distances[] = {"0: the amplitude itself", "1", "10000"};
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> scores;
    for (std::size_t n = 0; n < samples; ++n)
      scores.push_back(score<DoublePrecision>(drawn.amplitude[n], drawn.phi[n], tables.scales[i]));
    const std::string text = fmt::format(
        "scores at distance {}, amplitude N(0, 1), D = 128, {} samples", distances[i], samples);
    figure.panels.front().series.push_back(density_marks(scores, i, csv, text));
    figure.legend.push_back({plot::LegendRow::Sample::curve, i, text, false});
  }
  plot::Reference limit;
  limit.style = 3;
  const std::string text = "limit e^-w K_0(w)/(sqrt(2) pi^(3/2)), w = y^2/4";
  for (int i = -200; i <= 200; ++i) {
    const double y = 0.02 * i;
    if (std::abs(i) < 2) {  // the pole: the pen is lifted
      limit.line.push_back({y, std::numeric_limits<double>::quiet_NaN()});
      continue;
    }
    limit.line.push_back({y, limit_density(y, 1)});
    csv += fmt::format("\"{}\",{:.10g},{:.10g}\n", text, y, limit.line.back().y);
  }
  figure.panels.front().references.push_back(std::move(limit));
  figure.legend.push_back({plot::LegendRow::Sample::reference, 3, text, false});
  figure.caption.push_back(
      "Bars: two standard errors of each bin. At distance 0 the score is its amplitude; from "
      "distance 1 on its law is within 3e-7 of the limit.");
  return {"limit-law", "limit-law", std::move(figure), std::move(csv)};
}

namespace {

/// Whole distances around `first`: close together where the scale s = distance^alpha is within 1 of
/// its own, up to a thousand times nearer and farther.
std::vector<double> distances_around(double first, double alpha) {
  std::set<double> all;
  const auto add = [&](double d) {
    d = std::round(d);
    if (d >= 1 && d >= first / 1000 && d <= first * 1000) all.insert(d);
  };
  const double s1 = std::pow(first, alpha);
  for (int i = -100; i <= 100; ++i) {
    if (s1 + 0.01 * i >= 1) add(std::pow(s1 + 0.01 * i, 1 / alpha));
  }
  for (const double d : logarithmic(first / 1000, first * 1000, 121)) add(d);
  return {all.begin(), all.end()};
}

}  // namespace

ReportFigure resolution_figure() {
  plot::Figure figure =
      one_panel("Correlation of one pair's scores at two distances (distance-resolution)",
                "second distance / first distance", "correlation", plot::AxisKind::plain);
  Curves curves("second_distance", "correlation");
  for (const char* alpha : {"0.1", "0.5"})
    for (const double first : {1.0, 1000.0, 100000.0}) {
      const Ball s1 =
          phase_scale_ball(alpha, static_cast<std::uint64_t>(first), kReportFiguresTapaBits);
      curves.add(
          figure, fmt::format("first distance {}, alpha = {}, D = 128", first, alpha),
          distances_around(first, std::stod(alpha)),
          [first](double d) { return std::log10(d / first); },
          [&](double d) {
            return value(score_correlation_ball(
                s1, phase_scale_ball(alpha, static_cast<std::uint64_t>(d), kReportFiguresTapaBits),
                64));
          },
          false);
    }
  figure.panels.front().zero_line = true;
  figure.caption.push_back(
      "Independent standard Gaussian coordinates, whole distances. The narrower a curve, the "
      "better TAPA tells that distance from its neighbours: with alpha = 0.5 far more finely than "
      "with 0.1. Every curve is 1 where the two distances are one.");
  return {"resolution", "distance-resolution", std::move(figure), curves.csv()};
}

ReportFigure crossover_figure() {
  plot::Figure figure =
      one_panel("Mean of TAPA and its normal value (clt-crossover)", "scale s = distance^alpha",
                "mean / E a", plot::AxisKind::decades);
  Curves curves("scale", "mean");
  for (const std::uint32_t dP : {4U, 64U}) {
    const auto t2 = [dP](double s) { return std::pow(2 * std::acos(-1.0) * s, 2) / dP; };
    curves.add(
        figure, fmt::format("(1 + t^2)^(-dP/2), dP = {}", dP), logarithmic(0.1, 2.5, 41), log10_of,
        [&](double s) { return std::pow(1 + t2(s), -0.5 * dP); }, true);
    figure.caption.push_back(
        fmt::format("dP = {}: the mean is about e times the normal value at s = {:.3g}, and their "
                    "exponents part "
                    "about s = {:.3g}, where t = 1.",
                    dP, value(value_crossover(dP, kReportFiguresTapaBits)),
                    std::sqrt(dP) / (2 * std::acos(-1.0))));
  }
  curves.add(
      figure, "normal value exp(-2 pi^2 s^2)", logarithmic(0.1, 2.5, 41), log10_of,
      [](double s) { return std::exp(-2 * std::pow(std::acos(-1.0) * s, 2)); }, true);
  figure.caption.push_back(
      "Independent standard Gaussian phases. Distances of at least 1 have s >= 1.");
  return {"crossover", "clt-crossover", std::move(figure), curves.csv()};
}

ReportFigure gradient_figure() {
  plot::Figure figure = one_panel(
      "Sensitivity of the score to the representation (stationary-phase)",
      "standard deviation of the coordinates", "E |grad score|^2", plot::AxisKind::decades);
  Curves curves("standard_deviation", "gradient_square");
  for (const double s : {1.0, 2.5})
    for (const PhaseForm form : {PhaseForm::quadratic, PhaseForm::linear})
      curves.add(
          figure,
          fmt::format("{} phase, s = {} (distance {:.0f} at alpha = 0.1), dP = 64",
                      form == PhaseForm::quadratic ? "quadratic" : "linear", s, std::pow(s, 10)),
          logarithmic(0.2, 5, 41), log10_of,
          [&](double v) { return value(gradient_square_ball(form, ball(s), ball(v), 64)); }, true);
  figure.caption.push_back(
      "Below standard deviation 1 the quadratic phase is the less sensitive one, above it the "
      "linear one.");
  return {"sensitivity", "stationary-phase", std::move(figure), curves.csv()};
}

ReportFigure noise_figure() {
  plot::Figure figure = one_panel("What noise leaves of a score (stationary-phase)",
                                  "standard deviation of the noise", "E score score' / E score^2",
                                  plot::AxisKind::plain);
  figure.panels.front().zero_line = true;
  Curves curves("noise", "correlation");
  for (const double s : {0.5, 1.0, 2.5})
    for (const PhaseForm form : {PhaseForm::quadratic, PhaseForm::linear})
      curves.add(
          figure,
          fmt::format("{} phase, s = {}, dP = 64, standard deviation 1",
                      form == PhaseForm::quadratic ? "quadratic" : "linear", s),
          logarithmic(0.005, 2, 61), log10_of,
          [&](double noise) {
            return value(noise_correlation_ball(form, ball(s), ball(1), ball(noise), 64));
          },
          false);
  figure.caption.push_back("Limit of many turns of the phase. Both phases forget together.");
  return {"noise", "stationary-phase", std::move(figure), curves.csv()};
}

std::vector<ReportFigure> histograms_figures(const VerifyReport& report) {
  std::vector<ReportFigure> figures;
  const auto add = [&](const char* name, const std::string& label, const Density& density,
                       std::uint32_t head_dim) {
    std::vector<ScoreHistogram> histograms;
    for (const char* encoding : {"rope:base=500000", "tapa:alpha=0.1"}) {
      HistogramTask task = figure_1_task(encoding, density, head_dim, 10'000, report.seed);
      task.confidence = 0.95;
      histograms.push_back(score_histogram(task));
    }
    plot::Figure figure = histogram_figure(
        histograms,
        fmt::format("Score differences between [0, 100] and [10000, 10100], {} (figure-1)", label));
    figure.caption.push_back(
        "Printed in the paper, for its own model: RoPE 4.1 and 0.85, TAPA 0.03 and 3.3.");
    figures.push_back({name, "figure-1", std::move(figure), histograms_csv(histograms)});
  };
  add("histograms-gaussian", "Gaussian", parse_density("gaussian:rho=0.25"), 128);
  add("histograms-mixture", "mixture", parse_density(figure_1_mixture()), 128);
  ClaimContext context;
  context.activations = report.activations;
  if (has_activations(context)) {
    const ActivationHead head = examined_head(activation_heads(report.activations));
    TokenTable table = read_head(report.activations, head);
    const std::uint32_t head_dim = table.head_dim;
    const std::string name =
        fmt::format("activations, {}, all {} tokens", head.name(), table.tokens);
    add("histograms-activations", "activations", table_density(name, std::move(table)), head_dim);
  }
  return figures;
}

}  // namespace tapalab
