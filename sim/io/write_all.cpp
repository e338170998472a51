#include "sim/io/write_all.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

constexpr int kPollMilliseconds = 50;
// A pipe that is ready takes this much without blocking.
constexpr std::size_t kPart = PIPE_BUF;

}  // namespace

int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    pollfd ready{descriptor, POLLOUT, 0};
    const int count = ::poll(&ready, 1, kPollMilliseconds);
    if (count < 0 && errno != EINTR) return errno;
    if (count <= 0) {
      if (interrupted()) return EINTR;
      continue;
    }
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), kPart));
    if (written < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int open_pipe(const char* path) noexcept {
  while (true) {
    // Without O_NONBLOCK this would wait for a reader and hear no signal.
    const int descriptor = ::open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) {
      ::fcntl(descriptor, F_SETFL, 0);
      return descriptor;
    }
    if (errno != ENXIO && errno != EINTR) return -1;
    if (interrupted()) {
      errno = EINTR;
      return -1;
    }
    ::poll(nullptr, 0, kPollMilliseconds);
  }
}

}  // namespace tapalab
