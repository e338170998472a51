#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/distance_curve.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/retrieval/retrieval.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using RetrievalJson = nlohmann::ordered_json;

std::string_view status_of(const RetrievalPoint& point) {
  return to_string(point.carried_by_one ? Status::target_not_met : Status::converged);
}

std::string place_of(const RetrievalPoint& point) {
  return point.distance ? std::to_string(*point.distance) : "uniform";
}

const Quantity& largest_of(const RetrievalPoint& point) { return point.largest; }
const Quantity& mass_of(const RetrievalPoint& point) { return *point.mass; }

/// Between 0 and 1, where nothing is drawn by its logarithm: the marks of one quantity.
plot::Series series_of(const Retrieval& retrieval, std::size_t style, bool by_distance,
                       const Quantity& (*quantity)(const RetrievalPoint&)) {
  plot::Series series;
  series.style = style;
  series.sampled = true;
  for (const RetrievalPoint& point : retrieval.points) {
    if (by_distance != point.distance.has_value()) continue;
    if (by_distance && point.length != retrieval.task.lengths.back()) continue;
    const Quantity& value = quantity(point);
    const auto x = static_cast<double>(by_distance ? *point.distance : point.length);
    series.marks.push_back({std::log10(x), value.estimate.value(), value.error.lower.value(),
                            value.error.upper.value()});
  }
  return series;
}

}  // namespace

RetrievalJson retrievals_json(const std::vector<Retrieval>& retrievals,
                              const RetrievalJson& provenance) {
  RetrievalJson list = RetrievalJson::array();
  for (const Retrieval& retrieval : retrievals) {
    RetrievalJson points = RetrievalJson::array();
    for (const RetrievalPoint& point : retrieval.points)
      points.push_back(
          {{"length", point.length},
           {"distance", point.distance ? RetrievalJson(*point.distance) : RetrievalJson(nullptr)},
           {"status", status_of(point)},
           {"largest", quantity_json(point.largest)},
           {"mass", quantity_json(point.mass)}});
    const RetrievalTask& task = retrieval.task;
    list.push_back({{"encoding", encoding_json(task.encoding)},
                    {"density", density_json(task.density)},
                    {"head_dim", task.head_dim},
                    {"needle_rho", task.needle_rho.text()},
                    {"trials", task.trials},
                    {"seed", task.seed},
                    {"confidence", task.confidence},
                    {"method", retrieval.integrated ? "integrated" : "counted"},
                    {"points", std::move(points)}});
  }
  return {{"schema", "tapalab/retrieve/1"},
          {"provenance", provenance},
          {"retrievals", std::move(list)}};
}

std::string retrievals_table(const std::vector<Retrieval>& retrievals) {
  std::string text;
  for (const Retrieval& retrieval : retrievals) {
    const RetrievalTask& task = retrieval.task;
    text += fmt::format(
        "{}{}   {}   D = {}   needle rho = {}   {} trials, seed {}, intervals at {}\n",
        text.empty() ? "" : "\n", escaped(task.encoding.spec), escaped(task.density.spec),
        task.head_dim, escaped(task.needle_rho.text()), task.trials, task.seed, task.confidence);
    std::vector<std::vector<std::string>> rows;
    for (const RetrievalPoint& point : retrieval.points)
      rows.push_back({std::to_string(point.length), place_of(point),
                      point.largest.estimate.decimal(4), point.largest.error.absolute.decimal(2),
                      point.mass ? point.mass->estimate.decimal(4) : "-",
                      point.mass ? point.mass->error.absolute.decimal(2) : "-",
                      std::string(status_of(point))});
    text += aligned_table({"keys", "needle at", "P(largest)", "+-", "softmax mass", "+-", "status"},
                          rows, {false, false, false, false, false, false, true});
  }
  return text;
}

std::string retrievals_csv(const std::vector<Retrieval>& retrievals) {
  std::string text =
      "encoding,density,head_dim,needle_rho,length,distance,largest,largest_lower,largest_upper,"
      "mass,mass_lower,mass_upper,status\n";
  for (const Retrieval& retrieval : retrievals)
    for (const RetrievalPoint& point : retrieval.points) {
      text += fmt::format("{},{},{},{},{},{}", csv_field(retrieval.task.encoding.spec),
                          csv_field(retrieval.task.density.spec), retrieval.task.head_dim,
                          retrieval.task.needle_rho.text(), point.length,
                          point.distance ? std::to_string(*point.distance) : "");
      for (const Quantity* value : {&point.largest, point.mass ? &*point.mass : nullptr})
        text += value == nullptr
                    ? ",,,"
                    : fmt::format(",{},{},{}", value->estimate.decimal(17),
                                  value->error.lower.decimal(17), value->error.upper.decimal(17));
      text += fmt::format(",{}\n", status_of(point));
    }
  return text;
}

plot::Figure retrieval_figure(const std::vector<Retrieval>& retrievals) {
  const bool by_distance = !retrievals.front().task.distances.empty();
  plot::Figure figure;
  figure.title = "Does a query find its key?";
  figure.x_label = by_distance ? "distance of the needle (tokens)" : "keys";
  plot::Panel largest, mass;
  largest.y_label = "P(needle has the largest score)";
  mass.y_label = "softmax mass on the needle";
  largest.zero_base = mass.zero_base = true;
  for (std::size_t i = 0; i < retrievals.size(); ++i) {
    const Retrieval& retrieval = retrievals[i];
    largest.series.push_back(series_of(retrieval, i, by_distance, largest_of));
    if (retrieval.task.masses) mass.series.push_back(series_of(retrieval, i, by_distance, mass_of));
    figure.legend.push_back({plot::LegendRow::Sample::curve, i,
                             fmt::format("{} · {} · D = {} · needle rho = {}",
                                         retrieval.task.encoding.spec, retrieval.task.density.spec,
                                         retrieval.task.head_dim, retrieval.task.needle_rho.text()),
                             false});
  }
  figure.panels.push_back(std::move(largest));
  if (!mass.series.empty()) figure.panels.push_back(std::move(mass));
  const RetrievalTask& task = retrievals.front().task;
  figure.caption.push_back(fmt::format(
      "{}{} trials, seed {}. Bands: intervals at level {}. Distractors know nothing of the query.",
      by_distance ? fmt::format("{} keys. ", task.lengths.back())
                  : std::string("The needle stands at a uniform distance. "),
      task.trials, task.seed, task.confidence));
  return figure;
}

}  // namespace tapalab
