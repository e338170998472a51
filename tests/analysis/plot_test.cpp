// Figures: what they hold, that they are whole or absent, and that no name reaches a shell.
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "analysis/distance_grid.hpp"
#include "analysis/experiment.hpp"
#include "analysis/plot/axis.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/plot/fit_plot.hpp"
#include "analysis/plot/layout.hpp"
#include "analysis/plot/series_script.hpp"
#include "analysis/plot/text.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
namespace fs = std::filesystem;

namespace {

/// A directory of its own, gone at the end of the test; also the directory for temporary files.
class Directory {
 public:
  Directory() {
    std::string pattern = (fs::temp_directory_path() / "tapalab plot's test XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    fs::create_directory(path_ / "tmp");
    if (const char* old = std::getenv("TMPDIR")) old_tmpdir_ = old;
    ::setenv("TMPDIR", (path_ / "tmp").c_str(), 1);
  }
  ~Directory() {
    old_tmpdir_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old_tmpdir_.c_str(), 1);
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Every file below, temporary ones included.
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

 private:
  fs::path path_;
  std::string old_tmpdir_;
};

/// Puts another PATH in place for the life of the object.
class SearchPath {
 public:
  explicit SearchPath(const std::string& path) : old_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~SearchPath() { ::setenv("PATH", old_.c_str(), 1); }

 private:
  std::string old_;
};

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Well-formedness as far as a figure needs it: tags nest and close, attributes are quoted, no bare
/// ampersand, no control character.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size(); ++i) {
    const auto c = static_cast<unsigned char>(xml[i]);
    if (c < 0x20 && c != '\n' && c != '\t' && c != '\r') return false;
    if (c == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 8) return false;
    }
    if (c != '<') continue;
    if (xml.compare(i, 4, "<!--") == 0) {
      i = xml.find("-->", i) + 2;
      continue;
    }
    if (xml.compare(i, 9, "<![CDATA[") == 0) {
      i = xml.find("]]>", i) + 2;
      continue;
    }
    char quote = 0;
    std::size_t end = i + 1;
    for (; end < xml.size() && (quote != 0 || xml[end] != '>'); ++end) {
      if (quote == 0 && (xml[end] == '"' || xml[end] == '\''))
        quote = xml[end];
      else if (quote == xml[end])
        quote = 0;
    }
    if (end >= xml.size()) return false;
    const std::string tag = xml.substr(i + 1, end - i - 1);
    const std::size_t name_end = tag.find_first_of(" \t\n/");
    if (tag[0] == '?' || tag[0] == '!') {
      // declaration
    } else if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, name_end));
    }
    i = end;
  }
  return open.empty();
}

bool has_text(const std::string& svg, const std::string& text) {
  return svg.find(text) != std::string::npos && svg.find("<text") != std::string::npos;
}

Quantity exact(const Wide& value) {
  return with_symmetric_error(LogNumber(value), ErrorKind::rounding, false,
                              abs(value) * Wide("1e-40"));
}

Quantity sampled(double value, double half) {
  Quantity q = with_symmetric_error(LogNumber(value), ErrorKind::confidence, false, half);
  q.error.level = 0.95;
  q.sign_resolved = std::abs(value) > half;
  return q;
}

/// An invented curve; means fall like 10^-(slope i) and change sign.
DistanceCurve curve(const std::string& encoding, const std::string& distances, double slope) {
  DistanceCurve c;
  c.encoding = parse_encoding(encoding);
  c.density = parse_density("gaussian:rho=0.25");
  c.head_dim = 128;
  int i = 0;
  for (const std::uint64_t d : parse_distances(distances).distances) {
    CurvePoint p;
    p.distance = d;
    const Wide size = pow(Wide(10), Wide(-slope * i));
    p.mean = exact(i % 3 == 1 ? Wide(-size / 2) : Wide(size / 2));
    p.envelope = exact(size);
    p.variance = exact(Wide(2.5) + size / 10);
    p.variance_excess = exact(size / 10);
    c.points.push_back(p);
    ++i;
  }
  return c;
}

DistanceCurve sampled_curve(const std::string& encoding, const std::string& distances) {
  DistanceCurve c = curve(encoding, distances, 0.1);
  c.samples = 1000000;
  c.seed = 42;
  int i = 0;
  for (CurvePoint& p : c.points) {
    p.engine = Engine::mc;
    p.mean = sampled(i % 2 == 0 ? 0.5 : 0.001, 0.01);
    p.variance = sampled(2.5, 0.1);
    p.envelope.reset();
    p.variance_excess.reset();
    ++i;
  }
  return c;
}

}  // namespace

TEST_CASE("an SVG is well-formed, its text is text, and its axes name their units") {
  const Directory directory;
  const std::string file = directory / "bias.svg";
  plot_curves({curve("tapa", "0,log:1:2^40:41", 1), sampled_curve("tapa", "0,log:1:2^20:21")},
              PlotQuantity::bias, file);
  const std::string svg = read(file);
  CHECK(well_formed(svg));
  for (const char* text :
       {"distance |m − n| (tokens)", "|mean score| (logits)", "Mean score (bias)",
        "gaussian:rho=0.25", "95% confidence", "hollow", "seed 42"}) {
    INFO(text);
    std::string wanted = text;
    if (wanted == "seed 42") wanted = "seed\u00a042";
    CHECK(has_text(svg, wanted));
  }
  CHECK(directory.files() == 1);
}

TEST_CASE("the extension chooses the format, and others are refused before anything is written") {
  const Directory directory;
  const std::vector<DistanceCurve> curves = {curve("tapa", "1,10,100", 1)};
  plot_curves(curves, PlotQuantity::variance, directory / "a.png");
  plot_curves(curves, PlotQuantity::variance, directory / "a.PDF");
  CHECK(read(directory / "a.png").substr(0, 8) == "\x89PNG\r\n\x1a\n");
  CHECK(read(directory / "a.PDF").substr(0, 5) == "%PDF-");
  for (const char* name : {"a.jpg", "a", "svg", "a.svg.gz"}) {
    CHECK_THROWS_AS(plot_curves(curves, PlotQuantity::bias, directory / name), InputError);
    CHECK_THROWS_WITH(plot_curves(curves, PlotQuantity::bias, directory / name),
                      Catch::Matchers::Contains(".svg, .png, .pdf"));
  }
  CHECK_THROWS_AS(plot_curves(curves, PlotQuantity::bias, directory / "none/a.svg"), InputError);
  CHECK_THROWS_AS(plot_curves({}, PlotQuantity::bias, directory / "a.svg"), InputError);
  CHECK(directory.files() == 2);
}

TEST_CASE("file names and specifications reach neither a shell nor gnuplot as commands") {
  const Directory directory;
  const std::string witness = directory / "witness";
  const std::vector<std::string> hostile = {
      "`touch '" + witness + "'`", "'; system('touch " + witness + "'); '",
      "$(touch " + witness + ")",  "\"; !touch " + witness,
      "a\nsystem 'touch x'\nb",    "@x {/=40 y}^2_3 \\n <b>&\x01\xff é"};
  int number = 0;
  for (const std::string& text : hostile) {
    DistanceCurve c = curve("tapa", "1,10,100", 1);
    c.encoding.spec = text;
    c.density.spec = text;
    PlotOptions options;
    options.title = text;
    options.references = {{text, {{1, LogNumber(1.0)}, {100, LogNumber(0.1)}}}};
    std::string name = text;
    std::replace(name.begin(), name.end(), '/', '_');
    const std::string file = directory / (std::to_string(number++) + " " + name + ".svg");
    plot_curves({c}, PlotQuantity::bias, file, options);
    CHECK(well_formed(read(file)));
    CHECK_FALSE(fs::exists(witness));
  }
  CHECK(directory.files() == hostile.size());
}

TEST_CASE("without gnuplot the package is named, and nothing is left behind") {
  const Directory directory;
  const SearchPath nothing(directory / "tmp");
  CHECK_THROWS_AS(plot_curves({curve("tapa", "1,10", 1)}, PlotQuantity::bias, directory / "a.svg"),
                  UnavailableError);
  CHECK(directory.files() == 0);
}

TEST_CASE("where gnuplot fails its message is passed on and an older figure stays") {
  const Directory directory;
  const std::string file = directory / "a.svg";
  std::ofstream(file) << "old";
  std::ofstream(directory / "gnuplot") << "#!/bin/sh\necho half > figure.out\n"
                                          "echo 'line 3: undefined variable' >&2\nexit 1\n";
  ::chmod((directory / "gnuplot").c_str(), 0700);
  const SearchPath fake((directory / "") + ":/usr/bin:/bin");
  CHECK_THROWS_WITH(plot_curves({curve("tapa", "1,10", 1)}, PlotQuantity::bias, file),
                    Catch::Matchers::Contains("line 3: undefined variable"));
  CHECK(read(file) == "old");
  CHECK(directory.files() == 2);
}

TEST_CASE("one point, no distance but 0, means of exactly 0: each draws") {
  const Directory directory;
  for (const char* distances : {"7", "0", "0,9223372036854775807", "5,5,5"}) {
    plot_curves({curve("tapa", distances, 3)}, PlotQuantity::bias, directory / "a.svg");
    plot_curves({curve("rope", distances, 3)}, PlotQuantity::variance, directory / "b.svg");
    CHECK(well_formed(read(directory / "a.svg")));
  }
  DistanceCurve zero = curve("tapa", "1,10,100", 1);
  for (CurvePoint& p : zero.points) p.mean = p.envelope = exact(0);
  for (const PlotScale scale : {PlotScale::automatic, PlotScale::linear, PlotScale::log}) {
    PlotOptions options;
    options.scale = scale;
    plot_curves({zero}, PlotQuantity::bias, directory / "a.svg", options);
    CHECK(well_formed(read(directory / "a.svg")));
  }
}

TEST_CASE("twelve curves of 1e5 points draw, in a file of bounded size") {
  const Directory directory;
  std::vector<DistanceCurve> curves;
  for (int i = 0; i < 12; ++i) curves.push_back(curve("tapa", "1", 1));
  std::mt19937 random(1);
  for (DistanceCurve& c : curves) {
    const CurvePoint first = c.points[0];
    for (std::uint64_t d = 2; d <= 100000; ++d) {
      c.points.push_back(first);
      c.points.back().distance = d;
      c.points.back().mean = sampled(std::uniform_real_distribution<>(-1, 1)(random), 0.1);
    }
  }
  plot_curves(curves, PlotQuantity::bias, directory / "a.svg");
  CHECK(fs::file_size(directory / "a.svg") < 20'000'000);
}

TEST_CASE("means of 1e-9000 are drawn from their logarithms, never as 0") {
  const plot::Figure figure =
      curve_figure({curve("tapa", "log:1:2^60:61", 150)}, PlotQuantity::bias);
  REQUIRE(figure.panels.size() == 1);
  const plot::Panel& panel = figure.panels[0];
  CHECK(panel.y_axis == plot::AxisKind::decades);
  REQUIRE(panel.series[0].marks.size() == 61);
  CHECK(panel.series[0].marks.back().y == Approx(-9000 + std::log10(0.5)).epsilon(1e-12));
  CHECK(panel.series[0].thin.back().y == Approx(-9000));
  const plot::Range range = plot::panel_range(panel);
  CHECK(range.low < -9000);
  for (const plot::Tick& tick : plot::decade_ticks(range, 8)) CHECK(tick.at == std::round(tick.at));
}

TEST_CASE("the fill of a marker in decades is the sign, and an unresolved mean is an upper bound") {
  DistanceCurve c = curve("tapa", "1,10,100,1000", 2);
  c.points[2].mean = sampled(0.001, 0.01);
  const plot::Figure figure = curve_figure({c}, PlotQuantity::bias);
  const std::vector<plot::Mark>& marks = figure.panels[0].series[0].marks;
  CHECK(marks[0].filled);
  CHECK_FALSE(marks[1].filled);
  CHECK_FALSE(marks[0].upper_bound);
  CHECK(marks[2].upper_bound);
  CHECK(marks[2].high == Approx(std::log10(0.011)));
}

TEST_CASE("rotary curves and phase scores stand in panels of their own, linear and in decades") {
  const std::vector<DistanceCurve> curves = {
      curve("tapa", "1,10,100", 2), curve("rope", "1,10,100", 2), curve("nope", "1,10,100", 0)};
  const plot::Figure figure = curve_figure(curves, PlotQuantity::bias);
  REQUIRE(figure.panels.size() == 2);
  CHECK(figure.panels[0].y_axis == plot::AxisKind::plain);
  CHECK(figure.panels[0].zero_line);
  CHECK(figure.panels[0].series.size() == 2);
  CHECK(figure.panels[1].y_axis == plot::AxisKind::decades);
  CHECK(figure.panels[1].series[0].style == 0);
  CHECK(figure.legend.size() == 3);
}

TEST_CASE("an envelope whose interval reaches 0 lifts the pen, and only drawn samples are hollow") {
  DistanceCurve c = sampled_curve("tapa", "1,10,100,1000");
  for (CurvePoint& p : c.points) p.envelope = sampled(p.distance == 10 ? 0.001 : 0.5, 0.01);
  PlotOptions options;
  options.scale = PlotScale::log;
  const std::vector<plot::Vertex> thin =
      curve_figure({c}, PlotQuantity::bias, options).panels[0].series[0].thin;
  REQUIRE(thin.size() == 4);
  CHECK(thin[0].y == Approx(std::log10(0.5)));
  CHECK(std::isnan(thin[1].y));

  options.scale = PlotScale::linear;
  CHECK_FALSE(curve_figure({c}, PlotQuantity::bias, options).panels[0].series[0].marks[0].filled);
  for (CurvePoint& p : c.points) p.engine = Engine::exact;  // sums over a file's pairs
  CHECK(curve_figure({c}, PlotQuantity::bias, options).panels[0].series[0].marks[0].filled);
}

TEST_CASE("a caption names only what its figure draws") {
  DistanceCurve unresolved = sampled_curve("tapa", "1,10,100,1000");
  for (CurvePoint& p : unresolved.points) {
    p.mean = sampled(0.001 * static_cast<double>(p.distance), 1 + static_cast<double>(p.distance));
    p.envelope = sampled(p.distance == 10 ? 0.5 : 0.001, 0.01);  // resolved at one distance alone
  }
  PlotOptions options;
  options.scale = PlotScale::log;
  const std::string caption = curve_figure({unresolved}, PlotQuantity::bias, options).caption.at(0);
  CHECK(caption.find("Arrows") != std::string::npos);
  CHECK(caption.find("filled") == std::string::npos);
  CHECK(caption.find("Dotted") == std::string::npos);
  for (CurvePoint& p : unresolved.points) p.envelope = sampled(0.5, 0.01);
  CHECK(curve_figure({unresolved}, PlotQuantity::bias, options).caption.at(0).find("Dotted") !=
        std::string::npos);
}

TEST_CASE("variances of different size are drawn from 0, and one that barely changes is not") {
  const auto range = [](const std::vector<DistanceCurve>& curves) {
    return plot::panel_range(curve_figure(curves, PlotQuantity::variance).panels.at(0));
  };
  DistanceCurve far = curve("tapa", "1,10,100", 2), near = far;
  for (CurvePoint& p : near.points) {
    p.variance = with_symmetric_error(LogNumber(Wide(1)), ErrorKind::rounding, false, Wide(0));
    p.variance_excess.reset();
  }
  CHECK(range({far, near}).low == 0);
  CHECK(range({near}).low > 0.5);
}

TEST_CASE("a variance figure marks its limit and draws the excess in decades") {
  const plot::Figure figure =
      curve_figure({curve("tapa", "0,1,10,100", 4)}, PlotQuantity::variance);
  REQUIRE(figure.panels.size() == 2);
  REQUIRE(figure.panels[0].rules.size() == 1);
  CHECK(figure.panels[0].rules[0].y == Approx(2.5).epsilon(1e-12));
  CHECK(figure.panels[1].series[0].marks[3].y == Approx(-13));
  CHECK(figure.panels[1].series[0].marks[0].at_zero);
  CHECK(figure.panels[1].series[0].marks[0].x < 0);
  CHECK(curve_figure({curve("rope", "1,10", 0)}, PlotQuantity::variance).panels[0].rules.size() <=
        1);
}

TEST_CASE("a fit figure holds the quotients, the closed form and the asymptote") {
  CurveTask task;
  task.encoding = parse_encoding("tapa");
  task.density = parse_density("gaussian:rho=0.25");
  task.distances = parse_distances("log:10:2^40:21");
  task.engine = Engine::exact;
  const FitResult fit = fit_decay(exact_gaussian_curve(task));
  const plot::Figure figure = fit_figure({fit});
  const plot::Panel& panel = figure.panels.at(0);
  CHECK(panel.series[0].marks.size() == fit.local.size());
  CHECK(panel.series[0].thin.size() == fit.points.size());
  REQUIRE(panel.rules.size() == 1);
  CHECK(panel.rules[0].y == Approx(-6.4));
  // t = 2 pi distance^0.1/sqrt(64) at both lengths, and the closed form within every error
  REQUIRE(panel.uprights.size() == 2);
  CHECK(panel.uprights[0].x == Approx(std::log10(6.283185307 / 8 * std::pow(65536.0, 0.1))));
  CHECK(panel.uprights[1].x == Approx(std::log10(6.283185307 / 8 * 4)));
  const plot::Panel& residual = figure.panels.at(1);
  REQUIRE(residual.series.size() == 1);
  CHECK(residual.series[0].marks.size() == fit.local.size());
  for (const plot::Mark& mark : residual.series[0].marks) {
    CHECK(mark.upper_bound);
    CHECK(mark.high < -9);
  }
  const Directory directory;
  plot_fits({fit}, directory / "fit.svg");
  const std::string svg = read(directory / "fit.svg");
  CHECK(well_formed(svg));
  CHECK(has_text(svg, "asymptote -6.4"));
  CHECK_THROWS_AS(plot_fits({}, directory / "none.svg"), InputError);
}

TEST_CASE(
    "a figure for a phone is narrow, its text no smaller, and every scattered mark is drawn") {
  plot::Figure figure;
  figure.title = "A title that is far too long for one line on a page of 360 pixels";
  figure.x_label = "distance";
  plot::Panel panel;
  panel.y_label = "a label that stands above the panel";
  panel.uprights = {{0.5, 0, "one"}, {1.5, 1, "two"}, {9, 0, "beyond the axis"}};
  plot::Series scattered;
  scattered.connected = false;
  for (int i = 0; i < 40; ++i) scattered.marks.push_back({0.05 * i, 1.0 * i, 1.0 * i, 1.0 * i});
  panel.series = {scattered};
  figure.panels = {panel};
  figure.legend = {{plot::LegendRow::Sample::marks, 0, std::string(200, 'x'), false}};
  figure.caption = {std::string(300, 'y')};
  const plot::Layout layout = plot::lay_out(figure, plot::PageWidth::phone);
  CHECK(layout.width == 360);
  for (const plot::TextLine& line : layout.texts) {
    INFO(line.text);
    CHECK(line.size >= 10);
    const double width = 0.57 * line.size * static_cast<double>(plot::text_width(line.text));
    CHECK((line.centred ? line.x + width / 2 : line.x + width) <= layout.width);
  }
  // a row above the panel for each style of upright
  CHECK(layout.panels[0].top - layout.texts[2].y >= 2 * plot::kUprightRow);

  const Directory directory;
  plot::draw(figure, directory / "phone.svg", plot::PageWidth::phone);
  const std::string svg = read(directory / "phone.svg");
  CHECK(well_formed(svg));
  CHECK(svg.find("viewBox=\"0 0 360 ") != std::string::npos);
  CHECK(has_text(svg, "one"));
  CHECK(has_text(svg, "two"));
  CHECK_FALSE(has_text(svg, "beyond the axis"));
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = svg.find("<use xlink:href='#gpPt6'", at)) != std::string::npos;
       ++at)
    ++marks;
  CHECK(marks >= 40);
}

TEST_CASE("thinning keeps the ends and the extremes of every column, and the breaks") {
  std::vector<plot::Vertex> line;
  plot::Range x;
  for (int i = 0; i < 100000; ++i) {
    line.push_back({i * 1e-5, std::sin(i * 0.7) + (i == 31234 ? 9 : 0) - (i == 77777 ? 9 : 0)});
    x.include(line.back().x);
  }
  line[50000].y = std::nan("");
  const auto thin = plot::thinned(line, x, 500);
  CHECK(thin.size() <= 4 * 502 + 1);
  const auto has = [&](double at) {
    return std::any_of(thin.begin(), thin.end(), [at](const plot::Vertex& v) { return v.x == at; });
  };
  CHECK(has(line[31234].x));
  CHECK(has(line[77777].x));
  CHECK(has(line.front().x));
  CHECK(has(line.back().x));
  CHECK(std::count_if(thin.begin(), thin.end(),
                      [](const plot::Vertex& v) { return std::isnan(v.y); }) == 1);
  CHECK(std::is_sorted(thin.begin(), thin.end(),
                       [](const auto& a, const auto& b) { return a.x < b.x; }));
}

TEST_CASE("wrapped text loses nothing but the spaces at its breaks, and no line is too wide") {
  const std::string text =
      "tapa-general:alpha=0.1,M=\"a very/long/path/without/any/space/at/all/m.npy\" and é ü then "
      "more";
  for (const std::size_t width : {8, 13, 20, 40, 200}) {
    std::string joined;
    for (const std::string& line : plot::wrap_text(text, width)) {
      CHECK(plot::text_width(line) <= width);
      joined += line;
    }
    std::string squeezed = text;
    for (std::string* s : {&joined, &squeezed})
      s->erase(std::remove(s->begin(), s->end(), ' '), s->end());
    CHECK(joined == squeezed);
  }
  CHECK(plot::wrap_text("", 20).empty());
}
