// Notebooks as Jupyter reads them: nbformat 4.5.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "notebooks-cpp/tool/percent.hpp"
#include "notebooks-cpp/tool/run.hpp"

namespace tapalab::notebook {

/// Kernel xcpp20; cell ids by position, so that the same notebook gives the same ids.
nlohmann::ordered_json ipynb(const PercentFile& file, const NotebookRun& run);

/// The file's text.
std::string ipynb_text(const nlohmann::ordered_json& document);

/// What nbformat 4.5's schema demands of the parts that notebooks here have: fields that must be
/// there and no others, their types, ids that are unique and well formed. Throws InputError that
/// names the first place at fault ("cells[3].outputs[0].text: ...").
void check_ipynb(const nlohmann::json& document);

}  // namespace tapalab::notebook
