#include "analysis/plot/layout.hpp"

#include <algorithm>

#include "analysis/plot/text.hpp"

namespace tapalab::plot {
namespace {

/// Pixels. A phone's page is about 330 wide: there the figure is drawn nearly as it is shown.
struct PageSizes {
  double width, left, right;
  double caption_left, sample_width;
  double one_panel, of_several;  ///< heights
  int title_size;
};
constexpr PageSizes kDesk = {900, 96, 24, 96, 46, 400, 260, 15};
constexpr PageSizes kPhone = {360, 46, 10, 8, 30, 250, 190, 13};

/// Wider than the average glyph of the widest usual sans-serif (DejaVu Sans): fonts differ between
/// viewers, and text must stay on the page in each.
constexpr double kGlyph = 0.57;

std::size_t characters(double width, int size) {
  return static_cast<std::size_t>(width / (kGlyph * size));
}

}  // namespace

std::vector<std::size_t> upright_rows(const Panel& panel) {
  std::vector<std::size_t> rows;
  for (const Upright& upright : panel.uprights)
    if (std::find(rows.begin(), rows.end(), upright.style) == rows.end())
      rows.push_back(upright.style);
  return rows;
}

Layout lay_out(const Figure& figure, PageWidth page_width) {
  const bool phone = page_width == PageWidth::phone;
  const PageSizes& page = phone ? kPhone : kDesk;
  Layout layout;
  layout.width = page.width;
  if (!phone) layout.y_label_x = 22;
  double y = 26;
  for (const std::string& line :
       wrap_text(figure.title, characters(page.width - (phone ? 16 : 40), page.title_size))) {
    layout.texts.push_back({page.width / 2, y, true, page.title_size, "111111", line});
    y += 20;
  }
  const double panel_height = figure.panels.size() == 1 ? page.one_panel : page.of_several;
  for (const Panel& panel : figure.panels) {
    const auto above = [&](const std::string& text, int size, const char* shade) {
      if (text.empty()) return;
      y += 4;
      const double left = phone ? page.caption_left : page.left;
      for (const std::string& line :
           wrap_text(text, characters(page.width - left - page.right, size))) {
        layout.texts.push_back({left, y, false, size, shade, line});
        y += 16;
      }
      y -= 4;
    };
    above(panel.title, phone ? 11 : 12, "333333");
    if (phone) above(panel.y_label, 11, "111111");
    y += kUprightRow * static_cast<double>(upright_rows(panel).size());
    layout.panels.push_back({page.left, page.width - page.right, y, y + panel_height});
    y += panel_height + 34;
  }
  y += phone ? 30 : 38;  // x label
  for (std::size_t row = 0; row < figure.legend.size(); ++row) {
    const double left = page.caption_left;
    layout.samples.push_back({row, left, left + page.sample_width, y});
    const double x = left + page.sample_width + 12;
    for (const std::string& line :
         wrap_text(figure.legend[row].text, characters(page.width - x - page.right, 11))) {
      layout.texts.push_back({x, y, false, 11, "111111", line});
      y += 16;
    }
    y += 3;
  }
  y += 8;
  for (const std::string& paragraph : figure.caption) {
    for (const std::string& line :
         wrap_text(paragraph, characters(page.width - page.caption_left - page.right, 10))) {
      layout.texts.push_back({page.caption_left, y, false, 10, "444444", line});
      y += 15;
    }
    y += 3;
  }
  layout.height = y + 6;
  return layout;
}

}  // namespace tapalab::plot
