// What a run of a notebook's program left: outputs, cell by cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "notebooks-cpp/tool/percent.hpp"

namespace tapalab::notebook {

/// Of a display: the figure before it, drawn for a narrow page.
inline constexpr std::string_view kPhoneFigure = "image/svg+xml;page=phone";

enum class OutputKind { stream, display, error };

struct Output {
  OutputKind kind = OutputKind::stream;
  std::string text{};   ///< printed, displayed, or the exception's message
  std::string mime{};   ///< of a display
  std::string ename{};  ///< of an error: the exception's type
  std::string where{};  ///< of an error: file, line and cell
};

struct CellRun {
  bool ran = false;  ///< to its end, or to its error
  std::vector<Output> outputs;
};

struct NotebookRun {
  std::vector<CellRun> cells;  ///< as many as the file's
  bool completed = false;      ///< all cells ran without an error

  /// The error that ended it; null where it completed.
  const Output* error() const;
  /// What ended it, on one line: place, type and text of the error.
  std::string message() const;
};

/// Reads the records of a Session (notebook.hpp), one JSON object a line. `exit_code` is that of
/// the program: one that ended before its last cell and left no error gets one. Throws InputError
/// for a record that is none, or of a cell that the file does not have.
NotebookRun read_run(const PercentFile& file, std::string_view records, int exit_code);

/// Runs the program of the notebook's translation unit. Throws UnavailableError where it cannot be
/// started.
NotebookRun run_notebook(const PercentFile& file, const std::string& program);

}  // namespace tapalab::notebook
