// The percent format of notebooks: a C++ source in which lines that begin with "// %%" start cells.
//
//   // %% [markdown]            text, each line after "// "
//   // %%                       code, run in order
//   // %% tags=["global"]       code at namespace scope: includes, functions, types
//
// A title may stand after the marker ("// %% Bias [markdown]"), and a header as jupytext writes it
// ("// ---" to "// ---") before the first cell.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapalab::notebook {

enum class CellKind { markdown, code };

struct Cell {
  CellKind kind = CellKind::code;
  bool global = false;                ///< code that is hoisted out of main
  std::string title{};                ///< may be empty
  std::size_t line = 0;               ///< of the file, from 1, where source begins
  std::vector<std::string> source{};  ///< without line ends; markdown without its "// "
};

struct PercentFile {
  std::string path;
  std::vector<Cell> cells;
};

/// `path` is what messages call the text. Throws InputError, naming path and line, for text that is
/// not in this format, an unknown cell type, key or tag, a marker, header or code cell that is not
/// terminated, and an #include outside of a global cell.
PercentFile parse_percent(std::string_view text, const std::string& path);

/// Reads the file. Throws InputError as well where it cannot be read.
PercentFile read_percent(const std::string& path);

}  // namespace tapalab::notebook
