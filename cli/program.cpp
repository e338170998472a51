#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/provenance.hpp"
#include "cli/ranks.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

std::string overview() {
  std::string text =
      "tapalab measures and certifies positional encodings of attention.\n\n"
      "Usage: tapalab COMMAND [options]\n\nCommands:\n";
  for (const auto& command : commands()) {
    text += fmt::format("  {:<11} {}\n", command.name, command.summary);
  }
  text +=
      "\nOptions:\n"
      "  --help     this text; `tapalab COMMAND --help` explains a command\n"
      "  --version  version and commit\n\n"
      "Example:\n  tapalab curve --encoding tapa --density gaussian:rho=0.25 --distances "
      "1,10,1000\n\n"
      "Exit codes: 0 done; 1 a check fell short; 2 bad arguments or input; 3 a backend or package\n"
      "is missing; 4 a numerical target not met (the result is still printed); 130 and 143 ended "
      "by\n"
      "Ctrl-C or SIGTERM; 141 the reader of standard output went away.\n";
  return text;
}

int dispatch(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const auto& command : commands()) names.emplace_back(command.name);
  if (arguments.empty()) {
    throw InputError(fmt::format("a command is needed; accepted: {} (tapalab --help explains)",
                                 fmt::join(names, ", ")));
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    write_stdout(overview());
    return kDone;
  }
  if (first == "--version") {
    if (arguments.size() > 1) {
      throw InputError("arguments: --version takes no more, and " + printable(arguments[1]) +
                       " follows it; accepted: tapalab --version");
    }
    write_stdout(version_line() + "\n");
    return kDone;
  }
  if (first.substr(0, 1) == "-") {
    throw InputError(unknown_name("arguments", "option", first, {"--help", "--version"}) +
                     "; other options follow a command");
  }
  const auto found = std::find(names.begin(), names.end(), first);
  if (found == names.end()) throw InputError(unknown_name("arguments", "command", first, names));
  const auto& command = commands()[static_cast<std::size_t>(found - names.begin())];
  try {
    return command.run({first, {arguments.begin() + 1, arguments.end()}, arguments});
  } catch (const HelpRequested& help) {
    write_stdout(help.text);
    return kDone;
  }
}

int fail(const std::string& message, int code) {
  write_stderr("tapalab: " + one_line(message) + "\n");
  return code;
}

// Commands whose samples all ranks of an MPI job draw together; any other runs on rank 0 alone.
bool shares_work(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments.front();
  return command == "curve" || command == "bias" || command == "variance" || command == "fit";
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  guard_standard_streams();
  if (launched_as().rank > 0) {
    if (!shares_work(arguments)) return kDone;
    silence_standard_streams();  // rank 0 speaks for all
  }
  install_interrupt_handlers();
  try {
    return dispatch(arguments);
  } catch (const Interrupted& stop) {
    return 128 + stop.signal;
  } catch (const ReaderGone&) {
    return kReaderGone;  // like head's other neighbours: quietly
  } catch (const InputError& error) {
    return fail(error.what(), kBadInput);
  } catch (const UnavailableError& error) {
    return fail(error.what(), kUnavailable);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for this many distances, samples or dimensions", kBadInput);
  } catch (const std::exception& error) {
    return fail(error.what(), kBadInput);
  }
}

}  // namespace tapalab::cli
