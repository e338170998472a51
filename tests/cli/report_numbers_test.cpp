// Every number on the page of report is one of the JSON that it was made from.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "catch.hpp"
#include "cli/run_program.hpp"
#include "proofs-check/claim.hpp"

using namespace tapalab::test;
using nlohmann::json;

namespace {

std::string without(const std::string& html, const char* pattern) {
  return std::regex_replace(html, std::regex(pattern), " ");
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Cuts what lies between two marks, marks included.
std::string cut(std::string html, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = html.find(from, at)) != std::string::npos;) {
    const auto end = html.find(to, at);
    REQUIRE(end != std::string::npos);
    html.replace(at, end + to.size() - at, " ");
  }
  return html;
}

/// The page without figures, formulas and data: what is left is short enough for std::regex, whose
/// stack grows with the text.
std::string plain_page(std::string html) {
  for (const auto& [from, to] : {std::pair{"<style", "</style>"}, std::pair{"<svg", "</svg>"},
                                 std::pair{"<math", "</math>"}, std::pair{"href=\"data:", "\""}})
    html = cut(html, from, std::string(to));
  return html;
}

/// What a reader sees of it.
std::string visible(std::string html) {
  html = cut(html, "<", ">");
  for (const auto& [entity, text] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""},
        std::pair{"&#39;", "'"}, std::pair{"&middot;", " "}, std::pair{"&plusmn;", "+-"},
        std::pair{"&amp;", "&"}})
    html = replaced_all(html, entity, text);
  return html;
}

std::set<std::string> numbers_in(const std::string& text) {
  static const std::regex number(R"([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)");
  return {std::sregex_token_iterator(text.begin(), text.end(), number),
          std::sregex_token_iterator()};
}

void check_among(const std::set<std::string>& shown, const std::set<std::string>& known) {
  for (const std::string& number : shown) {
    INFO(number);
    CHECK(known.count(number) == 1);
  }
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto start = text.find(from);
  REQUIRE(start != std::string::npos);
  const auto end = text.find(to, start + from.size());
  REQUIRE(end != std::string::npos);
  return text.substr(start + from.size(), end - start - from.size());
}

struct Cell {
  std::string label, text;
};
std::vector<Cell> cells_of(const std::string& html) {
  static const std::regex pattern(
      R"re(<td[^>]* data-label="([^"]*)">((?:[^<]|<(?!/td>))*)</td>)re");
  std::vector<Cell> cells;
  for (std::sregex_iterator match(html.begin(), html.end(), pattern), end; match != end; ++match)
    cells.push_back({(*match)[1], visible((*match)[2])});
  return cells;
}

double seen(const std::string& text) { return std::stod(text); }

/// `text` begins with `number` rounded to `digits` significant digits.
void check_rounded(const std::string& text, const json& number, int digits) {
  INFO(text);
  const double x = number.get<double>();
  CHECK(std::abs(seen(text) - x) <= 0.5001 * std::pow(10.0, 1 - digits) * std::abs(x));
}

void check_claim(const std::string& page, const json& claim, std::uint64_t seed) {
  const auto id = claim.at("id").get<std::string>();
  INFO(id);
  std::string section = between(page, "id=\"" + id + "\">", "</section>");
  std::smatch seconds;
  const std::regex took(R"(; ([0-9]+\.[0-9]{2}) s</p>)");
  REQUIRE(std::regex_search(section, seconds, took));
  CHECK(std::abs(seen(seconds[1]) - claim.at("seconds").get<double>()) <= 0.00501);
  section = without(section, R"(; [0-9]+\.[0-9]{2} s</p>)");

  const std::string overturned = "<h4>What would overturn it</h4>";
  const tapalab::Claim* known = tapalab::find_claim(id);
  REQUIRE(known != nullptr);
  CHECK(visible(between(section, overturned + "<p>", "</p>")) == known->overturned_by);
  section = cut(section, overturned, "</p>");

  // each row of evidence, field by field
  const json& evidence = claim.at("evidence");
  REQUIRE_FALSE(evidence.empty());
  const std::vector<Cell> cells = cells_of(section);
  const std::vector<std::string> fields = {"engine",   "quantity", "predicted",
                                           "observed", "error",    "holds"};
  REQUIRE(cells.size() == fields.size() * evidence.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const json& row = evidence.at(i / fields.size());
    const std::string& field = fields[i % fields.size()];
    CHECK(cells[i].label == field);
    CHECK(cells[i].text == (field == "holds" ? (row.at(field).get<bool>() ? "yes" : "no")
                                             : row.at(field).get<std::string>()));
  }
  if (std::smatch fold; std::regex_search(section, fold, std::regex("([0-9]+) more of ([0-9]+)"))) {
    CHECK(std::stoul(fold[2]) == evidence.size());
    CHECK(std::stoul(fold[1]) == evidence.size() - 8);
    section = without(section, "[0-9]+ more of [0-9]+ rows");
  } else {
    CHECK(evidence.size() <= 12);
  }

  // the witness, a matrix entry by entry under its coordinates
  for (const auto& item : claim.at("witness").items()) {
    if (item.value().is_string()) {
      CHECK(section.find(item.key() + " = " + item.value().get<std::string>()) !=
            std::string::npos);
      continue;
    }
    const std::string table = between(section, "<caption>" + item.key() + "</caption>", "</table>");
    std::string expected, labels;
    const std::size_t half = item.value().size() / 2;
    for (const json& row : item.value())
      for (const json& entry : row) expected += entry.get<std::string>() + " ";
    for (std::size_t i = 0; i < 2 * half; ++i)
      labels += fmt::format("{}_{} ", i < half ? "q" : "k", i % half);
    std::string shown, row_labels, column_labels;
    const std::regex entries("<td>([^<]+)</td>"), names("<th scope=\"(row|col)\">([^<]+)</th>");
    for (std::sregex_iterator m(table.begin(), table.end(), entries), end; m != end; ++m)
      shown += (*m)[1].str() + " ";
    for (std::sregex_iterator m(table.begin(), table.end(), names), end; m != end; ++m)
      ((*m)[1] == "row" ? row_labels : column_labels) += (*m)[2].str() + " ";
    CHECK(shown == expected);
    CHECK(row_labels == labels);
    CHECK(column_labels == labels);
    section = without(section, "<th scope=\"[a-z]+\">[^<]+</th>");
  }

  std::set<std::string> of_claim = numbers_in(claim.dump());
  of_claim.insert(std::to_string(seed));
  check_among(numbers_in(visible(section)), of_claim);
}

std::string decoded(const std::string& link) {
  std::string text;
  for (std::size_t i = link.find(',') + 1; i < link.size(); ++i) {
    if (link[i] != '%') {
      text += link[i];
      continue;
    }
    text += static_cast<char>(std::stoi(link.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  return text;
}

/// Name and content of every table that the page holds as a link.
std::vector<std::pair<std::string, std::string>> linked_tables(const std::string& page) {
  std::vector<std::pair<std::string, std::string>> tables;
  const std::string name_mark = "download=\"", data_mark = "\" href=\"data:text/csv";
  for (std::size_t at = 0; (at = page.find(name_mark, at)) != std::string::npos;) {
    const std::size_t name = at + name_mark.size(), data = page.find(data_mark, name);
    REQUIRE(data != std::string::npos);
    at = page.find('"', data + data_mark.size());
    tables.emplace_back(
        page.substr(name, data - name),
        decoded(page.substr(data + data_mark.size(), at - data - data_mark.size())));
  }
  return tables;
}

}  // namespace

TEST_CASE("every number that the page of verify shows is one of verify.json") {
  const TempDirectory directory;
  const std::string out = directory.file("out");
  REQUIRE(run_program({"verify", "theorem-3.3", "base-scaling", "kernel", "--quick", "--seed", "7",
                       "--out-dir", out, "--quiet"})
              .code == 0);
  const std::string text = read_file(out + "/verify.json");
  const json document = json::parse(text);
  const std::string whole = read_file(out + "/report.html");
  std::string page = plain_page(whole);
  const json& claims = document.at("claims");
  REQUIRE(claims.size() == 3);
  for (const json& claim : claims)
    if (claim.at("verdict") != "not-run") check_claim(page, claim, 7);

  const auto tables = linked_tables(whole);
  REQUIRE(tables.size() == 1);
  for (const auto& [name, content] : tables) CHECK(content == read_file(out + "/" + name));

  // and beside the claims
  page = cut(page, "<section class=\"claim\"", "</section>");
  std::smatch head;
  REQUIRE(std::regex_search(page, head,
                            std::regex(R"(<p>2 of 3 claims ran; [^.]*\. quick effort, seed 7, )"
                                       R"(([0-9.]+) s\.</p>)")));
  CHECK(std::abs(seen(head[1]) - document.at("seconds").get<double>()) <= 0.0501);
  page = without(page, R"(<p>2 of 3 claims ran;[^<]*</p>)");
  check_among(numbers_in(visible(page)), numbers_in(text));
}

TEST_CASE("every number that the page shows of other results is one of theirs") {
  const TempDirectory directory;
  const std::string curve = directory.file("curve.json"), check = directory.file("check.json"),
                    out = directory.file("out");
  REQUIRE(run_program({"curve", "--head-dim", "8", "--distances", "log:1:1e6:20", "--engine", "mc",
                       "--samples", "2000", "--out", curve, "--quiet"})
              .code == 0);
  // 70000 is beyond the largest number of fp16: the command says that a check fell short
  REQUIRE(run_program({"crosscheck", "--head-dim", "8", "--dtype", "fp16", "--distances",
                       "1,10,70000", "--samples", "200", "--out", check, "--quiet"})
              .code == 1);
  REQUIRE(run_program({"report", curve, check, "--out-dir", out, "--quiet"}).code == 0);
  const std::string whole = read_file(out + "/report.html"), page = plain_page(whole);

  const json points = json::parse(read_file(curve)).at("curves").at(0).at("points");
  std::string section = between(page, "<h3>" + curve + "</h3>", "</section>");
  std::vector<Cell> cells = cells_of(section);
  const std::vector<std::string> quantities = {"mean", "envelope", "variance", "variance_excess"};
  REQUIRE(cells.size() == points.size() * (1 + quantities.size()));
  std::string csv;
  for (const auto& [name, content] : linked_tables(whole))
    if (name == "curve.csv") csv = content;
  CHECK(count_lines(csv) == 1 + points.size() * quantities.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const json& point = points.at(i);
    const std::size_t first = i * (1 + quantities.size());
    const std::string where = fmt::format("distance {}", point.at("distance").get<std::uint64_t>());
    CHECK(cells[first].text.starts_with(where));
    CHECK((cells[first].text.find("unresolved") != std::string::npos) ==
          (point.at("status") == "unresolved"));
    for (std::size_t k = 0; k < quantities.size(); ++k) {
      const Cell& cell = cells[first + 1 + k];
      const json& quantity = point.at(quantities[k]);
      const json& error = quantity.at("error");
      CHECK(cell.label == quantities[k]);
      check_rounded(cell.text, quantity.at("value"), 10);
      std::smatch ends;
      REQUIRE(std::regex_search(cell.text, ends, std::regex(R"(\[(\S+), (\S+)\] at (\S+))")));
      CHECK(seen(ends[3]) == error.at("level").get<double>());
      // outwards, by less than one in the sixth digit
      const double lower = std::stod(error.at("lower").get<std::string>()),
                   upper = std::stod(error.at("upper").get<std::string>());
      CHECK(seen(ends[1]) <= lower + 1e-15 * std::abs(lower));
      CHECK(seen(ends[2]) >= upper - 1e-15 * std::abs(upper));
      CHECK(lower - seen(ends[1]) <= 1e-5 * std::abs(lower));
      CHECK(seen(ends[2]) - upper <= 1e-5 * std::abs(upper));
      CHECK(csv.find("," + quantity.at("decimal").get<std::string>() + ",") != std::string::npos);
    }
  }

  json rows = json::parse(read_file(check)).at("scores").at(0).at("points");
  section = between(page, "<h3>" + check + "</h3>", "</section>");
  cells = cells_of(section);
  constexpr std::size_t kColumns = 7;
  REQUIRE(cells.size() == kColumns * rows.size());
  // what fails comes first
  std::stable_sort(rows.begin(), rows.end(), [](const json& a, const json& b) {
    return a.at("holds").get<bool>() < b.at("holds").get<bool>();
  });
  CHECK(rows.at(0).at("holds") == false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json &row = rows.at(i), &score = row.at("score"), &phase = row.at("phase_turns");
    const Cell* const cell = &cells[kColumns * i];
    CHECK(cell[0].text == row.at("distance").dump());
    CHECK(cell[6].text.find(row.at("holds").get<bool>() ? "yes" : "no") != std::string::npos);
    check_rounded(cell[4].text, phase.at("observed"), 4);
    check_rounded(cell[5].text, phase.at("bound"), 4);
    if (score.at("max_error").is_null()) {
      CHECK(cell[1].text == "- (200 not finite)");
      CHECK(cell[2].text == "-");
      CHECK(cell[3].text == "-");
      continue;
    }
    check_rounded(cell[1].text, score.at("max_error"), 4);
    check_rounded(cell[2].text, row.at("bound"), 4);
    check_rounded(cell[3].text, row.at("bound").get<double>() / score.at("max_error").get<double>(),
                  3);
  }
  CHECK(section.find("fp16: io=fp16 accum=fp32 phase=fp16 table=fp16 trig=fp16") !=
        std::string::npos);
}

TEST_CASE("a result is what its schema says, whatever else its text holds") {
  const TempDirectory directory;
  const std::string curve = directory.file("curve.json");
  REQUIRE(run_program({"curve", "--head-dim", "8", "--distances", "3", "--out", curve, "--quiet"})
              .code == 0);
  json document = json::parse(read_file(curve));
  document["provenance"]["note"] = "tapalab/verify/1";
  const std::string odd = directory.write("odd.json", document.dump());
  CHECK(run_program({"report", odd, "--out-dir", directory.file("out"), "--quiet"}).code == 0);
  CHECK(read_file(directory.file("out/report.html")).find("distance 3") != std::string::npos);
}
