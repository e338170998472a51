#include "analysis/crosscheck/writers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string cell(double x) { return fmt::format("{:.2e}", x); }

// A cell that only finite scores fill.
std::string cell(const CrosscheckPoint& point, double x) {
  return point.score.count == 0 ? "-" : cell(x);
}

constexpr const char* kCrosscheckColumns =
    "observed: largest error of a score (logits), with 99.99% quantile, rms and signed mean; "
    "bound: "
    "the largest of any score,\nits parts by stage in the last columns; ratio: bound/observed; "
    "worst: number of the pair observed; phase/turns: largest\nphase error, its bound, the largest "
    "at any distance of that size, and of which coordinates\n";

std::string pair_text(const CrosscheckPoint& point) {
  return point.phase_pair ? fmt::format("{}, {}", point.phase_pair->first, point.phase_pair->second)
                          : "-";
}

Json point_json(const CrosscheckPoint& point) {
  Json pair = nullptr;
  if (point.phase_pair) pair = Json::array({point.phase_pair->first, point.phase_pair->second});
  const bool any = point.score.count > 0;
  return {{"distance", point.distance},
          {"offset", point.offset},
          {"score", summary_json(point.score)},
          {"bound", any ? number(point.bound) : Json(nullptr)},
          {"budget", any ? budget_json(point.budget) : Json(nullptr)},
          {"phase_turns",
           {{"observed", point.phase_error},
            {"bound", point.phase_bound},
            {"worst_case", point.phase_worst_case},
            {"coordinates", std::move(pair)}}},
          {"shift", or_null(point.shift)},
          {"holds", point.holds}};
}

// Of the text, where the encoding depends on it.
std::optional<std::uint64_t> length_of(const Encoding& encoding) {
  return depends_on_length(encoding.law) ? encoding.sequence_length : std::nullopt;
}

std::string heading(const ScoreCheck& check) {
  std::string text =
      fmt::format("{}   {}   D = {}   {} samples, seed {}\n{}: {}\n", check.encoding.spec,
                  check.density.spec, check.head_dim, check.samples, check.seed,
                  precision_name(check.dtype), to_text(check.precisions));
  if (const auto length = length_of(check.encoding)) {
    text += fmt::format("frequencies of a text of {} tokens (--seq-len)\n", *length);
  }
  std::size_t non_finite = 0, lost = 0;
  bool within = true;
  for (const CrosscheckPoint& point : check.points) {
    non_finite += point.score.non_finite;
    lost += point.score.count == 0 ? 1 : 0;
    within = within && (point.holds || point.score.count == 0);
  }
  if (lost > 0)
    text +=
        fmt::format("FAILED: at {} of {} places no score is finite; ", lost, check.points.size());
  if (non_finite > 0) text += fmt::format("{} scores are not finite; of the others ", non_finite);
  text += within ? "every error is within its bound\n" : "an error is above its bound\n";
  if (check.horizon) {
    text += fmt::format("horizon for {:g} turns of phase error: {}\n", check.horizon->turns,
                        horizon_text(*check.horizon));
  }
  return text;
}

}  // namespace

std::string horizon_text(const Horizon& horizon) {
  if (!horizon.safe) return "none; distance 1 is beyond it";
  if (!horizon.next) return "beyond 2^63-1";
  return fmt::format("between {} and {}", *horizon.safe, *horizon.next);
}

std::string crosscheck_table(const std::vector<ScoreCheck>& checks) {
  std::string out;
  for (const ScoreCheck& check : checks) {
    if (!out.empty()) out += '\n';
    out += heading(check) + kCrosscheckColumns;
    const bool shifted = !check.points.empty() && check.points.front().shift.has_value();
    std::vector<std::string> header{"distance"};
    if (shifted) header.emplace_back("offset");
    for (const char* name : {"observed", "99.99%", "rms", "mean", "bound", "ratio", "non-finite",
                             "worst", "phase/turns", "its bound", "any distance", "coordinates"}) {
      header.emplace_back(name);
    }
    if (shifted) header.emplace_back("shift");
    for (const auto& name : kStageNames) header.emplace_back(name);
    std::vector<std::vector<std::string>> rows;
    for (const CrosscheckPoint& point : check.points) {
      std::vector<std::string> row{std::to_string(point.distance)};
      if (shifted) row.push_back(std::to_string(point.offset));
      const ErrorSummary& score = point.score;
      for (const double x : {score.max, score.p9999, score.rms, score.mean, point.bound}) {
        row.push_back(cell(point, x));
      }
      row.push_back(
          score.count > 0 && score.max > 0 ? fmt::format("{:.2f}", point.bound / score.max) : "-");
      row.push_back(std::to_string(score.non_finite));
      row.push_back(score.count == 0 ? "-" : std::to_string(score.worst));
      for (const double x : {point.phase_error, point.phase_bound, point.phase_worst_case}) {
        row.push_back(cell(x));
      }
      row.push_back(pair_text(point));
      if (shifted) row.push_back(point.shift ? cell(*point.shift) : "-");
      for (const double x : point.budget.part) row.push_back(cell(point, x));
      rows.push_back(std::move(row));
    }
    out += aligned_table(header, rows, {});
  }
  return out;
}

std::string crosscheck_csv(const std::vector<ScoreCheck>& checks) {
  std::string out =
      "encoding,density,head_dim,samples,seed,dtype,io,accum,phase,table,trig,distance,offset,"
      "max_error,p9999,rms,mean,bound,non_finite,worst_sample,phase_error,phase_bound,"
      "phase_worst_case,shift";
  for (const auto& name : kStageNames) out += fmt::format(",{}", name);
  out += '\n';
  for (const ScoreCheck& check : checks) {
    const Precisions& p = check.precisions;
    const std::string start =
        fmt::format("{},{},{},{},{},{},{},{},{},{},{}", csv_field(check.encoding.spec),
                    csv_field(check.density.spec), check.head_dim, check.samples, check.seed,
                    precision_name(check.dtype), precision_name(p.io), precision_name(p.accum),
                    precision_name(p.phase), precision_name(p.table), precision_name(p.trig));
    for (const CrosscheckPoint& point : check.points) {
      const ErrorSummary& score = point.score;
      const bool any = score.count > 0;
      const auto field = [&](double x) { return any ? fmt::format(",{}", x) : std::string(","); };
      out += fmt::format("{},{},{}", start, point.distance, point.offset);
      for (const double x : {score.max, score.p9999, score.rms, score.mean, point.bound}) {
        out += field(x);
      }
      out +=
          fmt::format(",{},{},{},{},{}", score.non_finite, any ? std::to_string(score.worst) : "",
                      point.phase_error, point.phase_bound, point.phase_worst_case);
      out += point.shift ? fmt::format(",{}", *point.shift) : ",";
      for (const double x : point.budget.part) out += field(x);
      out += '\n';
    }
  }
  return out;
}

Json precisions_json(FloatFormat dtype, const Precisions& p) {
  return {{"dtype", precision_name(dtype)},   {"io", precision_name(p.io)},
          {"accum", precision_name(p.accum)}, {"phase", precision_name(p.phase)},
          {"table", precision_name(p.table)}, {"trig", precision_name(p.trig)}};
}

Json summary_json(const ErrorSummary& summary) {
  const bool any = summary.count > 0;
  const auto value = [&](double x) { return any ? number(x) : Json(nullptr); };
  return {{"max_error", value(summary.max)},
          {"p9999", value(summary.p9999)},
          {"rms", value(summary.rms)},
          {"mean", value(summary.mean)},
          {"finite", summary.count},
          {"non_finite", summary.non_finite},
          {"worst", any ? Json(summary.worst) : Json(nullptr)}};
}

Json budget_json(const Budget& budget) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kStages; ++i) {
    json[std::string(kStageNames[i])] = number(budget.part[i]);
  }
  return json;
}

Json crosscheck_json(const ScoreCheck& check) {
  Json points = Json::array();
  for (const CrosscheckPoint& point : check.points) points.push_back(point_json(point));
  Json horizon = nullptr;
  if (check.horizon) {
    horizon = {{"turns", check.horizon->turns},
               {"safe", or_null(check.horizon->safe)},
               {"next", or_null(check.horizon->next)}};
  }
  return {{"encoding", encoding_json(check.encoding)},
          {"density", density_json(check.density)},
          {"head_dim", check.head_dim},
          {"samples", check.samples},
          {"seed", check.seed},
          {"seq_len", or_null(length_of(check.encoding))},
          {"precisions", precisions_json(check.dtype, check.precisions)},
          {"exact_sums", check.exact_sums},
          {"holds", check.holds},
          {"horizon", std::move(horizon)},
          {"points", std::move(points)}};
}

}  // namespace tapalab
