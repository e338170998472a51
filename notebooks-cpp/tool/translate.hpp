// One translation unit from a notebook.
#pragma once

#include <string>

#include "notebooks-cpp/tool/percent.hpp"

namespace tapalab::notebook {

/// Global cells at namespace scope, in order, then a main that runs the other code cells in order
/// and in one scope, so that a later cell sees what an earlier one declared. #line directives name
/// the notebook's lines to compilers and debuggers. `output` is what the rest is called there.
std::string translation_unit(const PercentFile& file, const std::string& output);

}  // namespace tapalab::notebook
