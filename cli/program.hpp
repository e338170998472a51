// The program `tapalab`: finds the command, runs it, and turns what it throws into an exit code.
#pragma once

#include <string>
#include <vector>

namespace tapalab::cli {

/// 0: done; 1: a check fell short; 2: bad arguments or input; 3: a backend or package is missing;
/// 4: a numerical target not met; 128 and the number of a signal: ended by SIGINT, SIGTERM, or,
/// with the number of SIGPIPE, because the reader of standard output went away.
enum ExitCode {
  kDone = 0,
  kCheckFailed = 1,
  kBadInput = 2,
  kUnavailable = 3,
  kTargetNotMet = 4,
  kReaderGone = 141
};

/// `arguments` without the program's name.
int run(const std::vector<std::string>& arguments);

}  // namespace tapalab::cli
