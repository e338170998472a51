#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/write_all.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write, as a full disk
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // Read-only, so that writing to a closed standard output still fails.
    [[maybe_unused]] const int lowest_free = open("/dev/null", O_RDONLY);
  }
}

void silence_standard_streams() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

void write_stdout(std::string_view text) {
  const int reason = write_all(STDOUT_FILENO, text);
  if (reason == EINTR) throw_if_interrupted();
  if (reason == EPIPE) throw ReaderGone("the reader of standard output went away");
  if (reason != 0) {
    throw InputError(fmt::format("standard output cannot be written: {}", std::strerror(reason)));
  }
}

void write_stderr(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

std::string one_line(std::string_view message) {
  std::string line(message);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return escaped(line);
}

void write_result(std::string_view text, const std::string& out_file) {
  if (out_file.empty()) {
    write_stdout(text);
  } else {
    write_file_atomically(out_file, text, "--out");
  }
}

}  // namespace tapalab::cli
