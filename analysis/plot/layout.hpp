// Where things stand on the page: title, panels, legend and caption each have room of their own,
// so that no text lies over data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plot/figure.hpp"

namespace tapalab::plot {

/// Pixels from the upper left corner.
struct Box {
  double left = 0, right = 0, top = 0, bottom = 0;
};

struct TextLine {
  double x = 0, y = 0;
  bool centred = false;
  int size = 11;
  std::string colour;
  std::string text;
};

struct LegendSample {
  std::size_t row = 0;
  double left = 0, right = 0, y = 0;
};

struct Layout {
  double width = 0, height = 0;
  std::optional<double> y_label_x;  ///< middle of the upright y labels; else they are among `texts`
  std::vector<Box> panels;
  std::vector<TextLine> texts;
  std::vector<LegendSample> samples;
};

/// Pixels between rows of the names of uprights.
inline constexpr double kUprightRow = 13;
/// Styles of a panel's uprights in order of appearance: their rows, from the lowest up.
std::vector<std::size_t> upright_rows(const Panel& panel);

Layout lay_out(const Figure& figure, PageWidth width = PageWidth::desk);

}  // namespace tapalab::plot
