// Ctrl-C and SIGTERM: the program ends soon, with its exit code, and leaves nothing half done.
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "catch.hpp"
#include "cli/run_program.hpp"

using namespace tapalab::test;

namespace {

// True once `seconds` have gone by.
std::function<bool()> after(double seconds) {
  const auto start = std::chrono::steady_clock::now();
  return [=] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >
           seconds;
  };
}

const std::string kAllDay = "lin:0:999999:1000000";

}  // namespace

TEST_CASE("A signal in the middle of a computation ends every engine and keeps an old result") {
  const std::vector<std::vector<std::string>> engines{
      {"curve", "--distances", kAllDay},
      {"curve", "--distances", kAllDay, "--encoding", "rope"},
      {"curve", "--distances", kAllDay, "--density", "sech"},
      {"curve", "--engine", "mc", "--samples", "1e15", "--distances", "1"},
      {"bias", "--distances", "lin:1:20000:20000", "--density",
       "empirical:file=\"" + std::string(TAPALAB_TEST_DATA) +
           "/qk.safetensors\",q=layers.3.q,k=layers.3.k"},
      {"retrieve", "--encoding", "alibi", "--lengths", "2^24"},
  };
  for (auto arguments : engines) {
    for (const int signal : {SIGINT, SIGTERM}) {
      const TempDirectory directory;
      const std::string file = directory.write("result.txt", "old");
      auto line = arguments;
      line.insert(line.end(), {"--out", file});
      INFO(line[2] << " " << line[4] << ", signal " << signal);
      const auto start = std::chrono::steady_clock::now();
      const ProgramResult result = run_until(line, {}, after(0.3), signal);
      const double seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      CHECK(result.code == 128 + signal);
      CHECK(result.out.empty());
      CHECK(result.err.empty());
      CHECK(seconds < 10);
      CHECK(read_file(file) == "old");
      CHECK(directory.entries() == std::vector<std::string>{"result.txt"});
    }
  }
}

TEST_CASE("A signal while gnuplot draws ends gnuplot too and leaves no temporary file") {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"bias", "--distances", "1,10", "--quiet", "--plot", "FIGURE"},
        std::vector<std::string>{"verify", "theorem-3.3", "--quick", "--quiet", "--out-dir",
                                 "OUT"}}) {
    const TempDirectory tools, temporary, target;
    target.write("figure.svg", "old");
    // A gnuplot that never ends, and says so.
    const std::string pid_file = tools.file("pid");
    const std::string tool =
        tools.write("gnuplot", "#!/bin/sh\necho $$ > '" + pid_file + ".new'\nmv '" + pid_file +
                                   ".new' '" + pid_file + "'\nexec sleep 1000\n");
    chmod(tool.c_str(), 0700);
    auto arguments = command;
    for (auto& argument : arguments) {
      if (argument == "FIGURE") argument = target.file("figure.svg");
      if (argument == "OUT") argument = target.file("");
    }
    INFO(command.front());
    const ProgramResult result = run_until(
        arguments, {"PATH=" + tools.file("") + ":/usr/bin:/bin", "TMPDIR=" + temporary.file("")},
        [&] { return std::filesystem::exists(pid_file); }, SIGTERM);
    CHECK(result.code == 143);
    CHECK(result.err.empty());
    CHECK(temporary.entries().empty());
    CHECK(target.entries() == std::vector<std::string>{"figure.svg"});
    CHECK(read_file(target.file("figure.svg")) == "old");
    CHECK(kill(std::stoi(read_file(pid_file)), 0) == -1);
  }
}

TEST_CASE("A signal is heard while nobody reads what the program writes") {
  const TempDirectory directory;
  const std::string pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  // No reader at all: the opening waits.
  CHECK(run_until({"curve", "--distances", "1", "--out", pipe}, {}, after(0.3), SIGTERM).code ==
        143);
}

TEST_CASE("A signal is heard while a pipe given as a file says nothing") {
  const TempDirectory directory;
  const std::string pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  // No writer at all: the reading waits.
  CHECK(run_until({"curve", "--spec", pipe}, {}, after(0.3), SIGTERM).code == 143);
  CHECK(run_until({"merge", pipe}, {}, after(0.3), SIGINT).code == 130);
  // A slow writer is read to its end.
  const ProgramResult slow = run_shell("(sleep 0.2; echo 'distances = \"3\"'; sleep 0.1; echo) >" +
                                       pipe + " & \"$P\" curve --spec " + pipe + " --format csv");
  CHECK(slow.code == 0);
  CHECK(count_lines(slow.out) == 2);
}

TEST_CASE("verify ends soon after a signal and writes no report") {
  const TempDirectory directory;
  const ProgramResult result = run_until(
      {"verify", "--full", "--quiet", "--out-dir", directory.file("")}, {}, after(0.5), SIGINT);
  CHECK(result.code == 130);
  CHECK(directory.entries().empty());
}

TEST_CASE("A signal that the caller ignores stays ignored") {
  const ProgramResult result = run_shell(
      "trap '' TERM; \"$P\" curve --distances lin:0:3000:3001 >/dev/null & "
      "sleep 0.1; kill -TERM $!; wait $!; echo code $?");
  CHECK(result.out == "code 0\n");
}
