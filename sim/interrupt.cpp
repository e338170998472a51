#include "sim/interrupt.hpp"

#include <signal.h>

#include <atomic>

namespace tapalab {
namespace {

// Lock-free, and so usable in a signal handler.
std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

// SA_RESETHAND has put the default action back for this signal; the other one is put back here, so
// that whichever comes second ends the program.
extern "C" void note_signal(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal == SIGINT ? SIGTERM : SIGINT, &standard, nullptr);
}

}  // namespace

void install_interrupt_handlers() {
  first_signal = 0;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction current = {};
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

bool interrupted() noexcept { return first_signal.load(std::memory_order_relaxed) != 0; }

int interrupt_signal() noexcept { return first_signal.load(std::memory_order_relaxed); }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{interrupt_signal()};
}

}  // namespace tapalab
