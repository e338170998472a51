#include "cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "sim/errors.hpp"
#include "sim/io/atomic_file.hpp"

namespace tapalab::cli {
namespace {

// 0, or the reason why not all of it went out.
int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void guard_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // Read-only, so that writing to a closed standard output still fails.
    [[maybe_unused]] const int lowest_free = open("/dev/null", O_RDONLY);
  }
}

void write_stdout(std::string_view text) {
  if (const int reason = write_all(STDOUT_FILENO, text); reason != 0) {
    throw InputError(fmt::format("standard output cannot be written: {}", std::strerror(reason)));
  }
}

void write_stderr(std::string_view text) noexcept { write_all(STDERR_FILENO, text); }

std::string one_line(std::string_view message) {
  std::string line;
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7F) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

void write_result(std::string_view text, const std::string& out_file) {
  if (out_file.empty()) {
    write_stdout(text);
  } else {
    write_file_atomically(out_file, text, "--out");
  }
}

}  // namespace tapalab::cli
