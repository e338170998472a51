// Results of crosscheck in the page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "proofs-check/report_page.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using CrosscheckJson = nlohmann::ordered_json;

// What the columns are, so that the table is read without another page.
constexpr const char* kScoresLegend =
    "Each row: a distance |m - n|. Observed: the largest error of a score (logits) over the "
    "samples, against a reference that loses nothing. Bound: the largest running error bound of "
    "any "
    "of them. Ratio: bound over observed, at least 1 where bounds hold. Phase: the largest error "
    "of "
    "a phase or an angle in turns, and its bound; half a turn is all there is. Holds: every "
    "score's "
    "error is within its own bound.";
constexpr const char* kAttentionLegend =
    "Each row: a kernel. Observed: the largest error of an output against the reference. "
    "Tolerance: "
    "twice the error of the same computation in the io type plus twice the step of adding and "
    "removing 0.3. Ratio: tolerance over observed, at least 1 where the kernel passes.";

class CrosscheckReader {
 public:
  explicit CrosscheckReader(const std::string& name) : name_(name) {}

  const CrosscheckJson& at(const CrosscheckJson& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail(key);
    return object[key];
  }
  std::string text(const CrosscheckJson& object, const char* key) const {
    const CrosscheckJson& value = at(object, key);
    if (value.is_string()) return html_escape(value.get<std::string>());
    if (value.is_null()) return "-";
    if (!value.is_number() && !value.is_boolean()) fail(key);
    return html_escape(value.dump());
  }
  /// Four digits; "-" for what is undefined.
  std::string number(const CrosscheckJson& value) const {
    if (value.is_null()) return "-";
    if (!value.is_number()) fail("number");
    return fmt::format("{:.4g}", value.get<double>());
  }
  std::string ratio(const CrosscheckJson& bound, const CrosscheckJson& observed) const {
    if (!bound.is_number() || !observed.is_number() || !(observed.get<double>() > 0)) return "-";
    return fmt::format("{:.3g}", bound.get<double>() / observed.get<double>());
  }
  bool flag(const CrosscheckJson& object, const char* key) const {
    if (!at(object, key).is_boolean()) fail(key);
    return object[key].get<bool>();
  }
  const CrosscheckJson& list(const CrosscheckJson& object, const char* key) const {
    if (!at(object, key).is_array()) fail(key);
    return object[key];
  }
  std::string precisions(const CrosscheckJson& check) const {
    const CrosscheckJson& all = at(check, "precisions");
    std::string line = text(all, "dtype") + ":";
    for (const char* part : {"io", "accum", "phase", "table", "trig"})
      line += fmt::format(" {}={}", part, text(all, part));
    return line;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw InputError(fmt::format(
        "{}: no result of crosscheck ({}); accepted: a file that crosscheck --format json wrote",
        printable(name_), what));
  }
  const std::string& name_;
};

std::string crosscheck_cell(const char* label, const std::string& html, bool number = true) {
  return fmt::format("<td{} data-label=\"{}\">{}</td>", number ? " class=\"number\"" : "", label,
                     html);
}

std::string holds_cell(bool holds) {
  return crosscheck_cell("holds", holds ? "yes" : "<span class=\"fails\">no</span>", false);
}

std::string scores_html(const CrosscheckReader& read, const CrosscheckJson& check) {
  std::string html =
      fmt::format("<h4>{}, {}, D = {}</h4><p>{}; {} samples, seed {}.</p>\n",
                  read.text(read.at(check, "encoding"), "spec"),
                  read.text(read.at(check, "density"), "spec"), read.text(check, "head_dim"),
                  read.precisions(check), read.text(check, "samples"), read.text(check, "seed"));
  if (const CrosscheckJson& horizon = read.at(check, "horizon"); !horizon.is_null()) {
    const std::string safe = read.text(horizon, "safe");
    html += fmt::format(
        "<p>Largest distance up to which no phase can be off by more than {} turns: {}.</p>\n",
        read.text(horizon, "turns"), safe == "-" ? "none" : safe);
  }
  std::vector<std::string> failing, rows;
  for (const CrosscheckJson& point : read.list(check, "points")) {
    const CrosscheckJson &score = read.at(point, "score"), &phase = read.at(point, "phase_turns");
    const CrosscheckJson &observed = read.at(score, "max_error"), &bound = read.at(point, "bound");
    const std::string offset = read.text(point, "offset"), lost = read.text(score, "non_finite");
    const bool holds = read.flag(point, "holds");
    (holds ? rows : failing)
        .push_back(
            "<tr>" +
            crosscheck_cell("distance", read.text(point, "distance") +
                                            (offset == "0" ? "" : ", both moved by " + offset)) +
            crosscheck_cell("observed", read.number(observed) +
                                            (lost == "0" ? "" : " (" + lost + " not finite)")) +
            crosscheck_cell("bound", read.number(bound)) +
            crosscheck_cell("ratio", read.ratio(bound, observed)) +
            crosscheck_cell("phase", read.number(read.at(phase, "observed"))) +
            crosscheck_cell("phase bound", read.number(read.at(phase, "bound"))) +
            holds_cell(holds) + "</tr>\n");
  }
  rows.insert(rows.begin(), failing.begin(), failing.end());  // not to be folded away
  return html +
         folded_table(
             "<tr><th>distance</th><th>observed</th><th>bound</th><th>ratio</th><th>phase</th>"
             "<th>phase bound</th><th>holds</th></tr>",
             rows, "results",
             failing.empty() ? "; every bound holds"
                             : fmt::format("; the {} that fail come first", failing.size()));
}

std::string attention_html(const CrosscheckReader& read, const CrosscheckJson& report) {
  std::string html = fmt::format(
      "<h4>attention with {}, D = {}</h4><p>{}; {} rows of {} tokens, causal; {}.</p>\n",
      read.text(read.at(report, "encoding"), "spec"), read.text(report, "head_dim"),
      read.precisions(report), read.list(report, "rows").size(), read.text(report, "seq_len"),
      read.flag(report, "holds") ? "passed" : "<span class=\"fails\">failed</span>");
  const CrosscheckJson& tolerance = read.at(report, "tolerance");
  std::vector<std::string> rows;
  for (const auto& [key, name] :
       {std::pair{"emulated", "emulated"}, std::pair{"in_io_type", "all in the io type"},
        std::pair{"observed", "the file's"}}) {
    const CrosscheckJson& summary = read.at(report, key);
    if (summary.is_null()) continue;
    const CrosscheckJson& observed = read.at(summary, "max_error");
    rows.push_back("<tr>" + crosscheck_cell("kernel", name, false) +
                   crosscheck_cell("observed", read.number(observed)) +
                   crosscheck_cell("tolerance", read.number(tolerance)) +
                   crosscheck_cell("ratio", read.ratio(tolerance, observed)) + "</tr>\n");
  }
  return html +
         folded_table("<tr><th>kernel</th><th>observed</th><th>tolerance</th><th>ratio</th></tr>",
                      rows, "results", "");
}

}  // namespace

std::string crosscheck_html(const nlohmann::ordered_json& document, const std::string& name) {
  const CrosscheckReader read(name);
  std::string html;
  const auto part = [&](const char* key, const char* legend, const auto& to_html) {
    const CrosscheckJson& checks = read.list(document, key);
    if (!checks.empty()) html += fmt::format("<p class=\"soft\">{}</p>\n", legend);
    for (const CrosscheckJson& check : checks) html += to_html(read, check);
  };
  part("scores", kScoresLegend, scores_html);
  part("attention", kAttentionLegend, attention_html);
  return html;
}

}  // namespace tapalab
