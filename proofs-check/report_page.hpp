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
  std::string svg;      ///< the whole SVG document
  std::string csv;      ///< its data
  std::string missing;  ///< why there is no SVG; empty where there is one
};

/// A result of another command, as its file holds it, and the figure that was drawn with it.
struct PageResult {
  std::string name;  ///< of the file
  std::string text;  ///< its JSON
  std::string svg;   ///< of its --plot; may be empty
};

/// The whole page. Every text is escaped; no script, no link that leaves the page: data stand in it
/// as links of their own (data:), and figures of results as images, which run nothing and load
/// nothing. Throws InputError for a result that is none of this program.
std::string report_page(const VerifyReport& report, const nlohmann::ordered_json& provenance,
                        const std::vector<PageFigure>& figures,
                        const std::vector<PageResult>& results = {});

/// The part of the page that shows one result: the command that repeats it, its figure, its
/// quantities with their intervals. Throws InputError.
std::string result_section(const PageResult& result);

/// A data: link with `content`, of a type such as "text/csv".
std::string data_link(std::string_view type, std::string_view content);

/// & < > " and ' as entities.
std::string html_escape(std::string_view text);

/// The <svg> element of an SVG document, its ids and references prefixed, so that several can stand
/// in one page, and `title` in the place of what gnuplot calls itself.
std::string inline_svg(const std::string& document, const std::string& prefix,
                       const std::string& title);

}  // namespace tapalab
