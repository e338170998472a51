#include "sim/io/binary_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {

BinaryFile::BinaryFile(const std::string& path) : path_(path) {
  if (path.empty())
    throw InputError("the path of a file is empty; give a .npy or .safetensors file");
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw InputError(fmt::format("{}: no such file", printable(path)));
  if (std::filesystem::is_directory(status))
    throw InputError(
        fmt::format("{}: is a directory; a regular file is accepted", printable(path)));
  if (!std::filesystem::is_regular_file(status))
    throw InputError(fmt::format("{}: is not a regular file", printable(path)));
  const auto size = std::filesystem::file_size(path, error);
  stream_.open(path, std::ios::binary);
  if (error || !stream_) throw InputError(fmt::format("{}: cannot be read", printable(path)));
  size_ = size;
}

std::vector<unsigned char> BinaryFile::read(std::uint64_t offset, std::uint64_t count,
                                            const char* what) {
  if (offset > size_ || count > size_ - offset)
    throw InputError(fmt::format("{}: {} needs {} bytes at byte offset {}, but the file has {}",
                                 printable(path_), what, count, offset, size_));
  std::vector<unsigned char> bytes(count);
  stream_.clear();
  stream_.seekg(static_cast<std::streamoff>(offset));
  stream_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
  if (!stream_)
    throw InputError(
        fmt::format("{}: reading {} at byte offset {} failed", printable(path_), what, offset));
  return bytes;
}

std::uint64_t little_endian(const unsigned char* bytes, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

}  // namespace tapalab
