#include "analysis/crosscheck/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/crosscheck/writers.hpp"
#include "analysis/plot/figure.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

using LegendSample = plot::LegendRow::Sample;

std::vector<const CrosscheckPoint*> drawn_points(const ScoreCheck& check) {
  std::vector<const CrosscheckPoint*> points;
  for (const CrosscheckPoint& point : check.points) {
    if (point.distance > 0 && point.offset == check.points.front().offset) points.push_back(&point);
  }
  std::sort(points.begin(), points.end(),
            [](const auto* a, const auto* b) { return a->distance < b->distance; });
  return points;
}

double log_distance(const CrosscheckPoint& point) {
  return std::log10(static_cast<double>(point.distance));
}

// Draws the curves of one check; false where a phase without error left nothing to draw.
bool add_check(plot::Panel& panel, const ScoreCheck& check, std::size_t style) {
  plot::Series series;
  series.style = style;
  series.connected = false;
  plot::Reference worst{{}, style};
  for (const CrosscheckPoint* point : drawn_points(check)) {
    const double x = log_distance(*point);
    if (point->phase_error > 0) {
      const double y = std::log10(point->phase_error);
      series.marks.push_back({x, y, y, y});
    }
    if (point->phase_bound > 0) series.thin.push_back({x, std::log10(point->phase_bound)});
    if (point->phase_worst_case > 0) worst.line.push_back({x, std::log10(point->phase_worst_case)});
  }
  const bool drawn = !series.marks.empty();
  if (check.horizon && check.horizon->safe && check.horizon->next && !worst.line.empty()) {
    const double x = std::log10(static_cast<double>(*check.horizon->safe));
    double low = std::log10(0.5);
    for (const plot::Vertex& vertex : worst.line) low = std::min(low, vertex.y);
    panel.references.push_back({{{x, low}, {x, std::log10(check.horizon->turns)}}, style});
  }
  panel.series.push_back(std::move(series));
  panel.references.push_back(std::move(worst));
  return drawn;
}

std::vector<Precisions> panels_of(const std::vector<ScoreCheck>& checks) {
  std::vector<Precisions> panels;
  for (const ScoreCheck& check : checks) {
    if (std::find(panels.begin(), panels.end(), check.precisions) == panels.end()) {
      panels.push_back(check.precisions);
    }
  }
  return panels;
}

}  // namespace

plot::Figure crosscheck_figure(const std::vector<ScoreCheck>& checks) {
  plot::Figure figure;
  figure.title = "Phase error of attention kernels against distance";
  figure.x_label = "distance (tokens)";
  std::vector<std::string> encodings;
  bool drawn = false;
  for (const Precisions& precisions : panels_of(checks)) {
    plot::Panel panel;
    panel.y_label = "phase error (turns)";
    panel.y_axis = plot::AxisKind::decades;
    for (const ScoreCheck& check : checks) {
      if (!(check.precisions == precisions)) continue;
      const auto found = std::find(encodings.begin(), encodings.end(), check.encoding.spec);
      const auto style = static_cast<std::size_t>(found - encodings.begin());
      if (found == encodings.end()) encodings.push_back(check.encoding.spec);
      panel.title = fmt::format("{}:  {}", precision_name(check.dtype), to_text(precisions));
      drawn = add_check(panel, check, style) || drawn;
    }
    if (!checks.empty() && checks.front().horizon) {
      panel.rules.push_back({std::log10(checks.front().horizon->turns), 6});
    }
    figure.panels.push_back(std::move(panel));
  }
  if (!drawn) {
    throw InputError("--plot: no phase error to draw; accepted: a distance above 0");
  }
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    std::string text = encodings[i];
    for (const ScoreCheck& check : checks) {
      if (check.encoding.spec != encodings[i] || !check.horizon) continue;
      text += fmt::format("  ·  {} horizon {}", precision_name(check.dtype),
                          horizon_text(*check.horizon));
    }
    figure.legend.push_back({LegendSample::marks, i, text});
  }
  if (!checks.empty() && checks.front().horizon) {
    figure.legend.push_back(
        {LegendSample::rule, 6,
         fmt::format("{:g} turns, the limit of the horizon", checks.front().horizon->turns)});
  }
  const ScoreCheck& first = checks.front();
  figure.caption.push_back(fmt::format(
      "Markers: largest phase error over {} samples of {} at head dimension {} (rotary: over the "
      "pairs of coordinates), modulo a turn. Dotted: the running bound of it, at most half a turn. "
      "Dash-dotted: what any distance of that size permits, and where it meets the limit.",
      first.samples, first.density.spec, first.head_dim));
  return figure;
}

void plot_crosscheck(const std::vector<ScoreCheck>& checks, const std::string& file) {
  plot::draw(crosscheck_figure(checks), file);
}

}  // namespace tapalab
