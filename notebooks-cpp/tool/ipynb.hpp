// Notebooks as Jupyter reads them: nbformat 4.5.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "notebooks-cpp/tool/percent.hpp"
#include "notebooks-cpp/tool/run.hpp"

namespace tapalab::notebook {

/// The document: kernel xcpp20; cell ids by position, so that the same notebook gives the same ids.
/// It has been checked as by check_ipynb.
std::string ipynb_text(const PercentFile& file, const NotebookRun& run);

/// What nbformat 4.5's schema demands of the parts that notebooks here have: fields that must be
/// there and no others, their types, ids that are unique and well formed. Throws InputError that
/// names the first place at fault ("ipynb: cells[3].outputs[0].text: ...").
void check_ipynb(const nlohmann::json& document);
/// The same for a document's text. Throws InputError where it is no JSON as well.
void check_ipynb_text(const std::string& text);

}  // namespace tapalab::notebook
