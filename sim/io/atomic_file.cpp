#include "sim/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/io/write_all.hpp"

namespace tapalab {
namespace {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string file_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string resolve_links(const std::string& path) {
  std::error_code error;
  const auto resolved = std::filesystem::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

// What umask leaves of 0666: the mode that an ordinary new file has.
mode_t new_file_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return static_cast<mode_t>(0666 & ~mask);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path, std::string_view name)
    : name_(name), target_(path) {
  if (path.empty() || path.find('\0') != std::string::npos || path.back() == '/') {
    throw InputError(fmt::format("{}: '{}' is not a file name", name_, path));
  }
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno == ENAMETOOLONG) fail("creating");
  if (exists && S_ISDIR(info.st_mode)) {
    throw InputError(fmt::format("{}: '{}' is a directory; a file name is needed", name_, path));
  }
  if (exists && !S_ISREG(info.st_mode)) {
    direct_ = true;
    temporary_ = target_;
    descriptor_ =
        S_ISFIFO(info.st_mode) ? open_pipe(path.c_str()) : open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      throw_if_interrupted();
      fail("opening");
    }
    return;
  }
  target_ = resolve_links(path);
  const std::string directory = directory_of(target_);
  if (stat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    throw InputError(fmt::format("{}: '{}' cannot be written: there is no directory '{}'", name_,
                                 path, directory_of(path)));
  }
  std::string pattern = fmt::format("{}/.{}.XXXXXX", directory, file_of(target_));
  // A name near the limit of the file system leaves no room for the suffix.
  if (file_of(pattern).size() > 255) pattern = directory + "/.tapalab.XXXXXX";
  descriptor_ = mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail("creating");
  temporary_ = pattern;
  struct stat old {};
  const mode_t mode = stat(target_.c_str(), &old) == 0 ? (old.st_mode & 07777) : new_file_mode();
  // Where the mode cannot be set the file is more private than usual, which harms nobody.
  [[maybe_unused]] const int ignored = fchmod(descriptor_, mode);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!direct_ && !temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::fail(std::string_view doing) const {
  throw InputError(
      fmt::format("{}: {} '{}' failed: {}", name_, doing, target_, std::strerror(errno)));
}

void AtomicFile::write(std::string_view content) {
  errno = write_all(descriptor_, content);
  if (errno == 0) return;
  throw_if_interrupted();
  if (errno == EPIPE) throw ReaderGone(name_ + ": the reader of the pipe went away");
  fail("writing");
}

void AtomicFile::commit() {
  if (direct_) {
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail("closing");
    return;
  }
  // Opened anew: another program may have replaced the temporary file rather than filled it.
  const int current = open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (current < 0) fail("opening");
  const int synced = fsync(current);
  const int reason = errno;
  close(current);
  errno = reason;
  if (synced != 0) fail("syncing");
  close(descriptor_);
  descriptor_ = -1;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("renaming to");
  temporary_.clear();
  // The rename itself is durable once the directory is; some file systems cannot sync a directory.
  const int directory = open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

void write_file_atomically(const std::string& path, std::string_view content,
                           std::string_view name) {
  AtomicFile file(path, name);
  file.write(content);
  file.commit();
}

void require_writable(const std::string& path, std::string_view name) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && access(path.c_str(), W_OK) != 0) {
    throw InputError(
        fmt::format("{}: '{}' cannot be written: {}", name, path, std::strerror(errno)));
  }
  // A pipe is not opened here: its reader would take the closing for the end.
  if (exists && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return;
  const AtomicFile probe(path, name);
}

}  // namespace tapalab
