// What the code of a notebook may call: outputs beside its standard output, and checks.
#pragma once

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace tapalab::notebook {

/// Shows an SVG document, an HTML fragment or Markdown (with $...$ for formulas) below the cell,
/// in order with what it prints. `phone`: the same figure for a narrow page, which .ipynb leaves
/// out; may be empty.
void display_svg(const std::string& svg, const std::string& phone = "");
void display_html(const std::string& html);
void display_markdown(const std::string& markdown);

/// A table of plain text; columns after the first are aligned to the right.
void display_table(const std::vector<std::string>& header,
                   const std::vector<std::vector<std::string>>& rows);

/// What `require` throws; the message ends with the notebook's line.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws CheckFailed unless `holds`: "TEXT does not hold (FILE:LINE)".
void require(bool holds, const std::string& text, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

/// Records what a run of a notebook prints and shows, cell by cell, for notebook-build. One at a
/// time. Without a file to record to (the program's first argument) outputs go to the terminal,
/// displays as one line each.
class Session {
 public:
  Session(int argc, char** argv, std::string notebook);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The cell with this index (markdown cells count) runs from now on; `line` to `end` - 1 are its
  /// lines in the notebook.
  void begin(std::size_t cell, std::size_t line, std::size_t end);
  /// Call in a handler: records the exception that is being handled; gives the exit status 1.
  int failed();
  /// All cells have run; gives the exit status 0.
  int done();

  /// One output as MIME type and text.
  void display(const std::string& mime, const std::string& text);

 private:
  void flush();
  void record(const std::string& line);

  std::string notebook_;
  std::size_t cell_ = 0, line_ = 0, end_ = 0;
  std::FILE* records_ = nullptr;  ///< null: to the terminal
  std::FILE* captured_ = nullptr;
  int terminal_ = -1;  ///< standard output as it was
};

}  // namespace tapalab::notebook
