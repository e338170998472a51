// How a reader may refuse its input.
#pragma once

#include <string>

#include "fuzz/targets.hpp"
#include "sim/errors.hpp"

namespace tapalab::fuzz {

// Runs `action` and lets it refuse its input, in one line that a terminal may get once the program
// has escaped it, and of bounded length.
template <class Action>
void may_refuse(Action action) {
  try {
    action();
  } catch (const InputError& refusal) {
    const std::string message = refusal.what();
    if (message.empty()) throw Fault("a refusal without a word");
    if (message.size() > 4000)
      throw Fault("a refusal of " + std::to_string(message.size()) + " bytes");
    if (message.find('\n') != std::string::npos) throw Fault("a refusal in two lines: " + message);
  }
}

}  // namespace tapalab::fuzz
