// Runs another program, without a shell.
#pragma once

#include <string>
#include <vector>

namespace tapalab::notebook {

/// Exit status, or 128 + signal. `input` and `output` are files for standard input and output;
/// empty: nothing, and this program's own. Throws UnavailableError where arguments.front(), looked
/// up on PATH, cannot be started.
int run_process(const std::vector<std::string>& arguments, const std::string& input = {},
                const std::string& output = {});

/// A directory of its own for temporary files, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tapalab::notebook
