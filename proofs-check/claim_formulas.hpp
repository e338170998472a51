// Statements of claims as mathematics.
#pragma once

#include <string_view>

namespace tapalab {

/// The statement of a claim as one MathML element, made from claim_formulas.txt; empty for an id
/// that has none.
std::string_view claim_formula(std::string_view id);

}  // namespace tapalab
