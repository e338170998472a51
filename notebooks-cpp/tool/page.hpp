// Notebooks as web pages.
#pragma once

#include <string>
#include <vector>

#include "notebooks-cpp/tool/percent.hpp"
#include "notebooks-cpp/tool/run.hpp"

namespace tapalab::notebook {

/// The notebook as pandoc's Markdown: text, code, and outputs as raw HTML.
std::string page_markdown(const PercentFile& file, const NotebookRun& run);

/// One self-contained page: formulas as MathML by pandoc, figures inside, no script, no request.
/// Throws UnavailableError where pandoc is not installed, std::runtime_error where it fails.
std::string page_html(const PercentFile& file, const NotebookRun& run);

/// The first heading of the text, else the file's name.
std::string notebook_title(const PercentFile& file);

/// The page that lists others: (file name, title) each.
std::string index_html(const std::vector<std::pair<std::string, std::string>>& pages);

}  // namespace tapalab::notebook
