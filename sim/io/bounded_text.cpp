#include "sim/io/bounded_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

// A pipe may have nothing to say for long: signals are answered meanwhile.
constexpr int kWaitMilliseconds = 50;

class Descriptor {
 public:
  // Without waiting for the writer of a pipe, whose first words poll waits for.
  explicit Descriptor(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  bool good() const { return number_ >= 0; }

  // Bytes read; 0 at the end, -1 on an error. Throws Interrupted.
  ssize_t read(char* bytes, std::size_t most) const {
    while (true) {
      throw_if_interrupted();
      pollfd wait{number_, POLLIN, 0};
      const int ready = ::poll(&wait, 1, kWaitMilliseconds);
      if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
      const ssize_t count = ::read(number_, bytes, most);
      if (count >= 0 || (errno != EAGAIN && errno != EINTR)) return count;
    }
  }

 private:
  int number_;
};

}  // namespace

std::string read_bounded_text(const std::string& path, std::uint64_t most, std::string_view what) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: {} is a directory; accepted: a file", what, printable(path)));
  if (std::filesystem::is_character_file(path, error))
    throw InputError(fmt::format("{}: {} is a device; accepted: a file", what, printable(path)));
  errno = 0;
  const Descriptor file(path);
  if (!file.good())
    throw InputError(fmt::format("{}: {} cannot be read: {}; accepted: a file that can", what,
                                 printable(path), std::strerror(errno != 0 ? errno : EIO)));
  std::string text;
  std::string part(std::size_t{1} << 20, '\0');
  while (true) {
    const ssize_t count = file.read(part.data(), part.size());
    if (count < 0)
      throw InputError(fmt::format("{}: {} cannot be read to its end; accepted: a file that can",
                                   what, printable(path)));
    if (count == 0) return text;
    text.append(part, 0, static_cast<std::size_t>(count));
    if (text.size() > most)
      throw InputError(fmt::format("{}: {} holds more than {} bytes; accepted: at most so many",
                                   what, printable(path), most));
  }
}

void check_json_text(std::string_view text, std::string_view label) {
  constexpr int kMostDepth = 200;
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\0')
      throw InputError(
          fmt::format("{}: malformed JSON at byte offset {}; accepted: JSON without "
                      "NUL bytes",
                      label, at));
    if (quoted) {
      if (c == '\\') ++at;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth)
        throw InputError(
            fmt::format("{}: nested deeper than {} levels at byte offset {}; "
                        "accepted: JSON that is not",
                        label, kMostDepth, at));
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace tapalab
