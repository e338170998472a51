// Output files appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace tapalab {

/// A file in the making: what is written stands in a temporary file of the same directory until
/// `commit` puts it, synced to disk, in the place of `path`. Destroyed before that, it leaves
/// nothing behind. Where `path` is a symbolic link its target is replaced; a device or pipe is
/// written directly, since it cannot be replaced.
class AtomicFile {
 public:
  /// `name` is what an error message calls the file ("--out"). Throws InputError where `path`
  /// cannot be written: no such directory, a directory itself, no permission.
  AtomicFile(const std::string& path, std::string_view name);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Where a program that writes its own files (gnuplot) shall write before `commit`.
  const std::string& temporary_path() const { return temporary_; }

  /// Appends. Throws InputError where the disk refuses (full, quota), ReaderGone where `path` is a
  /// pipe that nobody reads any more.
  void write(std::string_view content);

  /// fsync, rename, and fsync of the directory. Throws InputError where one of them fails.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view doing) const;

  std::string name_;
  std::string target_;     ///< links resolved
  std::string temporary_;  ///< equal to target_ for devices and pipes
  int descriptor_ = -1;
  bool direct_ = false;
};

/// The whole of `content` as the file `path`. Throws InputError and ReaderGone, see AtomicFile.
void write_file_atomically(const std::string& path, std::string_view content,
                           std::string_view name);

/// Throws InputError where AtomicFile(path, name) would, and leaves nothing behind: for use before
/// a long computation.
void require_writable(const std::string& path, std::string_view name);

}  // namespace tapalab
