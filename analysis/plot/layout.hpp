// Where things stand on the page: title, panels, legend and caption each have room of their own,
// so that no text lies over data.
#pragma once

#include <cstddef>
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
  double y_label_x = 0;  ///< middle of the y labels
  std::vector<Box> panels;
  std::vector<TextLine> texts;
  std::vector<LegendSample> samples;
};

Layout lay_out(const Figure& figure);

}  // namespace tapalab::plot
