#include "analysis/plot/series_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "analysis/plot/style.hpp"

namespace tapalab::plot {
namespace {

constexpr std::size_t kColumns = 1500;
constexpr double kMarkers = 64;

/// One plot element: a data block and how it is drawn.
struct Element {
  std::string rows;
  std::string style;
};

class Elements {
 public:
  void add(std::string rows, std::string style) {
    if (!rows.empty()) elements_.push_back({std::move(rows), std::move(style)});
  }
  void write(std::ostream& out) const {
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      out << "$d" << i << " << EOD\n" << elements_[i].rows << "EOD\n";
    }
    if (elements_.empty()) {
      out << "plot NaN notitle\n";
      return;
    }
    const char* separator = "plot ";
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      out << separator << "$d" << i << ' ' << elements_[i].style << " notitle";
      separator = ", \\\n  ";
    }
    out << '\n';
  }

 private:
  std::vector<Element> elements_;
};

std::string row(std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{:.12g} ", value);
  text.back() = '\n';
  return text;
}

std::string rows(const std::vector<Vertex>& line) {
  std::string text;
  // A blank line, where y is not a number, lifts the pen.
  for (const Vertex& vertex : line) {
    text += std::isnan(vertex.y) ? "\n" : row({vertex.x, vertex.y});
  }
  return text;
}

/// Pixel columns over the axis. Breaks within one column of a long curve cannot be seen, and are
/// left out so that what is sent stays bounded.
class Columns {
 public:
  Columns(const Series& series, const Range& x)
      : x_(x), dense_(series.marks.size() > 4 * kColumns) {}
  bool hide_break(double a, double b) const { return dense_ && column(a) == column(b); }

 private:
  double column(double at) const {
    return std::floor((at - x_.low) / x_.span() * static_cast<double>(kColumns));
  }
  Range x_;
  bool dense_;
};

constexpr double kLift = std::numeric_limits<double>::quiet_NaN();

/// True where the pen must be lifted between two marks: at the axis break, at arrows, and, in the
/// eyes of a band over magnitudes, at a change of sign.
bool broken(const Mark& a, const Mark& b, bool signs) {
  return a.at_zero || a.upper_bound || b.upper_bound || (signs && a.filled != b.filled);
}

std::vector<Vertex> joined(const Series& series, const Range& x) {
  const Columns columns(series, x);
  std::vector<Vertex> line;
  const Mark* previous = nullptr;  // the mark that the line ends in
  bool gap = false;                // arrows stood between
  for (const Mark& mark : series.marks) {
    if (mark.upper_bound) {
      gap = true;
      continue;
    }
    if (previous != nullptr && (gap || broken(*previous, mark, false)) &&
        !columns.hide_break(previous->x, mark.x)) {
      line.push_back({mark.x, kLift});
    }
    line.push_back({mark.x, mark.y});
    previous = &mark;
    gap = false;
  }
  return line;
}

/// Upper and lower edge of the band, run by run; runs of one mark are left to bars.
std::string band_rows(const Series& series, bool signs, const Range& x, const Range& y) {
  const Columns columns(series, x);
  std::string text;
  std::vector<Vertex> low, high;
  const auto flush = [&] {
    if (low.size() > 1) {
      const auto under = thinned(low, x, kColumns), over = thinned(high, x, kColumns);
      // A closed outline: along the upper edge and back along the lower one.
      for (const Vertex& v : over) text += row({v.x, v.y});
      for (auto v = under.rbegin(); v != under.rend(); ++v) text += row({v->x, v->y});
      text += "\n\n";
    }
    low.clear();
    high.clear();
  };
  const Mark* previous = nullptr;
  for (const Mark& mark : series.marks) {
    if (previous != nullptr && broken(*previous, mark, signs) &&
        !columns.hide_break(previous->x, mark.x)) {
      flush();
    }
    if (!mark.upper_bound) {
      low.push_back({mark.x, std::clamp(mark.low, y.low, y.high)});
      high.push_back({mark.x, std::clamp(mark.high, y.low, y.high)});
    }
    previous = &mark;
  }
  flush();
  return text;
}

/// A regular part of the marks, about `most` over the axis; never more.
std::vector<Mark> chosen(const std::vector<Mark>& marks, const Range& x, double most) {
  if (static_cast<double>(marks.size()) <= most) return marks;
  std::vector<Mark> result;
  double next = -std::numeric_limits<double>::infinity();
  for (const Mark& mark : marks) {
    if (mark.x < next) continue;
    result.push_back(mark);
    next = mark.x + x.span() / most;
  }
  return result;
}

void add_series(Elements& elements, const Panel& panel, const Series& series, const Range& x,
                const Range& y, double markers) {
  const std::string& hue = colour(series.style);
  const Marker shape = marker(series.style);
  const double size = shape.size * (series.sampled ? 1.45 : 1);
  const bool signs = panel.y_axis == AxisKind::decades;
  if (!series.bars) {
    elements.add(
        band_rows(series, signs, x, y),
        fmt::format("using 1:2 with filledcurves closed fs transparent solid 0.20 noborder "
                    "lc rgb '#{}'",
                    hue));
  }
  elements.add(rows(thinned(series.thin, x, kColumns)),
               fmt::format("using 1:2 with lines lw 1.4 dt (2,3) lc rgb '#{}'", hue));
  if (series.connected) {
    elements.add(
        rows(thinned(joined(series, x), x, kColumns)),
        fmt::format("using 1:2 with lines lw 1.3 dt {} lc rgb '#70{}'", dash(series.style), hue));
  }
  std::string bars, hollow, filled, arrows, caps;
  const double visible = 0.01 * y.span();
  // A line shows what markers leave out; without one each of them counts.
  for (const Mark& mark : chosen(series.marks, x, series.connected ? markers : kMarkers)) {
    if (mark.upper_bound) {
      arrows += row({mark.x, mark.high, 0, -0.045 * y.span()});
      caps += row({mark.x - 0.006 * x.span(), mark.high, 0.012 * x.span(), 0});
      continue;
    }
    const double low = std::clamp(mark.low, y.low, y.high);
    const double high = std::clamp(mark.high, y.low, y.high);
    if (high - low > visible) bars += row({mark.x, low, 0, high - low});
    (mark.filled ? filled : hollow) += row({mark.x, mark.y});
  }
  const std::string solid = fmt::format("lc rgb '#{}'", hue);
  elements.add(bars, "using 1:2:3:4 with vectors nohead lw 1 " + solid);
  elements.add(arrows,
               "using 1:2:3:4 with vectors head size screen 0.006,25 filled lw 1.1 " + solid);
  elements.add(caps, "using 1:2:3:4 with vectors nohead lw 1.1 " + solid);
  elements.add(hollow,
               fmt::format("using 1:2 with points pt {} ps {} lc rgb 'white'", shape.filled, size));
  elements.add(hollow, fmt::format("using 1:2 with points pt {} ps {} lw 1.3 {}", shape.hollow,
                                   size, solid));
  elements.add(filled,
               fmt::format("using 1:2 with points pt {} ps {} {}", shape.filled, size, solid));
}

}  // namespace

std::vector<Vertex> thinned(const std::vector<Vertex>& line, const Range& x, std::size_t columns) {
  std::vector<Vertex> result;
  const auto column = [&](const Vertex& v) {
    return std::floor((v.x - x.low) / x.span() * static_cast<double>(columns));
  };
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin + 1;
    if (std::isnan(line[begin].y)) {
      result.push_back(line[begin]);
      begin = end;
      continue;
    }
    std::size_t low = begin, high = begin;
    while (end < line.size() && !std::isnan(line[end].y) &&
           column(line[end]) == column(line[begin])) {
      if (line[end].y < line[low].y) low = end;
      if (line[end].y > line[high].y) high = end;
      ++end;
    }
    if (end - begin <= 4) {
      result.insert(result.end(), line.begin() + static_cast<std::ptrdiff_t>(begin),
                    line.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
      continue;
    }
    std::vector<std::size_t> kept = {begin, std::min(low, high), std::max(low, high), end - 1};
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t i : kept) result.push_back(line[i]);
    begin = end;
  }
  return result;
}

void write_series(std::ostream& out, const Panel& panel, const Range& x, const Range& y,
                  double markers) {
  Elements elements;
  for (const Rule& rule : panel.rules) {
    elements.add(
        rows({{x.low, rule.y}, {x.high, rule.y}}),
        fmt::format("using 1:2 with lines lw 1.2 dt (10,5) lc rgb '#{}'", colour(rule.style)));
  }
  for (const Reference& reference : panel.references) {
    elements.add(rows(thinned(reference.line, x, kColumns)),
                 fmt::format("using 1:2 with lines lw 1.4 dt (2,2,8,2) lc rgb '#{}'",
                             colour(reference.style)));
  }
  for (const bool sampled : {true, false}) {
    for (const Series& series : panel.series) {
      if (series.sampled == sampled) add_series(elements, panel, series, x, y, markers);
    }
  }
  elements.write(out);
}

void write_sample(std::ostream& out, const LegendRow& row, const std::string& left,
                  const std::string& right, const std::string& middle) {
  const std::string& hue = colour(row.style);
  const std::string dashes = row.sample == LegendRow::Sample::curve  ? dash(row.style)
                             : row.sample == LegendRow::Sample::rule ? "(10,5)"
                                                                     : "(2,2,8,2)";
  // Widths differ on purpose: gnuplot's svg terminal overlooks a change of dash alone.
  const double width = row.sample == LegendRow::Sample::curve  ? 1.5
                       : row.sample == LegendRow::Sample::rule ? 1.2
                                                               : 1.4;
  if (row.sample != LegendRow::Sample::marks) {
    out << "set arrow from " << left << " to " << right << " nohead lw " << width << " dt "
        << dashes << " lc rgb '#" << hue << "'\n";
  }
  if (row.sample == LegendRow::Sample::curve || row.sample == LegendRow::Sample::marks) {
    const Marker shape = marker(row.style);
    if (row.hollow) {
      out << "set label '' at " << middle << " point pt " << shape.filled << " ps "
          << shape.size * 1.2 << " lc rgb 'white'\n";
    }
    out << "set label '' at " << middle << " point pt "
        << (row.hollow ? shape.hollow : shape.filled) << " ps " << shape.size * 1.2
        << " lw 1.3 lc rgb '#" << hue << "'\n";
  }
}

}  // namespace tapalab::plot
