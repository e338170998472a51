#include "cli/run_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace tapalab::test {
namespace {

// Output goes through files: no pipe can fill and stall the program.
class Child {
 public:
  Child(const std::string& file, const std::vector<std::string>& arguments,
        const std::vector<std::string>& environment) {
    const std::string out = scratch_.file("out");
    const std::string err = scratch_.file("err");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
    std::vector<char*> argv{const_cast<char*>(file.c_str())};
    for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    // The first of two entries of one name is the one that counts.
    std::vector<char*> variables;
    for (const auto& entry : environment) variables.push_back(const_cast<char*>(entry.c_str()));
    for (char** entry = environ; *entry != nullptr; ++entry) variables.push_back(*entry);
    variables.push_back(nullptr);
    const int failed =
        posix_spawn(&pid_, file.c_str(), &actions, nullptr, argv.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " + file);
  }
  pid_t pid() const { return pid_; }
  bool ended() {
    if (!done_) done_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return done_;
  }
  ProgramResult wait() {
    while (!done_) done_ = waitpid(pid_, &status_, 0) == pid_;
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_),
            read_file(scratch_.file("out")), read_file(scratch_.file("err"))};
  }

 private:
  TempDirectory scratch_;
  pid_t pid_ = 0;
  int status_ = 0;
  bool done_ = false;
};

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments) {
  return Child(TAPALAB_PROGRAM, arguments, {}).wait();
}

ProgramResult run_shell(const std::string& script) {
  return Child("/bin/sh", {"-c", std::string("P='") + TAPALAB_PROGRAM + "'; " + script}, {}).wait();
}

ProgramResult run_until(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& environment,
                        const std::function<bool()>& ready, int signal) {
  Child child(TAPALAB_PROGRAM, arguments, environment);
  for (int tries = 0; !ready(); ++tries) {
    if (child.ended()) throw std::runtime_error("it ended first: " + child.wait().err);
    if (tries == 1000) {
      kill(child.pid(), SIGKILL);
      child.wait();
      throw std::runtime_error("it was never ready for the signal");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child.pid(), signal);
  return child.wait();
}

TempDirectory::TempDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tapalab-test.XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDirectory::write(const std::string& name, const std::string& content) const {
  std::ofstream(file(name), std::ios::binary) << content;
  return file(name);
}

std::vector<std::string> TempDirectory::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace tapalab::test
