// Bounded reads from a file that nobody vouches for.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace tapalab {

/// A regular file opened for reading at given offsets. No read allocates more than the file holds.
class BinaryFile {
 public:
  /// Throws InputError for a missing file, a directory, anything that is not a regular file, and a
  /// file that cannot be opened; the message starts with the path.
  explicit BinaryFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// Bytes in the file when it was opened.
  std::uint64_t size() const { return size_; }

  /// `count` bytes from `offset`. Throws InputError, naming `what` and the offset, when the file
  /// ends before them.
  std::vector<unsigned char> read(std::uint64_t offset, std::uint64_t count, const char* what);

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  std::ifstream stream_;
};

/// An unsigned integer of `count` <= 8 bytes, least significant first.
std::uint64_t little_endian(const unsigned char* bytes, unsigned count);

}  // namespace tapalab
