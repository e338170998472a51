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

/// A data: link with `content`, of a type such as "text/csv".
std::string data_link(std::string_view type, std::string_view content);

/// & < > " and ' as entities.
std::string html_escape(std::string_view text);

/// The <svg> element of an SVG document, its ids and references prefixed, so that several can stand
/// in one page, and `title` in the place of what gnuplot calls itself.
std::string inline_svg(const std::string& document, const std::string& prefix,
                       const std::string& title);

}  // namespace tapalab
