// Whether the user asked the program to stop: a flag that SIGINT and SIGTERM set and that long work
// reads between its steps.
#pragma once

namespace tapalab {

/// The first SIGINT or SIGTERM after this call sets the flag and does nothing else; a second one
/// ends the program at once, as it would without handlers. A signal that is ignored (nohup) stays
/// ignored. Calling it again renews the handlers and clears the flag. Not for several threads at a
/// time.
void install_interrupt_handlers();

/// True once such a signal has come. Any thread; a relaxed atomic load.
bool interrupted() noexcept;

/// SIGINT or SIGTERM, the first that came; 0 before. The program's exit code is then 128 + it.
int interrupt_signal() noexcept;

/// Thrown where interrupted() ended work before its end: what the work wrote (a checkpoint) is in
/// place.
struct Interrupted {
  int signal;
};

/// Throws Interrupted where a signal has come.
void throw_if_interrupted();

}  // namespace tapalab
