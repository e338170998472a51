// report.html from what `verify` found.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proofs-check/verify.hpp"

namespace tapalab {

/// A figure as it stands in the page.
struct PageFigure {
  std::string name;
  std::string claim;
  std::string title;
  std::string svg;      ///< the whole SVG document, for a wide page
  std::string phone;    ///< the same figure for a narrow one
  std::string csv;      ///< its data
  std::string missing;  ///< why there is no SVG; empty where there is one
};

/// The whole page. Every text is escaped; no script, no link that leaves the page: data stand in it
/// as links of their own (data:), and figures of results as images, which run nothing and load
/// nothing. `results`: sections below the claims, from result_section.
std::string report_page(const VerifyReport& report, const nlohmann::ordered_json& provenance,
                        const std::vector<PageFigure>& figures,
                        const std::vector<std::string>& results = {});

/// The part of the page that shows a result of another command: the command that repeats it, its
/// figure, its quantities with their errors and statuses. `name` and `text`: of the file, JSON;
/// `svg`: of its --plot, may be empty. Throws InputError for what is no result of this program.
std::string result_section(const std::string& name, const std::string& text,
                           const std::string& svg);

/// Both drawings of a figure, of which the page's width shows one.
std::string figure_drawings(const std::string& wide, const std::string& phone,
                            const std::string& prefix, const std::string& title);

/// A table whose first rows stand open and the rest folded behind a line that says how many there
/// are and `note`. Rows are whole <tr> elements; `css` is the table's class.
std::string folded_table(const std::string& head, const std::vector<std::string>& rows,
                         const std::string& css, const std::string& note);

/// The part of a result of crosscheck: what was emulated, a line that says what the columns are,
/// and for each distance (or kernel of attention) observed error, bound and their ratio.
/// `document`: the whole result. Throws InputError where it is none.
std::string crosscheck_html(const nlohmann::ordered_json& document, const std::string& name);

/// A data: link with `content`, of a type such as "text/csv".
std::string data_link(std::string_view type, std::string_view content);

/// & < > " and ' as entities.
std::string html_escape(std::string_view text);

/// The <svg> element of an SVG document, its ids and references prefixed, so that several can stand
/// in one page, and `title` in the place of what gnuplot calls itself.
std::string inline_svg(const std::string& document, const std::string& prefix,
                       const std::string& title);

}  // namespace tapalab
