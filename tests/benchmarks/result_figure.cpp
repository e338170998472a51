// Draws a figure of docs/results from its table, in the style of all figures:
//   result_figure TABLE.csv FIGURE.svg
// Lines "# KEY: TEXT" say what is drawn: title, x, y (labels), x_axis and y_axis (decades or
// plain), rule (NUMBER = TEXT, repeatable), line (X1,Y1 X2,Y2 = TEXT, repeatable), x_span (X1,X2:
// what the axis holds at least), caption (a paragraph each), joined (yes or no). Then a
// header and rows CURVE,X,Y,LOW,HIGH,HOLLOW; LOW and HIGH may be empty, HOLLOW is 0 or 1.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/plot/figure.hpp"

using namespace tapalab;

namespace {

struct Table {
  plot::Figure figure;
  plot::Panel panel;
  bool joined = true;
  std::map<std::string, std::size_t> curves;
  std::vector<std::string> names;
  std::vector<std::pair<double, std::string>> rules;
  std::vector<std::pair<plot::Reference, std::string>> lines;
};

double on_axis(plot::AxisKind kind, double v) {
  return kind == plot::AxisKind::decades ? std::log10(v) : v;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

void read_key(Table& table, const std::string& key, const std::string& text) {
  if (key == "title") {
    table.figure.title = text;
  } else if (key == "x") {
    table.figure.x_label = text;
  } else if (key == "y") {
    table.panel.y_label = text;
  } else if (key == "x_axis") {
    table.figure.x_axis = text == "decades" ? plot::AxisKind::decades : plot::AxisKind::plain;
  } else if (key == "y_axis") {
    table.panel.y_axis = text == "decades" ? plot::AxisKind::decades : plot::AxisKind::plain;
  } else if (key == "rule") {
    const auto mark = text.find(" = ");
    table.rules.emplace_back(std::stod(text), text.substr(mark + 3));
  } else if (key == "line") {
    const auto mark = text.find(" = ");
    plot::Reference line;
    std::istringstream ends(text.substr(0, mark));
    double x = 0, y = 0;
    for (char comma = 0; ends >> x >> comma >> y;)
      line.line.push_back({on_axis(table.figure.x_axis, x), on_axis(table.panel.y_axis, y)});
    if (line.line.size() < 2) throw std::runtime_error("a line has two ends");
    table.lines.emplace_back(std::move(line), text.substr(mark + 3));
  } else if (key == "x_span") {
    const auto comma = text.find(',');
    table.figure.x_span = {on_axis(table.figure.x_axis, std::stod(text)),
                           on_axis(table.figure.x_axis, std::stod(text.substr(comma + 1)))};
  } else if (key == "caption") {
    table.figure.caption.push_back(text);
  } else if (key == "joined") {
    table.joined = text == "yes";
  } else {
    throw std::runtime_error("unknown key " + key);
  }
}

void read_row(Table& table, const std::vector<std::string>& row) {
  if (row.size() != 6) throw std::runtime_error("a row has 6 fields");
  const auto [place, made] = table.curves.emplace(row[0], table.panel.series.size());
  if (made) {
    plot::Series series;
    series.style = table.panel.series.size();
    series.connected = table.joined;
    series.bars = true;
    table.panel.series.push_back(std::move(series));
    table.names.push_back(row[0]);
  }
  const double y = std::stod(row[2]);
  plot::Mark mark;
  mark.x = on_axis(table.figure.x_axis, std::stod(row[1]));
  mark.y = on_axis(table.panel.y_axis, y);
  mark.low = on_axis(table.panel.y_axis, row[3].empty() ? y : std::stod(row[3]));
  mark.high = on_axis(table.panel.y_axis, row[4].empty() ? y : std::stod(row[4]));
  mark.filled = row[5] != "1";
  table.panel.series[place->second].marks.push_back(mark);
}

plot::Figure read_figure(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Table table;
  bool header = true;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) {
      const auto colon = line.find(": ");
      read_key(table, line.substr(2, colon - 2), line.substr(colon + 2));
    } else if (header) {
      header = false;
    } else if (!line.empty()) {
      read_row(table, fields_of(line));
    }
  }
  for (const std::string& name : table.names)
    table.figure.legend.push_back(
        {table.joined ? plot::LegendRow::Sample::curve : plot::LegendRow::Sample::marks,
         table.figure.legend.size(), name, false});
  for (auto& [line, text] : table.lines) {
    line.style = table.figure.legend.size();
    table.figure.legend.push_back({plot::LegendRow::Sample::reference, line.style, text, false});
    table.panel.references.push_back(std::move(line));
  }
  for (const auto& [y, text] : table.rules) {
    const std::size_t style = table.figure.legend.size();
    table.panel.rules.push_back(
        {table.panel.y_axis == plot::AxisKind::decades ? std::log10(y) : y, style});
    table.figure.legend.push_back({plot::LegendRow::Sample::rule, style, text, false});
  }
  table.figure.panels.push_back(std::move(table.panel));
  return std::move(table.figure);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fputs("usage: result_figure TABLE.csv FIGURE.svg\n", stderr);
    return 2;
  }
  plot::draw(read_figure(argv[1]), argv[2]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "result_figure: %s\n", error.what());
  return 2;
}
