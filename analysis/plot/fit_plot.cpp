#include "analysis/plot/fit_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/plot/curve_series.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/plot/text.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

using plot::Figure;
using plot::Series;
using LegendSample = plot::LegendRow::Sample;

Series local_series(const FitResult& fit, std::size_t style) {
  Series series;
  series.style = style;
  series.sampled = std::any_of(fit.engines.begin(), fit.engines.end(), plot::is_sampling);
  for (const LocalExponent& step : fit.local) {
    plot::Mark mark;
    mark.x = (std::log10(step.t_low) + std::log10(step.t_high)) / 2;
    mark.y = step.in_distance.value;
    mark.low = step.in_distance.lower;
    mark.high = step.in_distance.upper;
    mark.filled = !series.sampled;
    series.marks.push_back(mark);
  }
  // Marks stand between points: joining them would suggest values that nobody computed.
  series.connected = false;
  series.bars = true;
  for (const FitPoint& point : fit.points) {
    if (point.predicted) series.thin.push_back({std::log10(point.t), point.predicted->value});
  }
  return series;
}

/// Measured less predicted, in decades: a mark where the errors of both leave its sign, else an
/// arrow at the largest that they allow.
Series residual_series(const FitResult& fit, std::size_t style) {
  Series series;
  series.style = style;
  series.connected = false;
  series.bars = true;
  series.sampled = std::any_of(fit.engines.begin(), fit.engines.end(), plot::is_sampling);
  for (const LocalExponent& step : fit.local) {
    if (!step.predicted) continue;
    const double low = step.in_distance.lower - step.predicted->upper;
    const double high = step.in_distance.upper - step.predicted->lower;
    const double largest = std::max(std::abs(low), std::abs(high));
    if (!(largest > 0)) continue;
    plot::Mark mark;
    mark.x = (std::log10(step.t_low) + std::log10(step.t_high)) / 2;
    mark.high = std::log10(largest);
    mark.upper_bound = low <= 0 && high >= 0;
    if (!mark.upper_bound) {
      mark.y = std::log10(std::abs(step.in_distance.value - step.predicted->value));
      mark.low = std::log10(std::min(std::abs(low), std::abs(high)));
      mark.filled = low > 0;
    }
    series.marks.push_back(mark);
  }
  return series;
}

/// t at the lengths that models are asked for, a row for each scale of t.
std::vector<plot::Upright> length_marks(const std::vector<FitResult>& fits) {
  std::vector<plot::Upright> marks;
  std::set<double> drawn;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const FitResult& fit = fits[i];
    const DecayLaw law = decay_law(fit.encoding, fit.density, fit.head_dim);
    for (const auto& [distance, name] :
         {std::pair{std::uint64_t{1} << 16, "64k"}, std::pair{std::uint64_t{1} << 20, "1M"}}) {
      const double t = law.t_per_scale * law.scale(distance);
      if (t > 0 && drawn.insert(std::round(1e6 * std::log10(t))).second)
        marks.push_back({std::log10(t), i, name});
    }
  }
  return marks;
}

std::string engines(const FitResult& fit) {
  std::string text;
  for (const Engine engine : fit.engines) {
    text += (text.empty() ? "" : " + ") + std::string(to_string(engine));
  }
  return text;
}

std::string interval(const FitNumber& number) {
  const double half = std::max(number.upper - number.value, number.value - number.lower);
  const double size = std::abs(number.value);
  if (half <= 1e-6 * size) return plot::short_number(number.value, 6);
  return fmt::format("{:.4g} in [{:.4g}, {:.4g}]", number.value, number.lower, number.upper);
}

std::string describe(const FitResult& fit) {
  std::string text = fmt::format("{}  ·  {}  ·  D\u00a0=\u00a0{}  ·  engine\u00a0{}",
                                 fit.encoding.spec, fit.density.spec, fit.head_dim, engines(fit));
  if (fit.samples) text += "  ·  n\u00a0=\u00a0" + plot::grouped(*fit.samples);
  if (fit.seed) text += fmt::format(", seed\u00a0{}", *fit.seed);
  text += "  ·  over the window: " + interval(fit.overall);
  if (fit.overall_predicted) {
    text += fmt::format(" (predicted {})", interval(*fit.overall_predicted));
  }
  return text;
}

void add_asymptote(Figure& figure, plot::Panel& panel, const FitResult& fit, std::size_t style) {
  const std::optional<double>& exponent = fit.asymptote.exponent_in_distance;
  if (!exponent) return;
  const bool drawn =
      std::any_of(panel.rules.begin(), panel.rules.end(), [&](const plot::Rule& rule) {
        return std::abs(rule.y - *exponent) <= 1e-12 * std::abs(*exponent);
      });
  if (drawn) return;
  panel.rules.push_back({*exponent, style});
  figure.legend.push_back(
      {LegendSample::rule, style,
       fmt::format("asymptote {}: {}", plot::short_number(*exponent, 6), fit.asymptote.reason)});
}

}  // namespace

Figure fit_figure(const std::vector<FitResult>& fits, const std::string& title) {
  if (fits.empty()) throw InputError("figure: no fit to draw; accepted: at least one");
  Figure figure;
  figure.title = title.empty() ? "Local decay exponent of the envelope |Φ₁|" : title;
  figure.x_label = "t = 2π s(distance)/√dP (dimensionless)";
  plot::Panel panel;
  panel.y_label = "d ln |Φ₁| / d ln distance";
  for (std::size_t i = 0; i < fits.size(); ++i) {
    panel.series.push_back(local_series(fits[i], i));
    figure.legend.push_back({LegendSample::curve, i, describe(fits[i]), panel.series[i].sampled});
  }
  std::set<double> levels;
  bool predicted = false;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    add_asymptote(figure, panel, fits[i], i);
    predicted = predicted || !panel.series[i].thin.empty();
    if (fits[i].overall.level) levels.insert(*fits[i].overall.level);
  }
  panel.uprights = length_marks(fits);
  plot::Panel residual;
  residual.title =
      "Residual: measured quotient less the predicted one over the same step, logarithmic axis";
  residual.y_label = "|measured − predicted|";
  residual.y_axis = plot::AxisKind::decades;
  bool resolved = false, bounded = false;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    Series series = residual_series(fits[i], i);
    for (const plot::Mark& mark : series.marks) (mark.upper_bound ? bounded : resolved) = true;
    if (!series.marks.empty()) residual.series.push_back(std::move(series));
  }
  const bool marked = !panel.uprights.empty();
  figure.panels.push_back(std::move(panel));
  if (resolved || bounded) figure.panels.push_back(std::move(residual));
  std::string caption =
      "Markers: difference quotients between neighbouring distances, at the geometric mean of t.";
  for (const double level : levels) {
    caption += fmt::format(" Bars: {:g}% confidence intervals.", 100 * level);
  }
  if (levels.empty())
    caption += " Their errors are bounds, narrower than the markers if no bar shows.";
  if (predicted) caption += " Dotted: the predicted exponent at finite distance.";
  if (marked)
    caption +=
        " Upright lines, in the style of the first curve that they hold for: 65,536 (64k) and "
        "1,048,576 (1M) tokens.";
  if (bounded)
    caption += " Arrows in the lower panel: 0 lies within the errors; they start at the bound.";
  if (resolved) caption += " Lower panel: filled above the prediction, hollow below.";
  for (const FitResult& fit : fits) {
    if (fit.asymptote.exponent_in_distance) continue;
    caption += fmt::format(" Asymptote of {}: {}.", fit.encoding.spec, fit.asymptote.reason);
  }
  figure.caption.push_back(caption);
  return figure;
}

void plot_fits(const std::vector<FitResult>& fits, const std::string& file,
               const std::string& title) {
  plot::draw(fit_figure(fits, title), file);
}

}  // namespace tapalab
