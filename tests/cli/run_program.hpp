// Runs the real program.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tapalab::test {

struct ProgramResult {
  int code = -1;  ///< exit status; 128 + signal where it was killed
  std::string out;
  std::string err;
};

ProgramResult run_program(const std::vector<std::string>& arguments);

/// The same through /bin/sh, with "$P" for the program: for redirections and pipes.
ProgramResult run_shell(const std::string& script);

/// Starts the program with `environment` ("NAME=value") added, sends it `signal` once `ready` is
/// true, and waits. Throws std::runtime_error where it ends before, or `ready` stays false for ten
/// seconds.
ProgramResult run_until(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        const std::function<bool()>& ready, int signal);

/// A directory of its own, removed with everything in it.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const;
  /// Names of what is in it, sorted.
  std::vector<std::string> entries() const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::string& path);
std::size_t count_lines(const std::string& text);

}  // namespace tapalab::test
