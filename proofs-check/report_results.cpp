#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/compare_read.hpp"
#include "analysis/writers/csv.hpp"
#include "proofs-check/report_page.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

/// What this program writes that a page shows in a section of its own (verify has a page).
constexpr const char* kResults[] = {
    "tapalab/compare/1", "tapalab/crosscheck/1", "tapalab/curve/1",
    "tapalab/fit/1",     "tapalab/histogram/1",  "tapalab/inspect/1",
    "tapalab/list/1",    "tapalab/retrieve/1",   "tapalab/shard/1"};
constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostLinked = 20'000;  ///< quantities in a link with all of them
constexpr std::size_t kMostJson = 20'000;

/// One table: the quantities of a series as columns, its points as rows.
struct ResultTable {
  std::string series;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::map<std::pair<std::string, std::string>, const ReadQuantity*> cells;  ///< by row, column
};

std::vector<ResultTable> result_tables(const ReadResult& result) {
  std::vector<ResultTable> tables;
  std::map<std::string, std::size_t> place;
  std::vector<std::set<std::string>> rows, columns;  // of each table
  for (const ReadQuantity& item : result.quantities) {
    const auto [found, made] = place.emplace(item.identity, tables.size());
    if (made) {
      tables.push_back({item.series, {}, {}, {}});
      rows.emplace_back();
      columns.emplace_back();
    }
    ResultTable& table = tables[found->second];
    if (columns[found->second].insert(item.quantity).second) table.columns.push_back(item.quantity);
    if (rows[found->second].insert(item.at).second) table.rows.push_back(item.at);
    table.cells[{item.at, item.quantity}] = &item;
  }
  return tables;
}

// A bound as its half-width, whatever its size; an interval by its ends.
std::string error_html(const ReadQuantity& item) {
  if (item.level)
    return fmt::format("[{}, {}] at {}", item.lower.decimal(6, Rounding::down),
                       item.upper.decimal(6, Rounding::up), *item.level);
  const Wide& estimate = item.estimate.wide();
  const LogNumber half(
      std::max(Wide(item.upper.wide() - estimate), Wide(estimate - item.lower.wide())));
  return fmt::format("&plusmn; {} {}", half.decimal(2, Rounding::up), html_escape(item.kind));
}

std::string cell_html(const ReadQuantity& item) {
  if (item.verdict) return html_escape(item.text);
  return fmt::format("{}<br><span class=\"soft\">{}</span>", item.estimate.decimal(10),
                     error_html(item));
}

// Where a row stands, and its status where that is not converged.
std::string row_html(const ResultTable& table, const std::string& row) {
  std::string html = row.empty() ? "-" : html_escape(row);
  for (const std::string& column : table.columns) {
    const auto found = table.cells.find({row, column});
    if (found == table.cells.end()) continue;
    const std::string& status = found->second->status;
    if (!status.empty() && status != "converged")
      html += "<br><span class=\"fails\">" + html_escape(status) + "</span>";
    break;
  }
  return html;
}

std::string table_html(const ResultTable& table) {
  std::string head = "<tr><th>at</th>";
  for (const std::string& column : table.columns) head += "<th>" + html_escape(column) + "</th>";
  head += "</tr>";
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < std::min(table.rows.size(), kMostRows); ++i) {
    std::string row =
        fmt::format("<tr><td data-label=\"at\">{}</td>", row_html(table, table.rows[i]));
    for (const std::string& column : table.columns) {
      const auto found = table.cells.find({table.rows[i], column});
      row += fmt::format("<td class=\"number\" data-label=\"{}\">{}</td>", html_escape(column),
                         found == table.cells.end() ? "-" : cell_html(*found->second));
    }
    rows.push_back(row + "</tr>\n");
  }
  std::string html = fmt::format("<h4>{}</h4>", html_escape(table.series)) +
                     folded_table(head, rows, "results", "");
  if (rows.size() < table.rows.size())
    html += fmt::format("<p class=\"soft\">The first {} of {} points.</p>\n", rows.size(),
                        table.rows.size());
  return html;
}

// Every quantity as it stands in the file.
std::string quantities_csv(const std::vector<ReadQuantity>& quantities) {
  std::string csv = "series,at,quantity,status,value,lower,upper,level,kind\n";
  for (const ReadQuantity& item : quantities) {
    csv += fmt::format("{},{},{},{},{}", csv_field(item.series), csv_field(item.at),
                       csv_field(item.quantity), csv_field(item.status), csv_field(item.text));
    csv += item.verdict ? std::string(",,,,\n")
                        : fmt::format(",{},{},{},{}\n", item.lower.decimal(), item.upper.decimal(),
                                      item.level ? fmt::format("{}", *item.level) : "",
                                      csv_field(item.kind));
  }
  return csv;
}

std::string data_html(const std::string& name, const ReadResult& read) {
  if (read.quantities.empty()) return {};
  if (read.quantities.size() > kMostLinked)
    return "<p class=\"soft\">The file holds all points.</p>\n";
  const std::string file =
      html_escape(escaped(std::filesystem::path(name).stem().string())) + ".csv";
  return fmt::format("<p class=\"soft\">Data: <a download=\"{0}\" href=\"{1}\">{0}</a></p>\n", file,
                     data_link("text/csv", quantities_csv(read.quantities)));
}

}  // namespace

std::string result_section(const std::string& name, const std::string& text,
                           const std::string& svg) {
  const ReadResult read = read_result(text, name);
  if (std::find(std::begin(kResults), std::end(kResults), read.schema) == std::end(kResults))
    throw InputError(
        fmt::format("{}: {} is no result of this program; accepted: a file that --format json "
                    "wrote",
                    printable(name), printable(read.schema)));
  std::string html = fmt::format(
      "<section class=\"claim\">\n<h3>{}</h3>\n<p class=\"soft\">{}{}"
      "</p>\n",
      html_escape(escaped(name)), html_escape(read.schema),
      read.origin.empty() ? "" : "; " + html_escape(read.origin));
  if (!svg.empty())
    html += fmt::format("<figure><img alt=\"figure of {}\" src=\"{}\"></figure>\n",
                        html_escape(escaped(name)), data_link("image/svg+xml", svg));
  for (const ResultTable& table : result_tables(read)) html += table_html(table);
  html += data_html(name, read);
  if (read.schema == "tapalab/crosscheck/1")
    html += crosscheck_html(nlohmann::ordered_json::parse(text), name);
  if (read.quantities.empty() && read.schema != "tapalab/crosscheck/1") {
    const bool cut = text.size() > kMostJson;
    html += "<details><summary>JSON</summary><pre>" + html_escape(text.substr(0, kMostJson)) +
            (cut ? "\n..." : "") + "</pre></details>\n";
  }
  if (!read.command.empty())
    html += "<h4>Repeat it</h4><pre>" + html_escape(read.command) + "</pre>\n";
  return html + "</section>\n";
}

}  // namespace tapalab
