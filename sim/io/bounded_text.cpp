#include "sim/io/bounded_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

std::string read_bounded_text(const std::string& path, std::uint64_t most, std::string_view what) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: {} is a directory; accepted: a file", what, printable(path)));
  if (std::filesystem::is_character_file(path, error))
    throw InputError(fmt::format("{}: {} is a device; accepted: a file", what, printable(path)));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(fmt::format("{}: {} cannot be read: {}; accepted: a file that can", what,
                                 printable(path), std::strerror(errno != 0 ? errno : EIO)));
  std::string text;
  std::string part(std::size_t{1} << 20, '\0');
  while (file) {
    throw_if_interrupted();
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part, 0, static_cast<std::size_t>(file.gcount()));
    if (text.size() > most)
      throw InputError(fmt::format("{}: {} holds more than {} bytes; accepted: at most so many",
                                   what, printable(path), most));
  }
  if (file.bad())
    throw InputError(fmt::format("{}: {} cannot be read to its end; accepted: a file that can",
                                 what, printable(path)));
  return text;
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
