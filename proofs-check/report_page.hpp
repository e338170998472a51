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
  std::string missing;  ///< why there is no SVG; empty where there is one
};

/// The whole page. Every text is escaped; no script, no link that leaves the page.
std::string report_page(const VerifyReport& report, const nlohmann::ordered_json& provenance,
                        const std::vector<PageFigure>& figures);

/// & < > " and ' as entities.
std::string html_escape(std::string_view text);

/// The <svg> element of an SVG document, its ids and references prefixed, so that several can stand
/// in one page, and `title` in the place of what gnuplot calls itself.
std::string inline_svg(const std::string& document, const std::string& prefix,
                       const std::string& title);

}  // namespace tapalab
