// Whether the code of a cell can stand by itself between two others.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tapalab::notebook {

/// A fault at a line of the code, from 0.
struct CodeFault {
  std::size_t line = 0;
  std::string what;
};

/// The first comment, string or bracket of `code` that does not end in it, or bracket that does not
/// begin in it; preprocessor conditionals are not looked into.
std::optional<CodeFault> unbalanced(const std::vector<std::string>& code);

}  // namespace tapalab::notebook
