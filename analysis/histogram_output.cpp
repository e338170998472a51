#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/experiment_values.hpp"
#include "analysis/histogram.hpp"
#include "analysis/intervals.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

Json range_json(const DistanceRange& range) {
  return {{"first", range.first}, {"last", range.last}};
}

std::string range_text(const DistanceRange& range) {
  return fmt::format("[{}, {}]", range.first, range.last);
}

std::string number(const Quantity& quantity) { return quantity.estimate.decimal(5); }
std::string half_width(const Quantity& quantity) { return quantity.error.absolute.decimal(2); }

}  // namespace

DistanceRange parse_distance_range(std::string_view text, std::string_view name) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw InputError(fmt::format("{}: {} has no colon; accepted: FIRST:LAST, such as 0:100", name,
                                 printable(text)));
  constexpr std::uint64_t most = (std::uint64_t{1} << 63) - 1;
  const DistanceRange range{parse_count(text.substr(0, colon), name, 0, most),
                            parse_count(text.substr(colon + 1), name, 0, most)};
  if (range.first > range.last)
    throw InputError(fmt::format("{}: {} is above {}; accepted: FIRST:LAST with FIRST <= LAST",
                                 name, range.first, range.last));
  return range;
}

Json histograms_json(const std::vector<ScoreHistogram>& histograms, const Json& provenance) {
  Json list = Json::array();
  for (const ScoreHistogram& h : histograms) {
    Json bins = Json::array();
    for (const HistogramBin& bin : h.bins)
      bins.push_back({{"low", bin.low}, {"high", bin.high}, {"count", bin.count}});
    list.push_back(
        {{"encoding", encoding_json(h.task.encoding)},
         {"density", density_json(h.task.density)},
         {"head_dim", h.task.head_dim},
         {"near", range_json(h.task.near)},
         {"far", range_json(h.task.far)},
         {"pairs", h.task.pairs},
         {"seed", h.task.seed},
         {"confidence", h.task.confidence},
         {"mean", quantity_json(h.mean)},
         {"standard_deviation",
          h.spread_unavailable.empty() ? quantity_json(h.standard_deviation) : Json(nullptr)},
         {"expected_mean", quantity_json(h.expected_mean)},
         {"smallest", h.smallest},
         {"largest", h.largest},
         {"bins", std::move(bins)}});
    if (!h.spread_unavailable.empty()) list.back()["unavailable"] = h.spread_unavailable;
  }
  return {{"schema", "tapalab/histogram/1"},
          {"provenance", provenance},
          {"histograms", std::move(list)}};
}

std::string histograms_table(const std::vector<ScoreHistogram>& histograms) {
  std::vector<std::vector<std::string>> rows;
  for (const ScoreHistogram& h : histograms)
    rows.push_back({printable(h.task.encoding.spec), printable(h.task.density.spec),
                    std::to_string(h.task.head_dim), number(h.mean), half_width(h.mean),
                    h.spread_unavailable.empty() ? number(h.standard_deviation) : "-",
                    h.spread_unavailable.empty() ? half_width(h.standard_deviation) : "-",
                    h.expected_mean ? number(*h.expected_mean) : "-"});
  std::string text;
  if (!histograms.empty()) {
    const HistogramTask& task = histograms.front().task;
    text = fmt::format(
        "score(near) - score(far), near {}, far {}, {} pairs, seed {}, intervals at {}\n\n",
        range_text(task.near), range_text(task.far), task.pairs, task.seed, task.confidence);
  }
  return text + aligned_table({"encoding", "density", "D", "mean", "+-", "standard deviation", "+-",
                               "expected mean"},
                              rows, {true, true, false, false, false, false, false, false});
}

std::string histograms_csv(const std::vector<ScoreHistogram>& histograms) {
  std::string text = "encoding,density,head_dim,low,high,count\n";
  for (const ScoreHistogram& h : histograms)
    for (const HistogramBin& bin : h.bins)
      text += fmt::format("{},{},{},{:.17g},{:.17g},{}\n", csv_field(h.task.encoding.spec),
                          csv_field(h.task.density.spec), h.task.head_dim, bin.low, bin.high,
                          bin.count);
  return text;
}

plot::Figure histogram_figure(const std::vector<ScoreHistogram>& histograms,
                              const std::string& title) {
  plot::Figure figure;
  figure.title = title;
  figure.x_label = "score(near) - score(far)";
  figure.x_axis = plot::AxisKind::plain;
  plot::Panel panel;
  panel.y_label = "density";
  panel.zero_line = true;
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    const ScoreHistogram& h = histograms[i];
    plot::Series series;
    series.style = i;
    series.sampled = true;
    const double n = static_cast<double>(h.task.pairs);
    for (const HistogramBin& bin : h.bins) {
      const double unit = 1 / (bin.high - bin.low);
      const auto [low, high] = share_interval(static_cast<double>(bin.count), n, 0.95);
      const double y = static_cast<double>(bin.count) / n * unit;
      series.marks.push_back(
          {(bin.low + bin.high) / 2, y, low * unit, high * unit, true, false, false});
    }
    panel.series.push_back(std::move(series));
    figure.legend.push_back(
        {plot::LegendRow::Sample::curve, i,
         fmt::format(
             "{} · {} · D = {} · mean {:.3g} ± {:.2g}{}", h.task.encoding.spec, h.task.density.spec,
             h.task.head_dim, h.mean.estimate.value(), h.mean.error.absolute.value(),
             h.spread_unavailable.empty() ? fmt::format(", standard deviation {:.3g} ± {:.2g}",
                                                        h.standard_deviation.estimate.value(),
                                                        h.standard_deviation.error.absolute.value())
                                          : std::string()),
         false});
  }
  figure.panels.push_back(std::move(panel));
  if (!histograms.empty()) {
    const HistogramTask& task = histograms.front().task;
    figure.caption.push_back(fmt::format(
        "{} pairs each, near distances uniform on {}, far ones on {}. Bands: 95% intervals of each "
        "bin; the errors of mean and standard deviation are half-widths at level {}.",
        task.pairs, range_text(task.near), range_text(task.far), task.confidence));
  }
  return figure;
}

}  // namespace tapalab
