#include "analysis/crosscheck/attention_writers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/crosscheck/writers.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

struct NamedSummary {
  const char* name;
  const ErrorSummary* summary;
};

std::vector<NamedSummary> summaries_of(const AttentionCheck& check) {
  std::vector<NamedSummary> all{{"emulated", &check.kernel}, {"in io type", &check.io}};
  if (check.observed) all.push_back({"observed", &*check.observed});
  return all;
}

std::string source_of(const AttentionReport& report) {
  return report.density ? fmt::format("{}   seed {}", report.density->spec, *report.seed)
                        : fmt::format("{}   head {}", report.inputs, report.head);
}

std::string worst_place(const AttentionCheck& check, const ErrorSummary& summary) {
  if (summary.count == 0) return "-";
  return fmt::format("{}, {}", check.rows[summary.worst / check.head_dim],
                     summary.worst % check.head_dim);
}

Json summary_with_place(const AttentionCheck& check, const ErrorSummary& summary) {
  Json json = summary_json(summary);
  json["worst"] = summary.count == 0 ? Json(nullptr)
                                     : Json{{"row", check.rows[summary.worst / check.head_dim]},
                                            {"coordinate", summary.worst % check.head_dim}};
  return json;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

std::string attention_table(const std::vector<AttentionReport>& reports) {
  std::string out;
  for (const AttentionReport& report : reports) {
    const AttentionCheck& check = report.check;
    if (!out.empty()) out += '\n';
    out += fmt::format("{}   {}   D = {}   {} rows of {} tokens, causal\n{}: {}\n",
                       report.encoding.spec, source_of(report), check.head_dim, check.rows.size(),
                       check.seq_len, precision_name(report.dtype), to_text(report.precisions));
    out += fmt::format("{}: tolerance {:.3e} = 2 x {:.3e} + 2 x {:.3e}\n",
                       check.holds ? "passed" : "FAILED", check.tolerance, check.io.max,
                       check.io_spacing);
    if (check.observed && check.kernel.max > 0) {
      out += fmt::format("observed: {:.3g} times the largest error of the emulated kernel\n",
                         check.observed->max / check.kernel.max);
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, summary] : summaries_of(check)) {
      std::vector<std::string> row{name};
      for (const double x : {summary->max, summary->p9999, summary->rms, summary->mean}) {
        row.push_back(summary->count == 0 ? "-" : fmt::format("{:.3e}", x));
      }
      row.push_back(std::to_string(summary->non_finite));
      row.push_back(worst_place(check, *summary));
      rows.push_back(std::move(row));
    }
    out += aligned_table(
        {"kernel", "max error", "99.99%", "rms", "mean", "non-finite", "worst row, coordinate"},
        rows, {true});
    if (check.budget_rows == 0) continue;
    out += fmt::format("by stage over {} rows (max error {:.3e}):", check.budget_rows,
                       check.budget_error);
    for (std::size_t i = 0; i < kStages; ++i) {
      out += fmt::format(" {} {:.2e}", kStageNames[i], check.budget.part[i]);
    }
    out += '\n';
  }
  return out;
}

std::string attention_csv(const std::vector<AttentionReport>& reports) {
  std::string out =
      "encoding,source,head_dim,seq_len,rows,dtype,io,accum,phase,table,trig,kernel,max_error,"
      "p9999,rms,mean,non_finite,tolerance,holds\n";
  for (const AttentionReport& report : reports) {
    const AttentionCheck& check = report.check;
    const Precisions& p = report.precisions;
    for (const auto& [name, summary] : summaries_of(check)) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(report.encoding.spec),
                         csv_field(source_of(report)), check.head_dim, check.seq_len,
                         check.rows.size(), precision_name(report.dtype), precision_name(p.io),
                         precision_name(p.accum), precision_name(p.phase), precision_name(p.table),
                         precision_name(p.trig), name);
      for (const double x : {summary->max, summary->p9999, summary->rms, summary->mean}) {
        out += summary->count == 0 ? "," : fmt::format(",{}", x);
      }
      out += fmt::format(",{},{},{}\n", summary->non_finite, check.tolerance, check.holds);
    }
  }
  return out;
}

Json attention_json(const AttentionReport& report) {
  const AttentionCheck& check = report.check;
  Json budget = nullptr;
  if (check.budget_rows > 0) {
    budget = {{"rows", check.budget_rows},
              {"max_error", check.budget_error},
              {"stages", budget_json(check.budget)}};
  }
  return {{"encoding", encoding_json(report.encoding)},
          {"density", report.density ? density_json(*report.density) : Json(nullptr)},
          {"seed", report.seed ? Json(*report.seed) : Json(nullptr)},
          {"inputs", text_or_null(report.inputs)},
          {"observed_file", text_or_null(report.observed)},
          {"head", report.inputs.empty() ? Json(nullptr) : Json(report.head)},
          {"head_dim", check.head_dim},
          {"seq_len", check.seq_len},
          {"rows", check.rows},
          {"precisions", precisions_json(report.dtype, report.precisions)},
          {"emulated", summary_with_place(check, check.kernel)},
          {"in_io_type", summary_with_place(check, check.io)},
          {"observed", check.observed ? summary_with_place(check, *check.observed) : Json(nullptr)},
          {"io_spacing", check.io_spacing},
          {"tolerance", check.tolerance},
          {"budget", std::move(budget)},
          {"holds", check.holds}};
}

}  // namespace tapalab
