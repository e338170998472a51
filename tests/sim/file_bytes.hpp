// Files written byte by byte for the readers' tests.
#pragma once

#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "sim/errors.hpp"

namespace tapalab::testing {

/// A file in the temporary directory, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile(std::string_view bytes, std::string_view extension) {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("tapalab-" + std::to_string(getpid()) + "-" + std::to_string(++number)))
                .string();
    path_ += extension;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string little(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}
inline std::string f64(double value) { return little(std::bit_cast<std::uint64_t>(value), 8); }
inline std::string f32(float value) { return little(std::bit_cast<std::uint32_t>(value), 4); }
/// The upper half of a binary32: exact for numbers of at most 8 significant bits.
inline std::string bf16(float value) {
  return little(std::bit_cast<std::uint32_t>(value) >> 16, 2);
}

inline std::string npy(std::string_view dictionary, std::string_view data, int major = 1) {
  const int width = major == 1 ? 2 : 4;
  std::string header(dictionary);
  header += '\n';
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' + little(header.size(), width) +
         header + std::string(data);
}

inline std::string safetensors(std::string_view header, std::string_view data) {
  return little(header.size(), 8) + std::string(header) + std::string(data);
}

/// The message of the InputError that `action` must throw; it must be one line.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  FAIL("nothing was refused");
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  INFO(text << " should contain " << part);
  return text.find(part) != std::string::npos;
}

}  // namespace tapalab::testing
