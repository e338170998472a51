// A figure as a value: what is drawn, in the units of its axes. Building one is separate from
// drawing one, so that what a figure shows can be tested without looking at it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tapalab::plot {

struct Vertex {
  double x = 0;
  double y = 0;
};

/// One point with its interval. y, low and high in the units of the panel: for a panel in decades
/// log10 of the magnitude.
struct Mark {
  double x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
  bool filled = true;        ///< filled marker, else hollow
  bool upper_bound = false;  ///< no resolved value: an arrow down from `high`
  bool at_zero = false;      ///< stands at the zero slot, left of the axis' break
};

/// One curve in one panel. Marks lie in the order of x; the mark at the axis' zero slot, if any, is
/// first.
struct Series {
  std::size_t style = 0;  ///< colour, marker and dash; see style.hpp
  std::vector<Mark> marks;
  std::vector<Vertex> thin;  ///< thin dotted line: envelope or prediction
  bool bars = false;         ///< intervals as bars, else as a shaded band
  bool connected = true;     ///< join the marks
  bool sampled = false;      ///< drawn below the others, with larger markers
};

/// A horizontal line across the panel.
struct Rule {
  double y = 0;
  std::size_t style = 0;
};

/// A vertical line across the panel, named above it; lines of one style are named in one row.
struct Upright {
  double x = 0;
  std::size_t style = 0;
  std::string text;
};

/// A line of its own: a bound, a prediction.
struct Reference {
  std::vector<Vertex> line;
  std::size_t style = 0;
};

/// Decades: the axis holds log10 values and its ticks read as powers of ten.
enum class AxisKind { plain, decades };

struct Panel {
  std::string title;  ///< may be empty
  std::string y_label;
  AxisKind y_axis = AxisKind::plain;
  bool zero_line = false;
  bool zero_base = false;  ///< a plain axis of positive values begins at 0
  std::vector<Series> series;
  std::vector<Rule> rules;
  std::vector<Reference> references;
  std::vector<Upright> uprights;  ///< drawn where they lie within the x axis
};

struct LegendRow {
  enum class Sample { curve, marks, rule, reference };  ///< marks: points without a line
  Sample sample = Sample::curve;
  std::size_t style = 0;
  std::string text;
  bool hollow = false;  ///< the sample's marker
};

/// All panels share the x axis, in decades of distance unless told otherwise; `zero_slot` is where
/// x = 0 stands, left of a break.
struct Figure {
  std::string title;
  std::string x_label;
  AxisKind x_axis = AxisKind::decades;
  std::optional<double> zero_slot;
  std::optional<Vertex> x_span{};  ///< the x axis reaches from x to y at least
  std::vector<Panel> panels;
  std::vector<LegendRow> legend;
  std::vector<std::string> caption;  ///< paragraphs
};

/// How wide the page is: text has the same size on both, so that it can be read on either.
enum class PageWidth { desk, phone };

/// Writes the figure to `file` (.svg, .png, .pdf). Throws as render() does.
void draw(const Figure& figure, const std::string& file, PageWidth width = PageWidth::desk);

}  // namespace tapalab::plot
