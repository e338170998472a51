#include "analysis/plot/render.hpp"

#include <fcntl.h>
#include <gnuplot-iostream.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/io/atomic_file.hpp"

extern char** environ;

namespace tapalab::plot {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "figure.gp";
constexpr const char* kFigure = "figure.out";
constexpr const char* kMessages = "messages.txt";

std::string error_text(int code) { return std::generic_category().message(code); }

/// A private directory, gone with all it holds at the end of its life.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::error_code failure;
    const fs::path parent = fs::temp_directory_path(failure);
    std::string pattern = (parent / "tapalab-figure-XXXXXX").string();
    if (failure || ::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("figures need a directory for temporary files: " +
                               (failure ? failure.message() : error_text(errno)));
    }
    path_ = pattern;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct SpawnActions {
  posix_spawn_file_actions_t actions;
  SpawnActions() { posix_spawn_file_actions_init(&actions); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions); }
};

/// Waits in short sleeps, so that Ctrl-C and SIGTERM are heard; gnuplot, which a SIGTERM to this
/// process alone does not reach, is then ended first.
int wait_for(pid_t process) {
  constexpr timespec kPause{0, 5'000'000};
  int status = 0;
  bool ended = false;
  while (true) {
    const pid_t done = ::waitpid(process, &status, ended ? 0 : WNOHANG);
    if (done == process) break;
    if (done < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "waiting for gnuplot");
    }
    if (interrupted() && !ended) {
      ::kill(process, SIGKILL);
      ended = true;
    }
    if (!ended) ::nanosleep(&kPause, nullptr);
  }
  throw_if_interrupted();
  return status;
}

/// Runs gnuplot on the script in `directory`, without a shell and without the user's start-up
/// files; returns its wait status.
int run_gnuplot(const fs::path& directory) {
  SpawnActions spawn;
  posix_spawn_file_actions_addchdir_np(&spawn.actions, directory.c_str());
  posix_spawn_file_actions_addopen(&spawn.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&spawn.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&spawn.actions, STDERR_FILENO, kMessages,
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::string program = "gnuplot", defaults = "--default-settings", script = kScript;
  std::vector<char*> arguments = {program.data(), defaults.data(), script.data(), nullptr};
  pid_t process = 0;
  const int code =
      ::posix_spawnp(&process, "gnuplot", &spawn.actions, nullptr, arguments.data(), environ);
  if (code != 0) {
    throw UnavailableError("gnuplot cannot be started (" + error_text(code) +
                           "); figures need the package gnuplot-nox");
  }
  return wait_for(process);
}

/// What gnuplot said, on one line of bounded length.
std::string messages(const fs::path& file) {
  std::ifstream in(file);
  std::string result, line;
  while (std::getline(in, line) && result.size() < 600) {
    const std::size_t first = line.find_first_not_of(" \t^");
    if (first == std::string::npos) continue;
    if (!result.empty()) result += "; ";
    result += line.substr(first, 300);
  }
  return result.empty() ? "no message" : result;
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

Format format_of(const std::string& file) {
  std::string extension = fs::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  if (extension == ".svg") return Format::svg;
  if (extension == ".png") return Format::png;
  if (extension == ".pdf") return Format::pdf;
  throw InputError(
      "figure '" + file +
      "': " + (extension.empty() ? "no file extension" : "unknown extension '" + extension + "'") +
      "; accepted: .svg, .png, .pdf");
}

std::string terminal_commands(Format format, double width, double height) {
  std::ostringstream out;
  switch (format) {
    case Format::svg:
      out << "set terminal svg size " << width << ',' << height
          << " enhanced font 'sans-serif,12' background "
             "'white'\n";
      break;
    case Format::png:  // two pixels for one, for sharp text
      out << "set terminal pngcairo size " << 2 * width << ',' << 2 * height
          << " enhanced font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 3 background 'white'\n";
      break;
    case Format::pdf:  // inches, and points of 1/72 inch
      out << "set terminal pdfcairo size " << width / 96 << "in," << height / 96
          << "in enhanced font 'Sans,12' fontscale 0.5625 linewidth 0.9 pointscale 1.1"
          << " background 'white'\n";
      break;
  }
  out << "set output '" << kFigure << "'\nset encoding utf8\n";
  return out.str();
}

void render(const std::string& file, const std::function<void(std::ostream&)>& write) {
  AtomicFile target(file, "figure");
  const ScratchDirectory scratch;
  {
    // ">" makes gnuplot-iostream write to a file: gnuplot then reads a complete script, and one
    // that dies early cannot kill this process through a broken pipe.
    gnuplotio::Gnuplot session(">" + (scratch / kScript).string());
    session.unsetf(std::ios::floatfield);
    session.precision(12);
    write(session);
    session << "set output\n" << std::flush;
    if (!session) throw std::runtime_error("the script of figure '" + file + "' cannot be written");
  }
  const int status = run_gnuplot(scratch.path());
  const std::string figure = content_of(scratch / kFigure);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || figure.empty()) {
    throw std::runtime_error("gnuplot could not draw '" + file +
                             "': " + messages(scratch / kMessages));
  }
  target.write(figure);
  target.commit();
}

}  // namespace tapalab::plot
