#include <fmt/format.h>

#include <cmath>

#include "proofs-check/report_figures_tapa.hpp"
#include "proofs-check/theorem_2_2.hpp"

namespace tapalab {
namespace {

/// Points of one kind over base and head dimension, with their rows in the table.
class RegionPoints {
 public:
  RegionPoints(plot::Figure& figure, std::string& csv, std::string text, bool joined)
      : csv_(csv), text_(std::move(text)) {
    const std::size_t style = figure.legend.size();
    series_.style = style;
    series_.connected = joined;
    figure.legend.push_back(
        {joined ? plot::LegendRow::Sample::curve : plot::LegendRow::Sample::marks, style, text_,
         false});
  }
  void add(double base, double head_dim) {
    const double x = std::log10(base), y = std::log10(head_dim);
    series_.marks.push_back({x, y, y, y, !series_.sampled});
    csv_ += fmt::format("\"{}\",{:.10g},{:.10g}\n", text_, base, head_dim);
  }
  /// Larger hollow marks, around those of another series.
  void rings(plot::Figure& figure) {
    series_.sampled = true;
    figure.legend.at(series_.style).hollow = true;
  }
  void draw(plot::Figure& figure) && {
    if (!series_.marks.empty()) figure.panels.front().series.push_back(std::move(series_));
  }

 private:
  std::string& csv_;
  std::string text_;
  plot::Series series_;
};

}  // namespace

ReportFigure region_figure(const std::vector<Evidence>& evidence) {
  plot::Figure figure;
  figure.title = "Where the gap of Theorem 2.2 is proved, and where it breaks (theorem-2.2)";
  figure.x_label = "base b";
  plot::Panel panel;
  panel.y_label = "head dimension D";
  panel.y_axis = plot::AxisKind::decades;
  panel.uprights = {{std::log10(65536.0), 6, "16^4"},
                    {4, 0, "Llama 2"},
                    {std::log10(5e5), 0, "Llama 3"},
                    {6, 1, "Qwen2"}};
  figure.x_span = plot::Vertex{3.9, 9};
  figure.panels.push_back(std::move(panel));
  std::string csv = "curve,base,head_dim\n";

  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians})
    for (const char* const ratio : {"0", "1"}) {
      RegionPoints proved(figure, csv,
                          fmt::format("D from which the gap is proved for all far distances in "
                                      "(b, 10 b], {}, |nu_0/mu_0| <= {}",
                                      to_string(angle), ratio),
                          true);
      for (const char* const base : {"70000", "100000", "200000", "500000", "1000000", "2000000",
                                     "5000000", "10000000", "100000000", "1000000000"})
        if (const auto D = sufficient_head_dim(base, angle, 10 * std::stoull(base), ratio))
          proved.add(std::stod(base), static_cast<double>(*D));
      std::move(proved).draw(figure);
    }
  for (const AngleUnit angle : {AngleUnit::turns, AngleUnit::radians}) {
    RegionPoints broken(figure, csv,
                        fmt::format("broken at a certified far distance, {}", to_string(angle)),
                        false);
    if (angle == AngleUnit::radians) broken.rings(figure);
    for (const CertifiedRecurrence& found : certified_recurrences(evidence))
      if (found.setting.angle == angle && found.far_distance.size() < 19)
        broken.add(std::stod(found.setting.base), found.setting.head_dim);
    std::move(broken).draw(figure);
  }
  const std::size_t style = figure.legend.size();
  figure.panels.front().rules.push_back({std::log10(128.0), style});
  figure.legend.push_back({plot::LegendRow::Sample::rule, style,
                           "D = 128, the head dimension of the models named above their base",
                           false});
  figure.caption = {
      "Below b = 16^4 = 65536 no integer lies in (1, b^(1/4)/8) and the hypothesis is empty; "
      "points "
      "there are for near distance 1. On and above a line the gap exceeds |mu_0|/8 for every near "
      "distance of the hypothesis and every far one up to 10 b (docs/theory/theorem-2.2.md): far "
      "above any head dimension in use. For all far distances at once no D serves, whatever b. The "
      "printed proof asks for ln b > 64, beyond the right edge. Broken: b and D of certified rows "
      "of "
      "the evidence below, filled for turns, hollow for radians."};
  return {"region", "theorem-2.2", std::move(figure), std::move(csv)};
}

}  // namespace tapalab
