#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "analysis/plot/axis.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/plot/layout.hpp"
#include "analysis/plot/render.hpp"
#include "analysis/plot/series_script.hpp"
#include "analysis/plot/style.hpp"
#include "analysis/plot/text.hpp"

namespace tapalab::plot {
namespace {

/// Pixels from the upper left corner to gnuplot's screen coordinates, which start lower left.
std::string at_pixel(const Layout& layout, double x, double y) {
  return fmt::format("screen {:.6f},{:.6f}", x / layout.width, 1 - y / layout.height);
}

void write_texts(std::ostream& out, const Figure& figure, const Layout& layout) {
  for (const TextLine& line : layout.texts) {
    out << "set label " << quoted(line.text) << " at " << at_pixel(layout, line.x, line.y)
        << (line.centred ? " center" : " left") << " noenhanced font '," << line.size << "'"
        << " textcolor rgb '#" << line.colour << "'\n";
  }
  for (const LegendSample& sample : layout.samples) {
    const LegendRow& row = figure.legend[sample.row];
    write_sample(out, row, at_pixel(layout, sample.left, sample.y),
                 at_pixel(layout, sample.right, sample.y),
                 at_pixel(layout, (sample.left + sample.right) / 2, sample.y));
  }
}

void write_ticks(std::ostream& out, char axis, const std::vector<Tick>& ticks, int size) {
  out << "set " << axis << "tics in nomirror scale 0.8,0.4 font '," << size << "' (";
  const char* separator = "";
  for (const Tick& tick : ticks) {
    // Labels of ticks are made here, never given by a user: enhanced text is meant.
    out << separator << '\'' << tick.label << "' " << fmt::format("{:.12g}", tick.at)
        << (tick.label.empty() ? " 1" : "");
    separator = ",";
  }
  out << ")\n";
}

/// The gap in the x axis between distance 0 and the logarithmic part: two strokes over a blank.
void write_break(std::ostream& out, double x, double width) {
  out << fmt::format(
      "set arrow from first {:.9g},graph 0 to first {:.9g},graph 0 nohead front lc rgb 'white' "
      "lw 4\n",
      x - width, x + width);
  for (const double shift : {-width, width}) {
    out << fmt::format(
        "set arrow from first {:.9g},graph -0.014 to first {:.9g},graph 0.014 nohead front lc rgb "
        "'#444444' lw 1\n",
        x + shift - width * 0.6, x + shift + width * 0.6);
  }
}

/// What a page of this width has room for.
struct PageRoom {
  int x_ticks, y_ticks, tick_size;
  double markers;
};
PageRoom room_of(PageWidth width) {
  return width == PageWidth::phone ? PageRoom{5, 6, 10, 28} : PageRoom{10, 8, 11, 64};
}

struct XAxis {
  Range range;
  std::vector<Tick> ticks;
  std::optional<double> gap;
};

XAxis x_axis(const Figure& figure, int most) {
  XAxis axis;
  if (figure.x_span) axis.range = {figure.x_span->x, figure.x_span->y};
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      for (const Mark& mark : series.marks) {
        if (!mark.at_zero) axis.range.include(mark.x);
      }
    }
  }
  const bool only_zero = axis.range.empty();
  if (only_zero) axis.range.include(figure.zero_slot.value_or(0) + 0.5);
  if (axis.range.span() < 1e-9) {
    axis.range = {axis.range.low - 0.4, axis.range.high + 0.4};
  }
  Range decades = axis.range;
  const double pad = 0.03 * axis.range.span();
  decades.high += pad;
  decades.low -= pad;
  if (!only_zero)
    axis.ticks =
        figure.x_axis == AxisKind::plain ? plain_ticks(decades, most) : decade_ticks(decades, most);
  if (figure.zero_slot) {
    std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.at < decades.low + 0.99 * pad; });
  }
  axis.range = decades;
  if (figure.zero_slot) {
    axis.ticks.push_back({*figure.zero_slot, "0"});
    axis.range.include(*figure.zero_slot);
    axis.range.low -= pad;
    if (!only_zero)
      axis.gap = (*figure.zero_slot + decades.low) / 2;
    else
      axis.range = {*figure.zero_slot - 1, *figure.zero_slot + 1};
  }
  return axis;
}

/// Each line with its name above the panel, a row for each style.
void write_uprights(std::ostream& out, const Panel& panel, const Layout& layout, const Box& box,
                    const Range& x) {
  const std::vector<std::size_t> rows = upright_rows(panel);
  for (const Upright& upright : panel.uprights) {
    if (upright.x < x.low || upright.x > x.high) continue;
    const double share = (upright.x - x.low) / x.span();
    const auto row = std::find(rows.begin(), rows.end(), upright.style) - rows.begin();
    const double at = box.left + share * (box.right - box.left),
                 name = box.top - 7 - kUprightRow * static_cast<double>(row);
    out << "set arrow from " << at_pixel(layout, at, box.bottom) << " to "
        << at_pixel(layout, at, name + 6) << " nohead back lw 1 dt " << dash(upright.style + 1)
        << " lc rgb '#" << colour(upright.style) << "'\n"
        << "set label " << quoted(upright.text) << " at " << at_pixel(layout, at, name)
        << " center noenhanced font ',10' textcolor rgb '#" << colour(upright.style) << "'\n";
  }
}

void write_panel(std::ostream& out, const Figure& figure, const Layout& layout, std::size_t index,
                 const XAxis& x, const PageRoom& room) {
  const Panel& panel = figure.panels[index];
  const Box& box = layout.panels[index];
  const Range y = panel_range(panel);
  const bool last = index + 1 == figure.panels.size();
  out << fmt::format("set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n",
                     box.left / layout.width, box.right / layout.width)
      << fmt::format("set tmargin at screen {:.6f}\nset bmargin at screen {:.6f}\n",
                     1 - box.top / layout.height, 1 - box.bottom / layout.height)
      << fmt::format("set xrange [{:.12g}:{:.12g}]\nset yrange [{:.15g}:{:.15g}]\n", x.range.low,
                     x.range.high, y.low, y.high);
  write_ticks(out, 'x', x.ticks, room.tick_size);
  write_ticks(out, 'y',
              panel.y_axis == AxisKind::decades ? decade_ticks(y, room.y_ticks)
                                                : plain_ticks(y, room.y_ticks - 1),
              room.tick_size);
  if (layout.y_label_x)
    out << "set label " << quoted(panel.y_label) << " at "
        << at_pixel(layout, *layout.y_label_x, (box.top + box.bottom) / 2)
        << " center rotate by 90 noenhanced font ',12'\n";
  if (last) {
    out << "set xlabel " << quoted(figure.x_label) << " noenhanced font ',12' offset 0,0.3\n";
  } else {
    out << "unset xlabel\n";
  }
  if (x.gap) write_break(out, *x.gap, 0.0035 * x.range.span());
  if (panel.zero_line) {
    out << "set arrow from graph 0,first 0 to graph 1,first 0 nohead back lc rgb '#777777' lw 1\n";
  }
  write_uprights(out, panel, layout, box, x.range);
  write_series(out, panel, x.range, y, room.markers);
  out << "unset arrow\nunset label\n";
}

}  // namespace

void draw(const Figure& figure, const std::string& file, PageWidth width) {
  const Format format = format_of(file);
  const Layout layout = lay_out(figure, width);
  const PageRoom room = room_of(width);
  const XAxis x = x_axis(figure, room.x_ticks);
  render(file, [&](std::ostream& out) {
    out << terminal_commands(format, layout.width, layout.height)
        << "set multiplot\nunset key\n"
           "set border 3 lc rgb '#444444' lw 1\n"
           "set grid xtics ytics back lt 1 lc rgb '#e4e4e4' lw 0.6\n"
           "set style fill solid 1.0 noborder\n";
    write_texts(out, figure, layout);
    for (std::size_t i = 0; i < figure.panels.size(); ++i)
      write_panel(out, figure, layout, i, x, room);
    out << "unset multiplot\n";
  });
}

}  // namespace tapalab::plot
