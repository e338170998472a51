#include "sim/interrupt.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"

using namespace tapalab;

namespace {

// What becomes of a child process that installs the handlers and then does `work`.
template <class Work>
int status_of(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    // The handlers of the test framework are not under test.
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    work();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("The first signal sets the flag and lets the program go on") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const int status = status_of([&] {
      install_interrupt_handlers();
      if (interrupted() || interrupt_signal() != 0) _exit(1);
      kill(getpid(), signal);
      if (!interrupted() || interrupt_signal() != signal) _exit(2);
      try {
        throw_if_interrupted();
        _exit(3);
      } catch (const Interrupted& stop) {
        _exit(stop.signal == signal ? 42 : 4);
      }
    });
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 42));
  }
}

TEST_CASE("A second signal ends the program at once, whichever the two are") {
  for (const int first : {SIGINT, SIGTERM}) {
    for (const int second : {SIGINT, SIGTERM}) {
      const int status = status_of([&] {
        install_interrupt_handlers();
        kill(getpid(), first);
        kill(getpid(), second);
      });
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == second));
    }
  }
}

TEST_CASE("A signal that the caller ignores stays ignored") {
  const int status = status_of([] {
    signal(SIGINT, SIG_IGN);
    install_interrupt_handlers();
    kill(getpid(), SIGINT);
    _exit(interrupted() ? 1 : 0);
  });
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}
