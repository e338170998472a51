// The exceptions of tapalab. Their kinds decide the exit code of the program.
#pragma once

#include <stdexcept>
#include <string>

namespace tapalab {

/// Bad arguments or input; exit code 2. The message is one line: it names the argument, key or
/// byte offset, says what was wrong and what is accepted.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A required backend, device or package is missing; exit code 3.
class UnavailableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The reader of standard output or of a pipe went away: nobody wants the rest. The program then
/// ends as by SIGPIPE.
class ReaderGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tapalab
