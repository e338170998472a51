#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/compare_read.hpp"
#include "proofs-check/report_page.hpp"
#include "sim/errors.hpp"

namespace tapalab {
namespace {

constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostJson = 20'000;

/// One table: the quantities of a series as columns, its points as rows.
struct ResultTable {
  std::string series;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::map<std::pair<std::string, std::string>, const ReadQuantity*> cells;  ///< by row, column
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::vector<ResultTable> result_tables(const ReadResult& result) {
  std::vector<ResultTable> tables;
  std::map<std::string, std::size_t> place;
  std::vector<std::set<std::string>> seen;  // rows of each table
  for (const ReadQuantity& item : result.quantities) {
    const auto [found, made] = place.emplace(item.identity, tables.size());
    if (made) {
      tables.push_back({item.series, {}, {}, {}});
      seen.emplace_back();
    }
    ResultTable& table = tables[found->second];
    add_once(table.columns, item.quantity);
    if (seen[found->second].insert(item.at).second) table.rows.push_back(item.at);
    table.cells[{item.at, item.quantity}] = &item;
  }
  return tables;
}

std::string cell_html(const ReadQuantity& item) {
  if (item.verdict) return html_escape(item.text);
  return fmt::format("{}<br><span class=\"soft\">[{}, {}]{}</span>", item.estimate.decimal(10),
                     item.lower.decimal(4, Rounding::down), item.upper.decimal(4, Rounding::up),
                     item.level ? fmt::format(" at {}", *item.level)
                                : (item.kind.empty() ? "" : " " + html_escape(item.kind)));
}

std::string table_html(const ResultTable& table) {
  std::string html =
      fmt::format("<h4>{}</h4><div class=\"wide\"><table class=\"stack\"><thead><tr><th>at</th>",
                  html_escape(table.series));
  for (const std::string& column : table.columns) html += "<th>" + html_escape(column) + "</th>";
  html += "</tr></thead><tbody>\n";
  const std::size_t shown = std::min(table.rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    html += fmt::format("<tr><td data-label=\"at\">{}</td>",
                        table.rows[i].empty() ? "-" : html_escape(table.rows[i]));
    for (const std::string& column : table.columns) {
      const auto found = table.cells.find({table.rows[i], column});
      html += fmt::format("<td class=\"number\" data-label=\"{}\">{}</td>", html_escape(column),
                          found == table.cells.end() ? "-" : cell_html(*found->second));
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (shown < table.rows.size())
    html += fmt::format("<p class=\"soft\">The first {} of {} points; the file holds all.</p>\n",
                        shown, table.rows.size());
  return html;
}

}  // namespace

std::string result_section(const PageResult& result) {
  const ReadResult read = read_result(result.text, result.name);
  if (!read.schema.starts_with("tapalab/"))
    throw InputError(
        fmt::format("{}: not a result of this program; accepted: a file that --format "
                    "json wrote",
                    result.name));
  std::string html = fmt::format(
      "<section class=\"claim\">\n<h3>{}</h3>\n<p class=\"soft\">{}{}"
      "</p>\n",
      html_escape(result.name), html_escape(read.schema),
      read.origin.empty() ? "" : "; " + html_escape(read.origin));
  if (!result.svg.empty())
    html += fmt::format("<figure><img alt=\"figure of {}\" src=\"{}\"></figure>\n",
                        html_escape(result.name), data_link("image/svg+xml", result.svg));
  for (const ResultTable& table : result_tables(read)) html += table_html(table);
  if (read.quantities.empty()) {
    const bool cut = result.text.size() > kMostJson;
    html += "<details><summary>JSON</summary><pre>" +
            html_escape(result.text.substr(0, kMostJson)) + (cut ? "\n..." : "") +
            "</pre></details>\n";
  }
  if (!read.command.empty())
    html += "<h4>Repeat it</h4><pre>" + html_escape(read.command) + "</pre>\n";
  return html + "</section>\n";
}

}  // namespace tapalab
