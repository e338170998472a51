#include "analysis/plot/layout.hpp"

#include <algorithm>

#include "analysis/plot/text.hpp"

namespace tapalab::plot {
namespace {

constexpr double kWidth = 900;
constexpr double kLeft = 96, kRight = 24;
constexpr double kSampleWidth = 46;
/// Wider than the average glyph of the widest usual sans-serif (DejaVu Sans): fonts differ between
/// viewers, and text must stay on the page in each.
constexpr double kGlyph = 0.57;

std::size_t characters(double width, int size) {
  return static_cast<std::size_t>(width / (kGlyph * size));
}

}  // namespace

Layout lay_out(const Figure& figure) {
  Layout layout;
  layout.width = kWidth;
  layout.y_label_x = 22;
  double y = 26;
  for (const std::string& line : wrap_text(figure.title, characters(kWidth - 40, 15))) {
    layout.texts.push_back({kWidth / 2, y, true, 15, "111111", line});
    y += 20;
  }
  const double panel_height = figure.panels.size() == 1 ? 400 : 260;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    if (!panel.title.empty()) {
      y += 4;
      for (const std::string& line :
           wrap_text(panel.title, characters(kWidth - kLeft - kRight, 12))) {
        layout.texts.push_back({kLeft, y, false, 12, "333333", line});
        y += 16;
      }
      y -= 4;
    }
    layout.panels.push_back({kLeft, kWidth - kRight, y, y + panel_height});
    y += panel_height + 34;
  }
  y += 38;  // x label
  for (std::size_t row = 0; row < figure.legend.size(); ++row) {
    layout.samples.push_back({row, kLeft, kLeft + kSampleWidth, y});
    const double x = kLeft + kSampleWidth + 12;
    for (const std::string& line :
         wrap_text(figure.legend[row].text, characters(kWidth - x - kRight, 11))) {
      layout.texts.push_back({x, y, false, 11, "111111", line});
      y += 16;
    }
    y += 3;
  }
  y += 8;
  for (const std::string& paragraph : figure.caption) {
    for (const std::string& line : wrap_text(paragraph, characters(kWidth - kLeft - kRight, 10))) {
      layout.texts.push_back({kLeft, y, false, 10, "444444", line});
      y += 15;
    }
    y += 3;
  }
  layout.height = y + 6;
  return layout;
}

}  // namespace tapalab::plot
