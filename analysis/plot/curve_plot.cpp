#include "analysis/plot/curve_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/plot/curve_series.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/plot/text.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

using plot::AxisKind;
using plot::DistanceAxis;
using plot::Figure;
using plot::Panel;
using plot::Series;
using LegendSample = plot::LegendRow::Sample;

constexpr const char* kDistanceLabel = "distance |m − n| (tokens)";

bool is_rotary(const DistanceCurve& curve) { return is_rotary(curve.encoding.law); }

struct Spread {
  double low = INFINITY, high = -INFINITY;
  std::size_t zeros = 0, values = 0;
  double decades() const { return high > low ? high - low : 0; }
};

void take_in(Spread& spread, const DistanceCurve& curve, plot::QuantityOf quantity) {
  for (const CurvePoint& point : curve.points) {
    const std::optional<Quantity>& value = point.*quantity;
    if (!value) continue;
    ++spread.values;
    spread.zeros += value->estimate.sign() == 0 ? 1 : 0;
    const double size = plot::fast_log10_abs(value->estimate);
    if (!std::isfinite(size)) continue;
    spread.low = std::min(spread.low, size);
    spread.high = std::max(spread.high, size);
  }
}

struct Shown {
  bool envelope = false, negative = false, positive = false, arrow = false, decades = false;
  bool sampled_plain = false;
  std::size_t left_out = 0;
};

/// A line needs two neighbours; a lone vertex draws nothing.
bool is_visible(const std::vector<plot::Vertex>& line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (!std::isnan(line[i - 1].y) && !std::isnan(line[i].y)) return true;
  }
  return false;
}

void note(Shown& shown, const Panel& panel) {
  if (panel.y_axis != AxisKind::decades) {
    for (const Series& series : panel.series) {
      shown.sampled_plain = shown.sampled_plain || series.sampled;
    }
    return;
  }
  shown.decades = true;
  for (const Series& series : panel.series) {
    shown.envelope = shown.envelope || is_visible(series.thin);
    for (const plot::Mark& mark : series.marks) {
      // An arrow has no sign.
      (mark.upper_bound ? shown.arrow : mark.filled ? shown.positive : shown.negative) = true;
    }
  }
}

Series make_series(const DistanceCurve& curve, std::size_t style, plot::QuantityOf quantity,
                   AxisKind axis, const DistanceAxis& x, std::size_t& left_out) {
  Series series;
  series.style = style;
  series.sampled = std::any_of(curve.points.begin(), curve.points.end(),
                               [](const CurvePoint& p) { return plot::is_sampling(p.engine); });
  series.marks = plot::marks_of(curve, quantity, axis, x, left_out);
  // On a plain axis the fill is free to tell sampled from computed; in decades it is the sign.
  if (axis == AxisKind::plain) {
    for (plot::Mark& mark : series.marks) mark.filled = !series.sampled;
  }
  return series;
}

void add_legend(Figure& figure, const std::vector<DistanceCurve>& curves) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    figure.legend.push_back({LegendSample::curve, i, plot::describe(curves[i])});
  }
}

std::string sentence(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

void add_marker_caption(std::vector<std::string>& parts, const Shown& shown, const char* what) {
  if (shown.negative || shown.positive) {
    if (shown.decades) {
      parts.push_back(fmt::format(
          "On logarithmic axes filled markers: {0} positive; hollow: {0} negative.", what));
    }
  }
  if (shown.sampled_plain) parts.push_back("On plain axes hollow markers are sampled.");
  if (shown.arrow) {
    parts.push_back(
        "Arrows: the interval contains 0; they start at the upper bound of the magnitude.");
  }
  if (shown.left_out > 0) {
    parts.push_back(fmt::format(
        "Values of exactly 0 have no place on a logarithmic axis: {} left out.", shown.left_out));
  }
}

void add_references(Figure& figure, Panel& panel, const std::vector<PlotReference>& references,
                    std::size_t first_style, const DistanceAxis& x) {
  for (std::size_t i = 0; i < references.size(); ++i) {
    plot::Reference line;
    line.style = first_style + i;
    for (const PlotReference::Point& point : references[i].points) {
      if (point.distance == 0) continue;
      const double y = panel.y_axis == AxisKind::decades ? plot::fast_log10_abs(point.value)
                                                         : point.value.value();
      if (std::isfinite(y)) line.line.push_back({x.position(point.distance), y});
    }
    panel.references.push_back(std::move(line));
    figure.legend.push_back({LegendSample::reference, first_style + i, references[i].label});
  }
}

Figure bias_figure(const std::vector<DistanceCurve>& curves, const PlotOptions& options) {
  const DistanceAxis x = plot::distance_axis(curves);
  Figure figure;
  figure.title = options.title.empty() ? "Mean score (bias) against distance" : options.title;
  figure.x_label = kDistanceLabel;
  figure.zero_slot = x.zero_slot;
  add_legend(figure, curves);

  Spread phase_spread;
  std::size_t rotary = 0;
  for (const DistanceCurve& curve : curves) {
    if (is_rotary(curve))
      ++rotary;
    else
      take_in(phase_spread, curve, &CurvePoint::mean);
  }
  const bool mixed = rotary > 0 && rotary < curves.size();
  const auto axis_of = [&](bool rotary_panel) {
    if (options.scale == PlotScale::linear) return AxisKind::plain;
    if (options.scale == PlotScale::log) return AxisKind::decades;
    const bool wide = phase_spread.decades() > 1.3;  // a factor of 20
    return !rotary_panel && wide ? AxisKind::decades : AxisKind::plain;
  };
  Shown shown;
  for (const bool rotary_panel : {true, false}) {
    if (rotary_panel ? rotary == 0 : rotary == curves.size()) continue;
    Panel panel;
    panel.y_axis = axis_of(rotary_panel);
    const bool decades = panel.y_axis == AxisKind::decades;
    panel.zero_line = !decades;
    panel.y_label = decades ? "|mean score| (logits)" : "mean score (logits)";
    if (mixed) {
      panel.title = fmt::format("{}, {}", rotary_panel ? "Rotary encodings" : "Phase scores",
                                decades ? "magnitude, logarithmic axis" : "linear axis");
    }
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (is_rotary(curves[i]) != rotary_panel) continue;
      Series series = make_series(curves[i], i, &CurvePoint::mean, panel.y_axis, x, shown.left_out);
      if (decades && !rotary_panel) series.thin = plot::envelope_of(curves[i], panel.y_axis, x);
      figure.legend[i].hollow = series.sampled && !decades;
      panel.series.push_back(std::move(series));
    }
    if (!rotary_panel) add_references(figure, panel, options.references, curves.size(), x);
    note(shown, panel);
    figure.panels.push_back(std::move(panel));
  }
  std::vector<std::string> parts;
  add_marker_caption(parts, shown, "mean");
  if (shown.envelope) parts.push_back("Dotted: envelope |Φ₁|, of which the mean is the real part.");
  for (std::string& part : plot::describe_errors(curves, &CurvePoint::mean)) {
    parts.push_back(std::move(part));
  }
  parts.push_back("Lines join the computed distances; between them the mean may oscillate.");
  figure.caption.push_back(sentence(parts));
  return figure;
}

/// E[a^2]/2 = variance - excess, taken where the excess is smallest.
std::optional<LogNumber> limit_variance(const DistanceCurve& curve) {
  std::optional<LogNumber> limit;
  Wide smallest = 0;
  for (const CurvePoint& point : curve.points) {
    if (!point.variance || !point.variance_excess) continue;
    if (point.variance_excess->error.kind == ErrorKind::confidence) continue;
    const Wide size = abs(point.variance_excess->estimate.wide());
    if (limit && size >= smallest) continue;
    smallest = size;
    limit = LogNumber(point.variance->estimate.wide() - point.variance_excess->estimate.wide());
  }
  return limit;
}

void add_limits(Figure& figure, Panel& panel, const std::vector<DistanceCurve>& curves) {
  std::vector<double> seen;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::optional<LogNumber> limit = limit_variance(curves[i]);
    if (!limit) continue;
    const double value = limit->value();
    const bool known = std::any_of(seen.begin(), seen.end(), [&](double other) {
      return std::abs(other - value) <= 1e-9 * std::abs(value);
    });
    if (known) continue;
    seen.push_back(value);
    const double y = panel.y_axis == AxisKind::decades ? plot::fast_log10_abs(*limit) : value;
    if (!std::isfinite(y)) continue;
    panel.rules.push_back({y, i});
    figure.legend.push_back({LegendSample::rule, i,
                             "limit E a²/2 = " + plot::short_number(value, 6) + " of " +
                                 curves[i].encoding.spec + " · " + curves[i].density.spec});
  }
}

Figure variance_figure(const std::vector<DistanceCurve>& curves, const PlotOptions& options) {
  const DistanceAxis x = plot::distance_axis(curves);
  Figure figure;
  figure.title = options.title.empty() ? "Variance of the score against distance" : options.title;
  figure.x_label = kDistanceLabel;
  figure.zero_slot = x.zero_slot;
  add_legend(figure, curves);

  Spread spread;
  for (const DistanceCurve& curve : curves) take_in(spread, curve, &CurvePoint::variance);
  Panel variance;
  const bool decades = options.scale == PlotScale::log ||
                       (options.scale == PlotScale::automatic && spread.decades() > 2);
  variance.y_axis = decades ? AxisKind::decades : AxisKind::plain;
  variance.y_label = "Var score (logits²)";
  Shown ignored;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    variance.series.push_back(
        make_series(curves[i], i, &CurvePoint::variance, variance.y_axis, x, ignored.left_out));
    figure.legend[i].hollow = variance.series.back().sampled && !decades;
  }
  add_limits(figure, variance, curves);
  // A variance has a natural origin: differences that reach a good part of the way to it are drawn
  // from it, so that the eye compares sizes and not a cut axis.
  variance.zero_base = !decades && spread.decades() > 0.1;

  Shown shown;
  Panel excess;
  excess.y_axis = AxisKind::decades;
  excess.y_label = "|excess| (logits²)";
  excess.title = "Excess of the variance over its limit, Var − E a²/2: magnitude, logarithmic axis";
  bool any = false;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    Series series =
        make_series(curves[i], i, &CurvePoint::variance_excess, excess.y_axis, x, shown.left_out);
    any = any || !series.marks.empty();
    excess.series.push_back(std::move(series));
  }
  note(shown, variance);
  shown.positive = shown.negative = false;  // a variance has no sign to explain
  if (any) note(shown, excess);
  figure.panels.push_back(std::move(variance));
  if (any) figure.panels.push_back(std::move(excess));
  std::vector<std::string> parts;
  add_marker_caption(parts, shown, "excess");
  for (const bool excess_panel : {false, true}) {
    if (excess_panel && !any) continue;
    const auto quantity = excess_panel ? &CurvePoint::variance_excess : &CurvePoint::variance;
    for (std::string& part : plot::describe_errors(curves, quantity)) {
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
        parts.push_back(std::move(part));
      }
    }
  }
  parts.push_back("Lines join the computed distances.");
  figure.caption.push_back(sentence(parts));
  return figure;
}

}  // namespace

Figure curve_figure(const std::vector<DistanceCurve>& curves, PlotQuantity quantity,
                    const PlotOptions& options) {
  const bool bias = quantity == PlotQuantity::bias;
  Spread spread;
  for (const DistanceCurve& curve : curves) {
    take_in(spread, curve, bias ? &CurvePoint::mean : &CurvePoint::variance);
  }
  if (spread.values == 0) {
    throw InputError(fmt::format("figure: no curve holds a {}; accepted: curves with at least one",
                                 bias ? "mean" : "variance"));
  }
  return bias ? bias_figure(curves, options) : variance_figure(curves, options);
}

void plot_curves(const std::vector<DistanceCurve>& curves, PlotQuantity quantity,
                 const std::string& file, const PlotOptions& options) {
  plot::draw(curve_figure(curves, quantity, options), file);
}

}  // namespace tapalab
