#include "proofs-check/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "proofs-check/claim_formulas.hpp"
#include "proofs-check/report_style.hpp"

namespace tapalab {

std::string html_escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default: {
        // A page may hold no control characters but these.
        const auto byte = static_cast<unsigned char>(c);
        const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
        escaped += control ? std::string("\xEF\xBF\xBD") : std::string(1, c);
      }
    }
  return escaped;
}

std::string inline_svg(const std::string& document, const std::string& prefix,
                       const std::string& title) {
  const auto start = document.find("<svg");
  const auto end = document.rfind("</svg>");
  if (start == std::string::npos || end == std::string::npos) return {};
  std::string svg = document.substr(start, end + 6 - start);
  for (const char* element : {"title", "desc"}) {
    const std::string open = std::string("<") + element + ">",
                      close = std::string("</") + element + ">";
    const auto from = svg.find(open), to = svg.find(close);
    if (from == std::string::npos || to == std::string::npos) continue;
    svg.replace(from, to + close.size() - from,
                element == std::string_view("title") ? open + html_escape(title) + close : "");
  }
  svg = std::regex_replace(svg, std::regex(R"(\bid=(["']))"), "id=$1" + prefix);
  svg = std::regex_replace(svg, std::regex(R"(href=(["'])#)"), "href=$1#" + prefix);
  return std::regex_replace(svg, std::regex(R"(url\((["']?)#)"), "url($1#" + prefix);
}

std::string data_link(std::string_view type, std::string_view content) {
  std::string link = fmt::format("data:{};charset=utf-8,", type);
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~,:;/=";
  for (const char c : content)
    if (plain.find(c) != std::string_view::npos)
      link += c;
    else
      link += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return link;
}

std::string figure_drawings(const std::string& wide, const std::string& phone,
                            const std::string& prefix, const std::string& title) {
  return "<div class=\"desk\">" + inline_svg(wide, prefix, title) + "</div><div class=\"phone\">" +
         inline_svg(phone.empty() ? wide : phone, prefix + "phone-", title) + "</div>";
}

std::string folded_table(const std::string& head, const std::vector<std::string>& rows,
                         const std::string& css, const std::string& note) {
  constexpr std::size_t kOpen = 8;
  // A fold that hides two or three rows is more trouble than they are.
  const std::size_t open = rows.size() <= kOpen + 4 ? rows.size() : kOpen;
  const auto table = [&](std::size_t from, std::size_t to) {
    std::string html = fmt::format(
        "<div class=\"wide\"><table class=\"stack {}\"><thead>{}</thead><tbody>\n", css, head);
    for (std::size_t i = from; i < to; ++i) html += rows[i];
    return html + "</tbody></table></div>\n";
  };
  std::string html = table(0, open);
  if (open < rows.size())
    html += fmt::format("<details><summary>{} more of {} rows{}</summary>\n{}</details>\n",
                        rows.size() - open, rows.size(), note, table(open, rows.size()));
  return html;
}

namespace {

std::string badge(Verdict verdict) {
  return fmt::format("<span class=\"badge {0}\">{0}</span>", to_string(verdict));
}

std::string cell(std::string_view label, const std::string& html, std::string_view css = {}) {
  return fmt::format("<td{} data-label=\"{}\">{}</td>",
                     css.empty() ? std::string() : fmt::format(" class=\"{}\"", css), label, html);
}

std::string paragraph(std::string_view heading, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("<h4>{}</h4><p>{}</p>\n", heading, html_escape(text));
}

// Up to the first full stop that a capital follows: the rest stands with the claim.
std::string first_sentence(const std::string& text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i)
    if (text[i] == '.' && text[i + 1] == ' ' && text[i + 2] >= 'A' && text[i + 2] <= 'Z')
      return text.substr(0, i + 1);
  return text;
}

std::string overview(const VerifyReport& report) {
  std::string html =
      "<div class=\"wide\"><table class=\"stack\"><thead><tr><th>claim</th><th>verdict</th>"
      "<th>rigor</th><th>scope</th></tr></thead><tbody>\n";
  for (const ClaimOutcome& o : report.outcomes) {
    if (o.result.verdict == Verdict::not_run) continue;
    const std::string note = o.failed() ? " <span class=\"fails\">(recorded: " +
                                              std::string(to_string(o.claim.recorded)) + ")</span>"
                                        : "";
    html += "<tr>" +
            cell("claim", fmt::format("<a href=\"#{0}\">{0}</a>", html_escape(o.claim.id)), "id") +
            cell("verdict", badge(o.result.verdict) + note, "verdict") +
            cell("rigor", o.result.rigor ? std::string(to_string(*o.result.rigor)) : "-") +
            cell("scope", html_escape(o.result.reason.empty() ? first_sentence(o.result.scope)
                                                              : o.result.reason)) +
            "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string not_run(const VerifyReport& report) {
  std::string rows;
  for (const ClaimOutcome& o : report.outcomes)
    if (o.result.verdict == Verdict::not_run)
      rows += "<tr>" + cell("claim", html_escape(o.claim.id), "id") +
              cell("statement", html_escape(o.claim.statement)) +
              cell("why not", html_escape(o.result.reason), o.failed() ? "fails" : "") + "</tr>\n";
  if (rows.empty()) return {};
  return "<h2>What did not run, and why</h2>\n<div class=\"wide\"><table "
         "class=\"stack\"><thead><tr>"
         "<th>claim</th><th>statement</th><th>why not</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

// Rows that do not hold come first: they must not be folded away.
std::string evidence_table(const std::vector<Evidence>& evidence) {
  if (evidence.empty()) return {};
  std::vector<std::string> rows;
  std::size_t failing = 0;
  for (const bool holds : {false, true})
    for (const Evidence& row : evidence) {
      if (row.holds != holds) continue;
      failing += !holds;
      rows.push_back("<tr>" + cell("engine", html_escape(row.engine)) +
                     cell("quantity", html_escape(row.quantity)) +
                     cell("predicted", html_escape(row.predicted), "number") +
                     cell("observed", html_escape(row.observed), "number") +
                     cell("error", html_escape(row.error), "number") +
                     cell("holds", holds ? "yes" : "<span class=\"fails\">no</span>") + "</tr>\n");
    }
  return "<h4>Evidence</h4>\n" +
         folded_table(
             "<tr><th>engine</th><th>quantity</th><th>predicted</th><th>observed</th><th>error</th>"
             "<th>holds</th></tr>",
             rows, "evidence",
             failing == 0 ? "; every one holds"
                          : fmt::format("; the {} that fail come first", failing));
}

// Names for the rows and columns of a square matrix: a covariance of (q_A, k_A), said by its size,
// has those of its coordinates, any other one numbers.
std::vector<std::string> matrix_labels(const std::vector<WitnessField>& fields,
                                       const WitnessField& matrix) {
  const std::size_t size = matrix.rows.size();
  std::string half;
  for (const WitnessField& field : fields)
    if (field.name == "amplitude_dim" && field.rows.size() == 1 && field.rows.front().size() == 1)
      half = field.rows.front().front();
  const bool of_queries_and_keys = matrix.name == "covariance" &&
                                   half == std::to_string(size / 2) && size % 2 == 0 &&
                                   size == matrix.rows.front().size();
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::max(size, matrix.rows.front().size()); ++i)
    labels.push_back(!of_queries_and_keys ? std::to_string(i)
                     : i < size / 2       ? fmt::format("q_{}", i)
                                          : fmt::format("k_{}", i - size / 2));
  return labels;
}

std::string matrix_html(const std::vector<WitnessField>& fields, const WitnessField& matrix) {
  const std::vector<std::string> labels = matrix_labels(fields, matrix);
  std::string html = fmt::format(
      "<div class=\"wide\"><table class=\"matrix\"><caption>{}</caption><thead><tr><td></td>",
      html_escape(matrix.name));
  for (std::size_t j = 0; j < matrix.rows.front().size(); ++j)
    html += fmt::format("<th scope=\"col\">{}</th>", labels[j]);
  html += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", labels[i]);
    for (const std::string& entry : matrix.rows[i])
      html += fmt::format("<td>{}</td>", html_escape(entry));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string witness_block(const std::vector<WitnessField>& fields) {
  if (fields.empty()) return {};
  std::string text, matrices;
  for (const WitnessField& field : fields) {
    if (field.rows.size() == 1 && field.rows.front().size() == 1)
      text += field.name + " = " + field.rows.front().front() + "\n";
    else if (!field.rows.empty())
      matrices += matrix_html(fields, field);
  }
  return "<h4>Witness</h4><pre>" + html_escape(text) + "</pre>\n" + matrices;
}

std::string figure_html(const PageFigure& figure) {
  const std::string body =
      figure.missing.empty()
          ? figure_drawings(figure.svg, figure.phone, figure.name + "-", figure.title)
          : "<p class=\"fails\">Not drawn: " + html_escape(figure.missing) + "</p>";
  return fmt::format(
      "<figure aria-label=\"{}\">{}<figcaption class=\"soft\">Data: <a download=\"{}.csv\" "
      "href=\"{}\">{}.csv</a></figcaption></figure>\n",
      html_escape(figure.title), body, html_escape(figure.name), data_link("text/csv", figure.csv),
      html_escape(figure.name));
}

// A formula cut at its wide spaces, a <math> for each part, so that a narrow page can break the
// line there; whole where it is not one row.
std::string breakable(std::string_view formula) {
  constexpr std::string_view kHead = "<semantics><mrow>", kTail = "</mrow></semantics></math>",
                             kSpace = "<mspace width=\"";
  const auto head = formula.find(kHead);
  if (head == std::string_view::npos || !formula.ends_with(kTail)) return std::string(formula);
  std::string_view row = formula.substr(head + kHead.size());
  row.remove_suffix(kTail.size());
  std::string html, part;
  const auto flush = [&] {
    if (!part.empty()) html += "<math displaystyle=\"true\"><mrow>" + part + "</mrow></math> ";
    part.clear();
  };
  int depth = 0;
  while (!row.empty()) {
    const auto end = row.find('>') + 1;  // a tag, or the text before one and that tag
    const std::string_view piece = row.substr(0, end);
    row.remove_prefix(end);
    const bool closes = piece.find("</") != std::string_view::npos;
    if (depth == 0 && piece.starts_with(kSpace) && piece[kSpace.size()] >= '1' &&
        piece[kSpace.size()] <= '9') {
      row.remove_prefix(row.find('>') + 1);  // its own end
      flush();
      continue;
    }
    depth += closes ? -1 : 1;
    if (depth < 0) return std::string(formula);
    part += piece;
  }
  flush();
  return html;
}

// The statement as mathematics, from the program's own file of formulas.
std::string formula_html(const std::string& id) {
  const std::string_view formula = claim_formula(id);
  return formula.empty()
             ? std::string()
             : fmt::format("<div class=\"wide formula\">{}</div>\n", breakable(formula));
}

std::string repeat_html(const VerifyReport& report, const std::string& id) {
  const std::string effort =
      report.effort == Effort::normal ? "" : fmt::format(" --{}", to_string(report.effort));
  return fmt::format("<h4>Repeat it</h4><pre>tapalab verify {}{} --seed {}</pre>\n",
                     html_escape(id), effort, report.seed);
}

std::string claim_section(const VerifyReport& report, const ClaimOutcome& o,
                          const std::vector<PageFigure>& figures) {
  std::string html = fmt::format(
      "<section class=\"claim\" id=\"{}\">\n<h3>{} &middot; {}{}</h3>\n", html_escape(o.claim.id),
      html_escape(o.claim.id), badge(o.result.verdict),
      o.result.rigor ? fmt::format(" &middot; {}", to_string(*o.result.rigor)) : std::string());
  html += fmt::format(
      "<p class=\"soft\">{}; {:.2f} s{}</p>\n", html_escape(o.claim.source), o.result.seconds,
      o.failed() ? fmt::format("; <span class=\"fails\">recorded verdict: {}</span>",
                               to_string(o.claim.recorded))
                 : std::string());
  const bool derived = o.claim.source == "derived";
  html += paragraph(derived ? "Statement" : "Statement as printed", o.claim.statement) +
          formula_html(o.claim.id) + paragraph("Hypotheses", o.claim.hypotheses) +
          paragraph("Reason", o.result.reason) + paragraph("Correction", o.result.correction) +
          paragraph("Scope", o.result.scope) +
          paragraph("What would overturn it", o.as_recorded ? o.claim.overturned_by : "") +
          witness_block(o.result.witness);
  for (const PageFigure& figure : figures)
    if (figure.claim == o.claim.id) html += figure_html(figure);
  return html + evidence_table(o.result.evidence) + repeat_html(report, o.claim.id) +
         "</section>\n";
}

std::string claims_html(const VerifyReport& report, const std::vector<PageFigure>& figures) {
  const auto ran =
      std::count_if(report.outcomes.begin(), report.outcomes.end(),
                    [](const ClaimOutcome& o) { return o.result.verdict != Verdict::not_run; });
  std::string html =
      fmt::format("<p>{} of {} claims ran; {}. {} effort, seed {}, {:.1f} s.</p>\n", ran,
                  report.outcomes.size(),
                  report.exit_code() == 0
                      ? "every verdict is the recorded one"
                      : "<span class=\"fails\">not every verdict is the recorded one</span>",
                  to_string(report.effort), report.seed, report.seconds);
  html +=
      "<p class=\"soft\">A verdict is about the statement as printed; corrected means that a "
      "stated "
      "repair holds and the printed form does not. Rigor, strongest first: proved (a proof in "
      "docs/theory), certified (ball or rational arithmetic), numerical, statistical. The error of "
      "an observation is its half-width: of a ball (certain), of rounding (bounded), or of an "
      "interval at the stated level (probable).</p>\n";
  html += overview(report) + not_run(report) + "<h2>Claim by claim</h2>\n";
  for (const ClaimOutcome& o : report.outcomes)
    if (o.result.verdict != Verdict::not_run) html += claim_section(report, o, figures);
  return html;
}

}  // namespace

std::string report_page(const VerifyReport& report, const nlohmann::ordered_json& provenance,
                        const std::vector<PageFigure>& figures,
                        const std::vector<std::string>& results) {
  const bool claims = !report.outcomes.empty();
  const std::string title = claims ? "Claims checked" : "Results";
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>tapalab: "
      "{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      claims ? "claims checked" : "results", kReportStyle, title);
  if (claims) html += claims_html(report, figures);
  if (!results.empty()) {
    html += claims ? "<h2>Other results</h2>\n" : "";
    for (const std::string& result : results) html += result;
  }
  if (!provenance.is_null())
    html += "<details><summary>Provenance</summary><pre>" +
            html_escape(
                provenance.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
            "</pre></details>\n";
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace tapalab
